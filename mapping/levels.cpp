// SPDX-License-Identifier: Apache-2.0
#include "mapping/levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "mapping/index.h"

namespace topolaunch::mapping {
namespace {

/// Switch of `level` above `host`; -1 if the host's place is unknown or its branch has none there.
int switch_at(const topo::Fabric& fabric, int leaf, int level) {
  int steps = 0;
  for (int at = leaf; at >= 0 && steps <= count_of(fabric.switches); ++steps) {
    const auto& sw = fabric.switches[ix(at)];
    if (sw.level == level) return at;
    if (sw.level > level) return -1;
    at = sw.parent;
  }
  return -1;
}

bool real_cluster(const std::string& uuid) {
  return uuid.find_first_not_of("0-") != std::string::npos;
}

/// NVLink domain of a host's GPUs as one key; empty = none.
std::string domain_of(const topo::Host& host) {
  for (const auto& gpu : host.gpus)
    if (!gpu.fabric_pending && real_cluster(gpu.fabric_cluster))
      return fmt::format("{}/{}", gpu.fabric_cluster, gpu.fabric_clique);
  return {};
}

/// A host whose place is unknown is counted like the worst placed of the known ones: with no uplink to
/// pay for it would win over hosts of which more is known.
void charge_unplaced(Level& level, const std::vector<int>& unplaced) {
  std::vector<int> size(ix(level.blocks), 0);
  for (const int block : level.block) ++size[ix(block)];
  Bandwidth least;
  for (int b = 0; b < level.blocks; ++b) {
    if (!level.uplink[ix(b)].known()) continue;
    const Bandwidth share = level.uplink[ix(b)] * (1.0 / size[ix(b)]);
    if (!least.known() || share < least) least = share;
  }
  for (const int b : unplaced) level.uplink[ix(b)] = least;
}

}  // namespace

Bandwidth host_rate(const topo::Topology& topology, int host) {
  double sum = 0;
  for (const auto& nic : topology.hosts[ix(host)].nics)
    if (nic.up && nic.rdma) sum += nic.rate.bytes_per_second();
  if (sum <= 0)
    for (const auto& nic : topology.hosts[ix(host)].nics)
      if (nic.up) sum += nic.rate.bytes_per_second();
  return sum > 0 ? Bandwidth::bytes_per_second(sum) : topology.fabric.host_rate;
}

Levels fabric_levels(const topo::Topology& topology) {
  const int hosts = count_of(topology.hosts);
  Levels result;
  auto& own = result.levels.emplace_back();
  own.name = "host";
  own.blocks = hosts;
  for (int h = 0; h < hosts; ++h) {
    own.block.push_back(h);
    own.uplink.push_back(host_rate(topology, h));
  }

  // NVLink domains that hold more than one host.
  std::map<std::string, int> domains;
  Level domain;
  domain.name = "domain";
  bool spans = false;
  for (int h = 0; h < hosts; ++h) {
    const auto key = domain_of(topology.hosts[ix(h)]);
    if (key.empty()) {
      domain.block.push_back(domain.blocks++);
      continue;
    }
    const auto [at, fresh] = domains.emplace(key, domain.blocks);
    if (fresh) ++domain.blocks;
    spans = spans || !fresh;
    domain.block.push_back(at->second);
  }
  if (spans) {
    domain.uplink.assign(ix(domain.blocks), Bandwidth());
    std::vector<double> sums(ix(domain.blocks), 0.0);
    for (int h = 0; h < hosts; ++h) sums[ix(domain.block[ix(h)])] += own.uplink[ix(h)].bytes_per_second();
    for (int b = 0; b < domain.blocks; ++b) domain.uplink[ix(b)] = Bandwidth::bytes_per_second(sums[ix(b)]);
    result.levels.push_back(std::move(domain));
  }

  for (int h = 0; h < hosts; ++h) {
    const bool hangs = h < count_of(topology.fabric.leaf_of_host) && topology.fabric.leaf_of_host[ix(h)] >= 0;
    result.placed.push_back(hangs || !domain_of(topology.hosts[ix(h)]).empty());
  }

  int top = -1;
  for (const auto& sw : topology.fabric.switches) top = std::max(top, sw.level);
  for (int l = 0; l <= top; ++l) {
    Level level;
    level.distance_index = l + 2;
    level.name = l < count_of(topology.fabric.level_names) ? topology.fabric.level_names[ix(l)]
                 : l == 0                                  ? "leaf"
                 : l == 1                                  ? "spine"
                                                           : fmt::format("level{}", l);
    std::map<int, int> number;  // switch -> block
    std::vector<int> unplaced;
    for (int h = 0; h < hosts; ++h) {
      const int leaf = h < count_of(topology.fabric.leaf_of_host) ? topology.fabric.leaf_of_host[ix(h)] : -1;
      const int sw = switch_at(topology.fabric, leaf, l);
      if (sw < 0) {
        if (leaf < 0) unplaced.push_back(level.blocks);
        level.block.push_back(level.blocks++);
        level.uplink.emplace_back();
        continue;
      }
      const auto [at, fresh] = number.emplace(sw, level.blocks);
      if (fresh) {
        ++level.blocks;
        level.uplink.push_back(topology.fabric.switches[ix(sw)].uplink);
      }
      level.block.push_back(at->second);
    }
    charge_unplaced(level, unplaced);
    if (level.blocks > 1) result.levels.push_back(std::move(level));
  }
  return result;
}

int Levels::crossing(int host_a, int host_b) const {
  for (int l = count_of(levels) - 1; l >= 0; --l)
    if (levels[ix(l)].block[ix(host_a)] != levels[ix(l)].block[ix(host_b)]) return l;
  return -1;
}

const Level* Levels::find(const std::string& name) const {
  for (const auto& level : levels)
    if (level.name == name) return &level;
  return nullptr;
}

std::string Levels::names() const {
  std::string text;
  for (const auto& level : levels) text += (text.empty() ? "" : " ") + level.name;
  return text;
}

}  // namespace topolaunch::mapping
