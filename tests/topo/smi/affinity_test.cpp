// SPDX-License-Identifier: Apache-2.0
#include "topo/smi/affinity.h"

#include <gtest/gtest.h>

namespace topolaunch::topo::smi {
namespace {

TEST(SmiAffinity, IsCpusNodeAndNodeOfTheMemory) {
  const auto place = read_affinity({"0-71", "0,2-17", "4"}, 3);
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(place->cpus.size(), 72);
  EXPECT_EQ(place->numa, 0);
  EXPECT_EQ(place->memory_numa, 4);
  EXPECT_FALSE(read_affinity({"0-71", "0-1"}, 2)->numa.has_value());
}

TEST(SmiAffinity, HasToFitItsHeadings) {
  EXPECT_FALSE(read_affinity({"0-7", "0"}, 3).has_value());
  EXPECT_TRUE(read_affinity({"0-7", "0"}, -1).has_value());
  EXPECT_FALSE(read_affinity({"0-7x", "0"}, 2).has_value());
}

TEST(SmiAffinity, MaySayNothing) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{}, {"N/A"}, {"N/A", "N/A"}}) {
    const auto place = read_affinity(words, 3);
    ASSERT_TRUE(place.has_value());
    EXPECT_TRUE(place->cpus.empty());
    EXPECT_FALSE(place->numa.has_value());
  }
}

}  // namespace
}  // namespace topolaunch::topo::smi
