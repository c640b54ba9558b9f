// SPDX-License-Identifier: Apache-2.0
//
// Data for checking a collective, and the exact result it has to give. The value of a rank at an
// index in an iteration is a small whole number, so that float32 and int32 sums over all ranks are
// exact whatever the order of additions, and the expected result costs no loop over ranks:
//
//   value(rank, index, iteration) = 1 + base(index, iteration) + turn(rank, index, iteration)
//
// base is the same on all ranks, spread over indices by a hash, and moved on by an odd step each
// iteration: a stale result of another iteration differs at every index (until base has gone all
// the way round, after `bases` iterations). turn is a permutation of 0..turns-1 over each block of
// `turns` ranks: counting a rank twice and another not at all differs at every index whose two
// turns differ. Bytes moved to another place differ by the hash. No value is zero, so a result
// that misses the ranks of others is never right.
//
// (All elements equal to the rank's number, as some tests do it, hides a mix-up of shards.)
#pragma once

#include <cstdint>

#include "kernels/execution.h"

namespace topolaunch::kernels {

enum class ElementType : std::uint32_t { float32, int32 };
enum class Reduction : std::uint32_t { sum, minimum, maximum };

/// What data: the same on all ranks. Make it with make_pattern().
struct Pattern {
  std::uint32_t ranks = 1;
  std::uint32_t turns = 1;  ///< at most ranks
  std::uint32_t bases = 1;  ///< a power of two
  std::uint32_t iteration = 0;
};

/// Sums stay below this: whole numbers up to here are exact in float32 (24 bits of significand).
inline constexpr std::uint32_t kLargestExact = 1U << 24;
/// More ranks leave too few distinct values.
inline constexpr std::uint32_t kMostRanks = 1U << 18;

/// The pattern of an iteration over 1..kMostRanks ranks: the most distinct values that stay exact.
constexpr Pattern make_pattern(std::uint32_t ranks, std::uint32_t iteration) {
  const std::uint32_t room = kLargestExact / ranks - 1;  // largest value of one rank, less the 1
  const std::uint32_t turns = ranks < room / 2 ? ranks : room / 2;
  std::uint32_t bases = 1;
  while (bases * 2 <= room - turns) bases *= 2;
  return {ranks, turns, bases, iteration};
}

/// A 64-bit index to 32 well-mixed bits (the finaliser of MurmurHash3, public domain).
TOPOLAUNCH_BOTH_SIDES constexpr std::uint32_t mixed(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  x ^= x >> 33;
  return static_cast<std::uint32_t>(x);
}

TOPOLAUNCH_BOTH_SIDES constexpr std::uint32_t base_at(const Pattern& p, std::uint64_t index) {
  return (mixed(index) + p.iteration * 0x9e3779b1U) & (p.bases - 1);
}

/// Where in its block rank 0 stands at `index`.
TOPOLAUNCH_BOTH_SIDES constexpr std::uint32_t offset_at(const Pattern& p, std::uint64_t index) {
  return mixed(index + 0x5851f42d4c957f2dULL) % p.turns;
}

/// What rank `rank` contributes at `index`.
TOPOLAUNCH_BOTH_SIDES constexpr std::uint32_t value_at(const Pattern& p, std::uint32_t rank,
                                                       std::uint64_t index) {
  // Each block of `turns` ranks stands one further, so that equal places in two blocks differ.
  const std::uint64_t place = std::uint64_t{rank} + rank / p.turns + offset_at(p, index);
  return 1 + base_at(p, index) + static_cast<std::uint32_t>(place % p.turns);
}

/// The sum over all ranks at `index`.
TOPOLAUNCH_BOTH_SIDES constexpr std::uint32_t sum_at(const Pattern& p, std::uint64_t index) {
  const std::uint32_t blocks = p.ranks / p.turns, rest = p.ranks % p.turns;
  std::uint64_t sum = std::uint64_t{p.ranks} * (1 + base_at(p, index));
  sum += std::uint64_t{blocks} * p.turns * (p.turns - 1) / 2;
  // The ranks of a last, partial block take the turns start, start+1, ... going round once at most.
  const std::uint64_t start = (blocks + offset_at(p, index)) % p.turns;
  const std::uint64_t straight = start + rest <= p.turns ? rest : p.turns - start;
  const std::uint64_t around = rest - straight;
  sum += straight * start + straight * (straight - (straight > 0 ? 1 : 0)) / 2;
  sum += around * (around - (around > 0 ? 1 : 0)) / 2;
  return static_cast<std::uint32_t>(sum);
}

/// What the elements of a result have to be: reduced over all ranks, or what one rank contributed;
/// the first of them stands at index `first`. A Reduction alone is the whole result of it.
struct Expected {
  // Implicit on purpose: most results are whole reductions.
  constexpr Expected(Reduction by, std::uint64_t first_index = 0)  // NOLINT
      : reduction(by), first(first_index) {}
  static constexpr Expected of_rank(std::uint32_t rank, std::uint64_t first_index = 0) {
    Expected e(Reduction::sum, first_index);
    e.reduced = false;
    e.rank = rank;
    return e;
  }
  bool reduced = true;
  Reduction reduction;
  std::uint32_t rank = 0;  ///< where not reduced
  std::uint64_t first;
};

/// The result of the reduction over all ranks at `index`.
TOPOLAUNCH_BOTH_SIDES constexpr std::uint32_t expected_at(const Pattern& p, Reduction reduction,
                                                          std::uint64_t index) {
  if (reduction == Reduction::sum) return sum_at(p, index);
  // There is at least one full block, which holds every turn.
  const std::uint32_t least = 1 + base_at(p, index);
  return reduction == Reduction::minimum ? least : least + p.turns - 1;
}

/// What element number `i` of a result has to be.
TOPOLAUNCH_BOTH_SIDES constexpr std::uint32_t right_at(const Pattern& p, const Expected& e,
                                                       std::uint64_t i) {
  return e.reduced ? expected_at(p, e.reduction, e.first + i) : value_at(p, e.rank, e.first + i);
}

}  // namespace topolaunch::kernels
