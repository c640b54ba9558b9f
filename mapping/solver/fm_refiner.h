// SPDX-License-Identifier: Apache-2.0
//
// Fiduccia-Mattheyses refinement of a bisection: vertices move one at a time, best gain first, worse ones
// too; the best state passed on the way is kept. Sizes go to a range, [low, high] on side 0.
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/solver/comm_graph.h"

namespace topolaunch::mapping {

/// How many vertices (by weight) may be on side 0.
struct SizeRange {
  int low = 0, high = 0;
  int outside(int size) const { return size < low ? low - size : size > high ? size - high : 0; }
  int middle() const { return low + (high - low) / 2; }
};

class FmRefiner {
 public:
  /// `weight` by vertex, none above `heaviest`. States outside the range by less than the heaviest vertex are
  /// good enough, except where all vertices weigh 1: there sizes end inside.
  FmRefiner(const CommGraph& graph, const std::vector<int>& weight, int heaviest, SizeRange range);

  /// Improves `side` (0 or 1 by vertex).
  void run(std::vector<char>& side);

  Wide cut() const { return cut_; }
  int outside() const { return range_.outside(size0_); }

 private:
  struct Entry {
    std::int64_t gain;
    int vertex;
    bool operator<(const Entry& other) const {
      return gain != other.gain ? gain < other.gain : vertex > other.vertex;
    }
  };

  bool pass(std::vector<char>& side);
  void move(std::vector<char>& side, int vertex);
  int best_of(std::vector<char>& side, int from);
  int choose(std::vector<char>& side);
  void push(int side, int vertex);

  const CommGraph& graph_;
  const std::vector<int>& weight_;
  int heaviest_;
  SizeRange range_;
  int size0_ = 0;
  Wide cut_ = 0;
  std::vector<std::int64_t> gain_, around_;  ///< of a move; weight of all edges there
  std::vector<std::int64_t> queued_;         ///< the largest gain that its heap holds for a vertex
  std::vector<char> locked_;
  std::vector<Entry> heap_[2];
  std::vector<int> moved_;
};

}  // namespace topolaunch::mapping
