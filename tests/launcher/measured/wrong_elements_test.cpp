// SPDX-License-Identifier: Apache-2.0
#include "launcher/measured/wrong_elements.h"

#include <gtest/gtest.h>

namespace topolaunch::launcher {
namespace {

bench::Measurement wrong(std::vector<std::int64_t> by_rank) {
  bench::Measurement m;
  for (int rank = 0; rank < 8; ++rank) {
    bench::Device device;
    device.rank = rank;
    device.host = "h" + std::to_string(rank / 2);
    m.devices.push_back(device);
  }
  m.results.resize(2);
  m.results[0].size = 1024;
  m.results[1].size = 1 << 20;
  m.results[1].in_place.wrong = 3;
  m.wrong = 3;
  m.wrong_by_rank = std::move(by_rank);
  return m;
}

TEST(WrongElements, SizeAndRankAreNamed) {
  const Check check = wrong_elements_check(wrong({0, 0, 0, 3, 0, 0, 0, 0}));
  EXPECT_EQ(check.verdict, Outcome::fail);
  EXPECT_EQ(check.measured, "3 wrong elements");
  EXPECT_EQ(check.suspect, "3 wrong at 1 MiB, in place; only on rank 3 of h1");
}

TEST(WrongElements, ManyRanksAreCounted) {
  EXPECT_EQ(wrong_elements_check(wrong({1, 0, 1, 0, 0, 0, 0, 1})).suspect,
            "3 wrong at 1 MiB, in place; only on rank 0 of h0, rank 2 of h1, rank 7 of h3");
  EXPECT_EQ(wrong_elements_check(wrong({1, 1, 1, 1, 1, 0, 0, 0})).suspect,
            "3 wrong at 1 MiB, in place; on 5 of 8 ranks");
  EXPECT_EQ(wrong_elements_check(wrong({1, 1, 1, 1, 1, 1, 1, 1})).suspect,
            "3 wrong at 1 MiB, in place; on all ranks");
  EXPECT_EQ(wrong_elements_check(wrong({})).suspect, "3 wrong at 1 MiB, in place");
}

TEST(WrongElements, EverySizeIsNamedOrCounted) {
  bench::Measurement m = wrong({});
  m.results[0].out_of_place.wrong = 2;
  EXPECT_EQ(wrong_elements_check(m).suspect,
            "2 wrong at 1 KiB, out of place; 3 wrong at 1 MiB, in place");
  m.results.insert(m.results.end(), 4, m.results[1]);
  EXPECT_EQ(
      wrong_elements_check(m).suspect,
      "2 wrong at 1 KiB, out of place; 3 wrong at 1 MiB, in place; 3 wrong at 1 MiB, in place; "
      "3 wrong at 1 MiB, in place; 2 more such sizes");
}

TEST(WrongElements, NoneAndNotCheckedAreDifferent) {
  bench::Measurement m;
  EXPECT_EQ(wrong_elements_check(m).verdict, Outcome::pass);
  m.wrong = -1;
  EXPECT_EQ(wrong_elements_check(m).verdict, Outcome::could_not_test);
  EXPECT_EQ(wrong_elements_check(m).suspect, "it ended before the first size");
  m.results.resize(1);
  EXPECT_EQ(wrong_elements_check(m).verdict, Outcome::could_not_test);
  EXPECT_EQ(wrong_elements_check(m).suspect, "the benchmark ran with checks off");
}

}  // namespace
}  // namespace topolaunch::launcher
