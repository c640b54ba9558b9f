// SPDX-License-Identifier: Apache-2.0
#include "mapping/nic_choice.h"

#include <algorithm>
#include <map>

#include "mapping/index.h"

namespace topolaunch::mapping {
namespace {

/// NICs worth using: up; RDMA only, if any is; none slower than half of the fastest known (a
/// management port is not for the job).
std::vector<int> usable_nics(const topo::Host& host) {
  std::vector<int> nics;
  const bool rdma = std::any_of(host.nics.begin(), host.nics.end(),
                                [](const topo::Nic& nic) { return nic.up && nic.rdma; });
  Bandwidth fastest;
  for (const auto& nic : host.nics)
    if (nic.up && (nic.rdma || !rdma)) fastest = std::max(fastest, nic.rate);
  for (int n = 0; n < count_of(host.nics); ++n) {
    const auto& nic = host.nics[ix(n)];
    if (!nic.up || (rdma && !nic.rdma)) continue;
    if (nic.rate.known() && nic.rate < fastest * 0.5) continue;
    nics.push_back(n);
  }
  return nics;
}

/// Nearness as a number, smaller is nearer.
int nearness(const topo::Host& host, const topo::Gpu& gpu, const topo::Nic& nic) {
  const auto relation = host.relation(gpu, nic);
  if (relation != topo::PciRelation::unknown) return static_cast<int>(relation);
  if (gpu.numa && nic.numa)
    return static_cast<int>(*gpu.numa == *nic.numa ? topo::PciRelation::node : topo::PciRelation::sys);
  return static_cast<int>(topo::PciRelation::unknown);
}

}  // namespace

std::vector<std::vector<int>> nics_of_gpus(const topo::Host& host) {
  const auto usable = usable_nics(host);
  std::vector<std::vector<int>> result(host.gpus.size());
  if (usable.empty()) return result;
  // GPUs with the same nearest NICs share them out.
  std::map<std::vector<int>, std::vector<int>> same_choice;
  for (int g = 0; g < count_of(host.gpus); ++g) {
    int best = 1 << 20;
    std::vector<int> nearest;
    for (const int n : usable) {
      const int distance = nearness(host, host.gpus[ix(g)], host.nics[ix(n)]);
      if (distance < best) nearest.clear(), best = distance;
      if (distance == best) nearest.push_back(n);
    }
    same_choice[nearest].push_back(g);
  }
  for (const auto& [nics, gpus] : same_choice) {
    const int count = count_of(nics), sharers = count_of(gpus);
    for (int i = 0; i < sharers; ++i) {
      const int first = static_cast<int>(static_cast<std::int64_t>(i) * count / sharers);
      const int end = static_cast<int>(static_cast<std::int64_t>(i + 1) * count / sharers);
      for (int n = first; n < std::max(end, first + 1); ++n) result[ix(gpus[ix(i)])].push_back(nics[ix(n)]);
    }
  }
  return result;
}

void choose_nics(const topo::Host& host, const std::vector<Seat>& seats, std::vector<Affinity>& result) {
  if (host.nics.empty()) return;
  const auto by_gpu = nics_of_gpus(host);
  const auto usable = usable_nics(host);
  for (int i = 0; i < count_of(seats); ++i) {
    auto& names = result[ix(i)].nics;
    const int g = seats[ix(i)].gpu;
    if (g >= 0 && g < count_of(host.gpus)) {
      for (const int n : by_gpu[ix(g)]) names.push_back(host.nics[ix(n)].name);
      continue;
    }
    const auto& numa = result[ix(i)].numa;
    for (const int n : usable)
      if (numa && host.nics[ix(n)].numa == numa) names.push_back(host.nics[ix(n)].name);
    if (names.empty())
      for (const int n : usable) names.push_back(host.nics[ix(n)].name);
  }
}

}  // namespace topolaunch::mapping
