// SPDX-License-Identifier: Apache-2.0
#include "mapping/solver/host_clusters.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "mapping/index.h"

namespace topolaunch::mapping {
namespace {

class Halving {
 public:
  explicit Halving(const topo::Topology& topology)
      : distances_(topology.fabric.host_distances), hosts_(topology.hosts.size()) {}

  /// By depth, the whole first: the block of each host.
  std::vector<std::vector<int>> run() {
    std::vector<int> all(hosts_);
    std::iota(all.begin(), all.end(), 0);
    std::vector<std::vector<int>> blocks = {all}, by_depth;
    while (std::ranges::any_of(blocks, [](const auto& block) { return block.size() > 1; })) {
      std::vector<std::vector<int>> next;
      for (auto& block : blocks) halve(std::move(block), next);
      blocks = std::move(next);
      auto& block_of = by_depth.emplace_back(hosts_, 0);
      for (int b = 0; b < count_of(blocks); ++b)
        for (const int h : blocks[ix(b)]) block_of[ix(h)] = b;
    }
    return by_depth;
  }

 private:
  double distance(int a, int b) const { return distances_[ix(a) * hosts_ + ix(b)]; }

  int farthest_from(int host, const std::vector<int>& block) const {
    return *std::ranges::max_element(block, {}, [&](int h) { return distance(host, h); });
  }

  /// Two ends that are far apart; each half is who is nearer to one of them.
  void halve(std::vector<int> block, std::vector<std::vector<int>>& into) const {
    if (block.size() < 2) return into.push_back(std::move(block));
    const int one = farthest_from(block.front(), block), other = farthest_from(one, block);
    std::ranges::stable_sort(block, {},
                             [&](int h) { return distance(one, h) - distance(other, h); });
    const auto middle = block.begin() + static_cast<std::ptrdiff_t>((block.size() + 1) / 2);
    std::vector<int> near(block.begin(), middle), far(middle, block.end());
    // In the given order otherwise.
    std::ranges::sort(near);
    std::ranges::sort(far);
    if (near.front() > far.front()) std::swap(near, far);
    into.push_back(std::move(near));
    into.push_back(std::move(far));
  }

  const std::vector<double>& distances_;
  std::size_t hosts_;
};

}  // namespace

Levels clusters_by_distance(const topo::Topology& topology) {
  auto by_depth = Halving(topology).run();
  if (by_depth.empty()) by_depth.emplace_back(topology.hosts.size(), 0);
  Levels levels;
  auto& own = levels.levels.emplace_back();
  own.name = "host";
  own.block.resize(topology.hosts.size());
  std::iota(own.block.begin(), own.block.end(), 0);
  // The deepest halves are the hosts themselves.
  for (std::size_t depth = by_depth.size() - 1; depth-- > 0;) {
    auto& level = levels.levels.emplace_back();
    level.name = "half";
    level.block = std::move(by_depth[depth]);
  }
  for (auto& level : levels.levels) {
    level.blocks = *std::ranges::max_element(level.block) + 1;
    level.uplink.resize(ix(level.blocks));
  }
  return levels;
}

}  // namespace topolaunch::mapping
