// SPDX-License-Identifier: Apache-2.0
#include "kernels/pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "kernels/pattern_host.h"
#include "kernels/reference_allreduce.h"

namespace topolaunch::kernels {
namespace {

constexpr std::uint32_t kRanks[] = {1, 2, 3, 5, 8, 64, 1000, 2897, 5000, 16384};

template <class T>
std::vector<T> right_result(const Pattern& p, Reduction reduction, std::size_t count) {
  std::vector<std::vector<T>> inputs(p.ranks, std::vector<T>(count));
  std::vector<std::span<const T>> views;
  for (std::uint32_t rank = 0; rank < p.ranks; ++rank) {
    fill_host(p, rank, std::span<T>(inputs[rank]));
    views.emplace_back(inputs[rank]);
  }
  return reference_allreduce<T>(reduction, views);
}

template <class T>
std::int64_t wrong(const Pattern& p, Reduction reduction, const std::vector<T>& result) {
  return count_wrong_host<T>(p, reduction, std::span<const T>(result));
}

TEST(Pattern, ClosedFormsEqualTheReductionDoneOneByOne) {
  for (const std::uint32_t ranks : kRanks) {
    for (const std::uint32_t iteration : {0U, 1U, 77U}) {
      const Pattern p = make_pattern(ranks, iteration);
      for (std::uint64_t index = 0; index < 40; ++index) {
        std::uint64_t sum = 0;
        std::uint32_t least = ~0U, most = 0;
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
          const std::uint32_t v = value_at(p, rank, index);
          sum += v;
          least = std::min(least, v);
          most = std::max(most, v);
        }
        ASSERT_EQ(sum_at(p, index), sum) << ranks << " ranks, index " << index;
        ASSERT_EQ(expected_at(p, Reduction::minimum, index), least);
        ASSERT_EQ(expected_at(p, Reduction::maximum, index), most);
        ASSERT_LE(sum, kLargestExact);
        ASSERT_GE(least, 1U);
      }
    }
  }
}

TEST(Pattern, FloatSumsAreExactInAnyOrder) {
  const Pattern p = make_pattern(64, 3);
  std::vector<std::uint32_t> order(64);
  std::mt19937 random(1);
  for (std::uint32_t i = 0; i < 64; ++i) order[i] = i;
  for (std::uint64_t index = 0; index < 200; ++index) {
    std::shuffle(order.begin(), order.end(), random);
    float sum = 0;
    for (const std::uint32_t rank : order) sum += static_cast<float>(value_at(p, rank, index));
    ASSERT_EQ(sum, static_cast<float>(sum_at(p, index)));
  }
}

TEST(Pattern, ARightResultHasNoWrongElement) {
  for (const Reduction r : {Reduction::sum, Reduction::minimum, Reduction::maximum}) {
    const Pattern p = make_pattern(7, 5);
    EXPECT_EQ(wrong(p, r, right_result<float>(p, r, 1025)), 0);
    EXPECT_EQ(wrong(p, r, right_result<std::int32_t>(p, r, 1025)), 0);
  }
}

TEST(Pattern, EverySingleWrongElementIsCaughtAtEveryBit) {
  const Pattern p = make_pattern(4, 9);
  const auto right = right_result<std::int32_t>(p, Reduction::sum, 257);
  for (std::size_t i = 0; i < right.size(); ++i) {
    for (int bit = 0; bit < 32; ++bit) {
      auto flipped = right;
      flipped[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(flipped[i]) ^ (1U << bit));
      ASSERT_EQ(wrong(p, Reduction::sum, flipped), 1) << "element " << i << " bit " << bit;
    }
  }
}

TEST(Pattern, NanAndUntouchedMemoryAreWrong) {
  const Pattern p = make_pattern(2, 0);
  std::vector<float> nans(10, std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(wrong(p, Reduction::sum, nans), 10);
  EXPECT_EQ(wrong(p, Reduction::sum, std::vector<std::int32_t>(10, -1)), 10);
  EXPECT_EQ(wrong(p, Reduction::sum, std::vector<float>(10, 0)), 10);
}

TEST(Pattern, ARankCountedTwiceInPlaceOfAnotherIsCaughtAtEveryIndex) {
  for (const std::uint32_t ranks : {2U, 3U, 8U, 64U}) {
    const Pattern p = make_pattern(ranks, 2);
    for (std::uint32_t twice = 0; twice < ranks; ++twice) {
      const std::uint32_t lost = (twice + 1) % ranks;
      for (std::uint64_t index = 0; index < 500; ++index) {
        ASSERT_NE(value_at(p, twice, index), value_at(p, lost, index));
      }
    }
  }
}

TEST(Pattern, ReductionThatNeverHappenedIsCaught) {
  for (const std::uint32_t ranks : {2U, 3U, 8U}) {
    const Pattern p = make_pattern(ranks, 4);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      std::vector<float> own(1000);
      fill_host(p, rank, std::span<float>(own));
      EXPECT_EQ(wrong(p, Reduction::sum, own), 1000);
    }
  }
}

TEST(Pattern, TheResultOfAnotherIterationIsWrongEverywhere) {
  for (const std::uint32_t ranks : {2U, 8U, 1000U}) {
    const auto stale = right_result<float>(make_pattern(ranks, 10), Reduction::sum, 300);
    for (const std::uint32_t now : {11U, 12U, 17U, 9U, 0U}) {
      EXPECT_EQ(wrong(make_pattern(ranks, now), Reduction::sum, stale), 300);
    }
  }
}

TEST(Pattern, ShardsInEachOthersPlacesAreCaught) {
  // The mix-up that constant data per rank can't show: two halves of the result swapped.
  const Pattern p = make_pattern(2, 0);
  const auto right = right_result<float>(p, Reduction::sum, 4096);
  for (const std::size_t shift : {1U, 2U, 16U, 1024U, 2048U}) {
    auto rotated = right;
    std::rotate(rotated.begin(), rotated.begin() + static_cast<std::ptrdiff_t>(shift), rotated.end());
    EXPECT_GT(wrong(p, Reduction::sum, rotated), 4090) << "shift " << shift;
  }
}

TEST(Pattern, ChecksFromAnyFirstIndex) {
  const Pattern p = make_pattern(3, 1);
  const auto all = right_result<float>(p, Reduction::sum, 100);
  EXPECT_EQ(count_wrong_host(p, Expected(Reduction::sum, 40), std::span<const float>(all).subspan(40)), 0);
  EXPECT_GT(count_wrong_host(p, Expected(Reduction::sum, 41), std::span<const float>(all).subspan(40)), 0);
}

TEST(Pattern, WhatOneRankContributedIsTakenForNoOthersAndNoOtherPlace) {
  const Pattern p = make_pattern(4, 3);
  std::vector<float> part(300);
  fill_host(p, 2, std::span<float>(part), 600);
  const std::span<const float> given(part);
  EXPECT_EQ(count_wrong_host(p, Expected::of_rank(2, 600), given), 0);
  EXPECT_EQ(count_wrong_host(p, Expected::of_rank(1, 600), given), 300);
  EXPECT_GT(count_wrong_host(p, Expected::of_rank(2, 300), given), 290);
}

}  // namespace
}  // namespace topolaunch::kernels
