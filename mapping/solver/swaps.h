// SPDX-License-Identifier: Apache-2.0
//
// Swap refinement on a tree: two vertices change places when J falls. A vertex looks at the innermost
// blocks where its neighbours sit; the gain of a swap is found in O(degree x levels). Work is counted, not
// timed, so the result depends on the seed and the budget only.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "mapping/random.h"
#include "mapping/solver/place_tree.h"
#include "mapping/watch.h"

namespace topolaunch::mapping {

class Swaps {
 public:
  /// `place` by vertex, a bijection. `fixed` vertices never move (empty = none). Places of different `kind`
  /// are not swapped (empty = all alike).
  Swaps(const CommGraph& graph, const PlaceTree& tree, std::vector<int> place, std::vector<char> fixed = {},
        std::vector<int> kind = {});

  /// Who may end a search early; it keeps the best so far.
  void watch(const Watch* watch) { watch_ = watch; }

  /// To a local minimum, or until `budget` swap evaluations are spent. Returns evaluations left.
  std::int64_t descend(std::int64_t budget);
  /// Iterated: a few random swaps, then descent around them; kept when J is not worse.
  std::int64_t iterate(std::int64_t budget, Random& random);

  Wide hop_bytes() const { return cost_; }
  const std::vector<int>& place() const { return place_; }
  /// Change of J if a and b swapped; negative is better. For tests: equals full evaluation.
  Wide delta(int a, int b) const;

 private:
  Wide cost_at(int vertex, int place) const;
  std::int64_t distance(std::uint64_t a, std::uint64_t b) const { return distance_[ix_of(a ^ b)]; }
  static std::size_t ix_of(std::uint64_t difference) { return static_cast<std::size_t>(std::bit_width(difference)); }
  void make_codes();
  void swap(int a, int b);
  bool improve(int vertex, std::int64_t& budget);
  void enqueue(int vertex);
  void enqueue_around(int vertex);
  std::int64_t drain(std::int64_t budget);

  const CommGraph& graph_;
  const PlaceTree& tree_;
  std::vector<int> place_, vertex_;            ///< each other's inverse
  /// The path of blocks to a place, outermost in the highest bits: the highest bit in which two paths differ
  /// says how far apart they are.
  std::vector<std::uint64_t> code_, code_of_;  ///< by place, by vertex
  std::array<std::int64_t, 65> distance_{};    ///< by the number of bits that differ
  std::vector<char> fixed_;
  std::vector<int> kind_;
  std::vector<std::vector<int>> inner_;        ///< places of each innermost block
  std::vector<int> queue_;
  std::vector<char> queued_;
  std::vector<int> seen_;                      ///< stamp by innermost block
  int stamp_ = 0;
  std::vector<std::pair<int, int>> log_;       ///< swaps since the last keep
  bool logging_ = false;
  Wide cost_ = 0;
  const Watch* watch_ = nullptr;
  bool narrow_ = false;                        ///< all sums fit 64 bits
};

}  // namespace topolaunch::mapping
