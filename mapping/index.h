// SPDX-License-Identifier: Apache-2.0
//
// Ranks, seats and hosts are ints (they are numbers that people read); containers want size_t.
// ix() is the one conversion between the two; a negative index is a bug and fails there.
#pragma once

#include <cstddef>
#include <stdexcept>

namespace topolaunch::mapping {

constexpr std::size_t ix(int i) {
  if (i < 0) throw std::logic_error("negative index");
  return static_cast<std::size_t>(i);
}

/// Size of a container as int; containers here hold at most a few million entries.
template <class Container>
constexpr int count_of(const Container& c) {
  return static_cast<int>(c.size());
}

}  // namespace topolaunch::mapping
