// SPDX-License-Identifier: Apache-2.0
//
// What every pair of ranks reached: rows send, columns receive. Four measurements, each with the
// question that it answers:
//   one_way     what does this path give when nothing else is on its way?
//   both_ways   and when the same two exchange in both directions? (of the direction row -> column)
//   concurrent  and when everybody is busy with a partner? Shared links show here, and here only.
//   latency     half of a round trip of a few bytes
// `local` is each rank copying its own memory by itself: a slow host shows there, a slow link not.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"

namespace topolaunch::bench {

/// Values by row and column; NaN where nothing was measured.
class Matrix {
 public:
  Matrix() = default;
  explicit Matrix(std::size_t size);
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  double& at(std::size_t row, std::size_t column) { return values_[row * size_ + column]; }
  double at(std::size_t row, std::size_t column) const { return values_[row * size_ + column]; }
  /// Whether anything was measured there.
  bool has(std::size_t row, std::size_t column) const;

 private:
  std::size_t size_ = 0;
  std::vector<double> values_;
};

struct PairMatrix {
  std::vector<int> ranks;                 ///< of rows and columns
  std::int64_t bytes = 0;                 ///< of a message, but for latency
  Matrix one_way, both_ways, concurrent;  ///< bytes/s; empty = not measured
  Matrix latency;                         ///< seconds
  std::vector<double> local;              ///< bytes/s; empty = not measured
  /// Of the time of that copying in which no other process had the CPU, the share in which a CPU
  /// quota held the rank back; -1 = not known.
  std::vector<double> held_back;
  std::int64_t wrong = -1;                ///< elements; -1 = not checked
};

/// Rounds in which everybody has a partner (all but one where `size` is odd) and each pair meets
/// once. Where the size is a power of two partners differ by one pattern of bits, so that hosts
/// under leaves of equal sizes load all leaves alike.
std::vector<std::vector<std::pair<std::size_t, std::size_t>>> rounds_of_pairs(std::size_t size);

Json to_json(const PairMatrix& pairs);
Result<PairMatrix> pairs_from_json(const Json& json, const std::string& file);

}  // namespace topolaunch::bench
