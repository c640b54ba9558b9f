// SPDX-License-Identifier: Apache-2.0
#include "mapping/host_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "mapping/constants.h"
#include "mapping/index.h"
#include "mapping/nic_choice.h"

namespace topolaunch::mapping {
namespace {

using namespace constants;

double pcie_gbps(int generation, int width) {
  const int g = generation >= 1 && generation < count_of(kPcieX16) ? generation : 3;
  return kPcieX16[ix(g)] * (width > 0 ? width : 16) / 16;
}

double cpu_cpu_gbps(const topo::Host& host) {
  if (host.arch == "aarch64" || host.arch == "arm64") return kArm;
  if (host.arch == "ppc64" || host.arch == "ppc64le") return kPower9;
  if (host.cpu_vendor == "AuthenticAMD") return kAmd;
  if (host.cpu_vendor == "GenuineIntel" && host.cpu_family == 6) {
    if (host.cpu_model >= kModelEmeraldRapids) return kIntelEmeraldRapids;
    if (host.cpu_model >= kModelSapphireRapids) return kIntelSapphireRapids;
    if (host.cpu_model >= kModelSkylake) return kIntelSkylake;
    return kIntelBroadwell;
  }
  return kIntelSkylake;
}

/// Compute capability from a model name where no source gives the number; 0 = unknown.
int guessed_capability(const std::string& model) {
  const std::pair<const char*, int> names[] = {
      {"P100", 60},  {"V100", 70},  {"A100", 80},   {"A800", 80},  {"A40", 86},
      {"L40", 89},   {"L4", 89},    {"H100", 90},   {"H200", 90},  {"H800", 90},
      {"GH200", 90}, {"B200", 100}, {"GB200", 100}, {"B300", 103}, {"GB300", 103}};
  int best = 0;
  std::size_t longest = 0;
  for (const auto& [name, capability] : names)
    if (model.find(name) != std::string::npos && std::char_traits<char>::length(name) > longest) {
      best = capability;
      longest = std::char_traits<char>::length(name);
    }
  return best;
}

int capability_of(const topo::Gpu& gpu) {
  return gpu.compute_capability > 0 ? gpu.compute_capability : guessed_capability(gpu.model);
}

/// NCCL takes links x its constant per link, never the rate measured; where the generation is
/// unknown four fifths of the stated rate, which is what its constants are of the wire rate.
double link_gbps(const topo::Gpu& gpu, const topo::GpuLink& link) {
  const int capability = capability_of(gpu);
  if (link.type == topo::LinkType::nvlink && capability > 0)
    return link.count * nvlink_gbps(capability);
  if (link.bandwidth.known()) return link.bandwidth.gigabytes_per_second() * 0.8;
  return link.count * nvlink_gbps(80);
}

template <class Array>
std::vector<double> to_list(const Array& speeds) {
  return {speeds.begin(), speeds.end()};
}

std::vector<double> intra_speeds(int capability) {
  if (capability >= 100) return to_list(kIntraSpeedsBlackwell);
  if (capability >= 90) return to_list(kIntraSpeedsHopper);
  return to_list(kIntraSpeeds);
}

/// Channels of one speed through a port of `gbps`: the best sum, as the packing for single links.
std::pair<double, int> quantised(double gbps, const std::vector<double>& speeds) {
  double best = 0, first = 0;
  int channels = 0;
  for (const double speed : speeds) {
    if (first > 0 && speed < 0.49 * first) break;
    const int n = static_cast<int>(gbps / speed + 1e-9);
    if (n == 0) continue;
    if (first == 0) first = speed;
    if (n * speed > best * (1 + 1e-9)) best = n * speed, channels = n;
  }
  if (best == 0) return {gbps, 1};
  return {best, channels};
}

}  // namespace

HostModel::HostModel(const topo::Host& host)
    : gpus_(count_of(host.gpus)), cpu_cpu_(cpu_cpu_gbps(host)) {
  const bool intel = host.cpu_vendor == "GenuineIntel";
  for (const auto& nic : host.nics)
    nic_gbps_.push_back(nic.rate.known() ? nic.rate.gigabytes_per_second() : kUnknownNicGbps);
  nics_ = nics_of_gpus(host);

  std::map<std::string, int> switches;
  std::map<int, int> sockets;
  for (int g = 0; g < gpus_; ++g) {
    const auto& gpu = host.gpus[ix(g)];
    compute_capability_ = std::max(compute_capability_, capability_of(gpu));
    pcie_.push_back(pcie_gbps(std::max(gpu.pcie_generation, gpu.pcie_generation_max),
                              std::max(gpu.pcie_width, gpu.pcie_width_max)));
    double port = 0;
    for (const auto& link : gpu.links)
      if (link.to == topo::GpuLink::To::nvswitch) port += link_gbps(gpu, link);
    port_.push_back(port);
    const auto above =
        gpu.pcie_path.empty() ? fmt::format("gpu{}", g) : gpu.pcie_path.front().text();
    switch_.push_back(switches.emplace(above, count_of(switches)).first->second);
    socket_.push_back(sockets.emplace(gpu.numa.value_or(-1), count_of(sockets)).first->second);
  }

  pair_.assign(ix(gpus_ * gpus_), 0.0);
  road_.assign(ix(gpus_ * gpus_), Road::pcie_cpu);
  const auto near_nic = [&](int g) {
    double best = 0;
    for (const int n : nics_[ix(g)]) {
      const auto relation = host.relation(host.gpus[ix(g)], host.nics[ix(n)]);
      if (relation == topo::PciRelation::pix || relation == topo::PciRelation::pxb)
        best = std::max(best, nic_gbps_[ix(n)]);
    }
    return best;
  };
  for (int a = 0; a < gpus_; ++a) {
    for (int b = 0; b < gpus_; ++b) {
      if (a == b) continue;
      auto& gbps = pair_[cell(a, b)];
      auto& road = road_[cell(a, b)];
      for (const auto& link : host.gpus[ix(a)].links)
        if (link.to == topo::GpuLink::To::gpu && link.peer == b)
          gbps += link_gbps(host.gpus[ix(a)], link);
      if (gbps > 0) {
        road = Road::nvlink;
        continue;
      }
      if (port_[ix(a)] > 0 && port_[ix(b)] > 0) {
        gbps = std::min(port_[ix(a)], port_[ix(b)]);
        road = Road::nvswitch;
        continue;
      }
      const double pcie = std::min(pcie_[ix(a)], pcie_[ix(b)]);
      const auto relation = host.relation(host.gpus[ix(a)], host.gpus[ix(b)]);
      if (relation == topo::PciRelation::pix || relation == topo::PciRelation::pxb) {
        gbps = pcie;
        road = Road::pcie_switch;
        continue;
      }
      gbps = intel ? pcie / kIntelP2pOverhead : pcie;
      if (relation == topo::PciRelation::sys || socket_[ix(a)] != socket_[ix(b)]) {
        gbps = std::min(gbps, cpu_cpu_);
        road = Road::cpu_cpu;
        const double around = std::min({pcie, near_nic(a), near_nic(b)});
        if (around > gbps) gbps = around, road = Road::nics;
      }
    }
  }
  for (int a = 0; a < gpus_; ++a)
    for (int b = 0; b < gpus_; ++b)
      if (a != b && gpus_ > 1 && pair_[cell(a, b)] != pair_[1]) uniform_ = false;
}

std::vector<int> HostModel::socket_nics(const std::vector<int>& gpus, int gpu) const {
  std::vector<int> result;
  for (const int g : gpus)
    if (socket(g) == socket(gpu)) result.insert(result.end(), nics(g).begin(), nics(g).end());
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

double HostModel::mean_inverse(const std::vector<int>& gpus) const {
  const int n = count_of(gpus);
  if (n < 2) return 0;
  if (uniform_) {
    // Pairs on one GPU, which ranks share, have no distance.
    double same = 0, run = 1;
    for (int i = 1; i < n; ++i) {
      run = gpus[ix(i)] == gpus[ix(i - 1)] ? run + 1 : 1;
      same += run - 1;
    }
    return (1 - same / (0.5 * n * (n - 1))) / pair_[1];
  }
  double sum = 0;
  int pairs = 0;
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j, ++pairs)
      if (gpus[ix(i)] != gpus[ix(j)]) sum += 1 / pair(gpus[ix(i)], gpus[ix(j)]);
  return sum / pairs;
}

const LocalBandwidth& HostModel::local(const std::vector<int>& gpus) const {
  const auto found = cache_.find(gpus);
  if (found != cache_.end()) return found->second;
  if (cache_.size() > 100000) cache_.clear();
  return cache_.emplace(gpus, compute(gpus)).first->second;
}

LocalBandwidth HostModel::switched(double slowest, int count) const {
  LocalBandwidth result;
  const auto speeds = intra_speeds(compute_capability_);
  const auto [total, channels] = quantised(slowest, speeds);
  result.ring = result.tree = total;
  result.channels = result.tree_channels = channels;
  result.nvlink = true;
  if (compute_capability_ < 90) return result;
  const auto generation = generation_of(compute_capability_);
  const int heads = std::min(count, kNvlsHeads);
  double speed = 0;
  for (const double s : speeds)
    if (s <= nvls_channel_gbps(generation) && s * heads <= slowest * (1 + 1e-9)) speed = std::max(speed, s);
  result.nvls = speed > 0;
  result.nvls_bandwidth = speed * heads * nvls_efficiency(generation);
  return result;
}

LocalBandwidth HostModel::compute(const std::vector<int>& gpus) const {
  LocalBandwidth result;
  const int n = count_of(gpus);
  const auto speeds = intra_speeds(compute_capability_);
  result.order = gpus;
  std::stable_sort(result.order.begin(), result.order.end(), [&](int a, int b) {
    return std::pair(socket(a), pcie_switch(a)) < std::pair(socket(b), pcie_switch(b));
  });
  if (n < 2) return result;

  const bool all_switched =
      std::all_of(gpus.begin(), gpus.end(), [&](int g) { return port(g) > 0; });
  if (all_switched) {
    double slowest = port(gpus.front());
    for (const int g : gpus) slowest = std::min(slowest, port(g));
    auto order = std::move(result.order);
    result = switched(slowest, n);
    result.order = std::move(order);
    return result;
  }

  // Single NVLinks: rings that run on NVLink only.
  Capacities links(ix(n), std::vector<double>(ix(n), 0.0));
  bool linked = false;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (i != j && road(gpus[ix(i)], gpus[ix(j)]) == Road::nvlink) {
        links[ix(i)][ix(j)] = pair(gpus[ix(i)], gpus[ix(j)]);
        linked = true;
      }
  if (linked && n <= 16) {
    const auto named = [&](const Packing& packing) {
      std::vector<std::pair<std::pair<int, int>, double>> load;
      for (const auto& [edge, part] : packing.load)
        load.push_back({{gpus[ix(edge.first)], gpus[ix(edge.second)]}, part});
      return load;
    };
    const auto rings = pack_rings(links, speeds);
    const auto chains = rings.bandwidth == 0 ? pack_chains(links, speeds) : Packing();
    result.ring = result.tree = rings.bandwidth;
    result.channels = result.tree_channels = std::max(rings.channels, 1);
    result.link_speed = rings.speed;
    result.nvlink = rings.bandwidth > 0;
    result.load = named(rings);
    if (chains.bandwidth * kPlainTree > result.tree) {
      result.tree = chains.bandwidth * kPlainTree;
      result.tree_channels = chains.channels;
      result.chain_load = named(chains);
    }
    if (result.nvlink) return result;
  }

  // A ring over whatever there is, each hop once, at the speed of its slowest hop; around the
  // sockets over all NICs that the GPUs of a socket have near.
  double slowest = 1e30;
  for (int i = 0; i < n; ++i) {
    const int a = result.order[ix(i)], b = result.order[ix((i + 1) % n)];
    if (a == b) continue;
    if (road(a, b) != Road::nics) {
      slowest = std::min(slowest, pair(a, b));
      continue;
    }
    for (const int end : {a, b}) {
      double sum = 0;
      for (const int nic_number : socket_nics(gpus, end))
        sum += std::min(nic(nic_number), pcie(end));
      slowest = std::min(slowest, sum);
    }
  }
  double speed = 0;
  for (const double s : speeds)
    if (s <= slowest * (1 + 1e-9)) speed = std::max(speed, s);
  result.ring = speed > 0 ? speed : slowest;
  result.channels = 1;
  result.tree_channels = std::max(result.tree_channels, 1);
  if (result.tree == 0) result.tree = result.ring * kPlainTree;
  return result;
}

}  // namespace topolaunch::mapping
