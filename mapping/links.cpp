// SPDX-License-Identifier: Apache-2.0
#include "mapping/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "mapping/constants.h"
#include "mapping/index.h"

namespace topolaunch::mapping {

using namespace constants;

Links::Links(const topo::Topology& topology) : topology_(topology), levels_(fabric_levels(topology)) {
  const int hosts = count_of(topology.hosts);
  std::unordered_map<std::string, int> known;
  for (const auto& host : topology.hosts) {
    const auto [at, fresh] = known.emplace(HostModel::signature(host), count_of(models_));
    if (fresh) models_.push_back(std::make_unique<HostModel>(host));
    model_of_host_.push_back(at->second);
  }
  for (int h = 0; h < hosts; ++h) {
    const auto& model = host(h);
    First first;
    const int n = model.gpus();
    bool mesh = false, ports = false;
    for (int g = 0; g < n; ++g) ports = ports || model.port(g) > 0;
    for (int a = 0; a < n && !mesh; ++a)
      for (int b = 0; b < n && !mesh; ++b) mesh = a != b && model.road(a, b) == Road::nvlink;
    if (ports) {
      first.port = count_of(links_);
      for (int g = 0; g < n; ++g) add_link(Kind::nvswitch_port, h, g, 0, model.port(g));
    }
    if (mesh) {
      first.nvlink = count_of(links_);
      for (int a = 0; a < n; ++a)
        for (int b = 0; b < n; ++b)
          add_link(Kind::nvlink, h, a, b, a != b && model.road(a, b) == Road::nvlink ? model.pair(a, b) : 0);
    }
    if (n > 0) {
      first.pcie = count_of(links_);
      for (int g = 0; g < n; ++g) add_link(Kind::pcie, h, g, 0, model.pcie(g));
      first.pcie_switch = count_of(links_);
      int switches = 0, sockets = 0;
      for (int g = 0; g < n; ++g) {
        switches = std::max(switches, model.pcie_switch(g) + 1);
        sockets = std::max(sockets, model.socket(g) + 1);
      }
      for (int s = 0; s < switches; ++s) {
        double rate = 0;
        for (int g = 0; g < n; ++g)
          if (model.pcie_switch(g) == s) rate = std::max(rate, model.pcie(g));
        add_link(Kind::pcie_switch, h, s, 0, rate);
      }
      first.cpu = count_of(links_);
      for (int s = 0; s < sockets; ++s) add_link(Kind::cpu, h, s, 0, model.cpu_cpu());
      timed_ = true;
    } else {
      first.memory = add_link(Kind::memory, h, 0, 0, kHostMemoryGbps);
    }
    first.nic = count_of(links_);
    first.nics = model.nic_count();
    for (int i = 0; i < first.nics; ++i) add_link(Kind::nic, h, i, 0, model.nic(i));
    if (first.nics > 0) timed_ = true;
    if (first.nics == 0) {
      const auto rate = host_rate(topology, h);
      if (rate.known()) timed_ = true;
      add_link(Kind::nic, h, -1, 0, rate.known() ? rate.gigabytes_per_second() : kUnknownNicGbps);
      first.nics = 1;
    }
    first_.push_back(first);
  }
  number_islands();
  for (int l = 0; l < count_of(levels_.levels); ++l) {
    first_uplink_.push_back(count_of(links_));
    const auto& level = levels_.levels[ix(l)];
    if (l == 0) continue;  // the NICs are the host's uplink
    for (int b = 0; b < level.blocks; ++b) {
      const auto rate = level.uplink[ix(b)];
      if (rate.known()) timed_ = true;
      add_link(Kind::uplink, -1, l, b, rate.gigabytes_per_second());
    }
  }
  // A single machine without GPUs is timed too, roughly, by its memory.
  if (hosts == 1) timed_ = true;
  phase_.resize(links_.size());
  total_.resize(links_.size());
  level_bytes_.assign(levels_.levels.size(), 0.0);
}

void Links::number_islands() {
  // fabric_levels() puts NVLink domains behind the hosts; a switch level may have any name.
  const auto* domain = levels_.levels.size() > 1 && levels_.levels[1].distance_index == 1 ? &levels_.levels[1] : nullptr;
  std::vector<int> first_of_domain(domain != nullptr ? ix(domain->blocks) : 0, -1);
  for (int h = 0; h < count_of(topology_.hosts); ++h) {
    int island = h;
    bool ports = host(h).gpus() > 0;
    for (int g = 0; g < host(h).gpus(); ++g) ports = ports && host(h).port(g) > 0;
    if (domain != nullptr && ports) {
      int& first = first_of_domain[ix(domain->block[ix(h)])];
      if (first < 0) first = h;
      islands_of_hosts_ = islands_of_hosts_ || first != h;
      island = first;
    }
    island_of_host_.push_back(island);
  }
}

int Links::add_link(Kind kind, int host, int a, int b, double gbps) {
  links_.push_back({kind, host, a, b, gbps * 1e9});
  return count_of(links_) - 1;
}

std::string Links::name_of(const Link& link) const {
  if (link.kind == Kind::uplink) {
    const auto& level = levels_.levels[ix(link.a)];
    // A block's switch by its own name where there is one.
    int host = -1;
    for (int h = 0; h < count_of(level.block) && host < 0; ++h)
      if (level.block[ix(h)] == link.b) host = h;
    int at = host >= 0 && host < count_of(topology_.fabric.leaf_of_host) ? topology_.fabric.leaf_of_host[ix(host)] : -1;
    for (int steps = 0; at >= 0 && steps < 64; ++steps) {
      const auto& sw = topology_.fabric.switches[ix(at)];
      if (sw.level == level.distance_index - 2) return fmt::format("{} uplink", sw.name);
      at = sw.parent;
    }
    return fmt::format("{} {} uplink", level.name, link.b);
  }
  const auto& host = topology_.hosts[ix(link.host)];
  const auto name = host.name.empty() ? fmt::format("host{}", link.host) : host.name;
  switch (link.kind) {
    case Kind::nvswitch_port: return fmt::format("{} gpu{} nvlink", name, link.a);
    case Kind::nvlink: return fmt::format("{} gpu{}-gpu{} nvlink", name, link.a, link.b);
    case Kind::pcie: return fmt::format("{} gpu{} pcie", name, link.a);
    case Kind::pcie_switch: return fmt::format("{} pcie switch {} uplink", name, link.a);
    case Kind::cpu: return fmt::format("{} socket {} to the others", name, link.a);
    case Kind::memory: return fmt::format("{} memory", name);
    default: break;
  }
  if (link.a < 0) return fmt::format("{} network", name);
  return fmt::format("{} {}", name, host.nics[ix(link.a)].name);
}

}  // namespace topolaunch::mapping
