// SPDX-License-Identifier: Apache-2.0
//
// splitmix64 (Steele, Lea, Flood 2014): the same numbers on every machine for a seed.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace topolaunch::mapping {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  /// 0 .. n-1; n > 0. The modulo's bias is below 2^-40 at these sizes.
  std::uint64_t below(std::uint64_t n) { return next() % n; }
  template <class T>
  void shuffle(std::vector<T>& v) {
    for (std::size_t i = v.size(); i > 1; --i) std::swap(v[i - 1], v[static_cast<std::size_t>(below(i))]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace topolaunch::mapping
