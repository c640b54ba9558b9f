// SPDX-License-Identifier: Apache-2.0
#include "topo/trust.h"

#include <gtest/gtest.h>

#include "topo/claims.h"

namespace topolaunch::topo {
namespace {

int rank(Field field, const char* source) { return trust_rank(field, {source, "", 0}); }

TEST(Trust, BelievesTheKernelOnPlacesAndTheDriverOnDevices) {
  EXPECT_LT(rank(Field::place, "hwloc"), rank(Field::place, "nvml"));
  EXPECT_LT(rank(Field::place, "nvml"), rank(Field::place, "nccl-xml"));
  EXPECT_LT(rank(Field::identity, "nvml"), rank(Field::identity, "hwloc"));
}

TEST(Trust, PutsANewSourceBetweenLiveOnesAndFiles) {
  EXPECT_LT(rank(Field::place, "nvml"), rank(Field::place, "brand-new"));
  EXPECT_LT(rank(Field::place, "brand-new"), rank(Field::place, "nccl-xml"));
}

TEST(Trust, TakesTheFirstOfEqualsAndHearsTheOther) {
  Claims<int> claims;
  claims.add(1, {"nccl-xml", "a.xml", 0});
  claims.add(2, {"nccl-xml", "b.xml", 0});
  EXPECT_EQ(claims.best(Field::place)->value, 1);
  EXPECT_EQ(claims.dissent(Field::place)->origin.file, "b.xml");
  claims.add(2, {"hwloc", "", 0});
  EXPECT_EQ(claims.best(Field::place)->value, 2);
  EXPECT_EQ(claims.dissent(Field::place)->origin.file, "a.xml");
}

TEST(Trust, HasNoBestOfNothing) {
  const Claims<int> claims;
  EXPECT_EQ(claims.best(Field::identity), nullptr);
  EXPECT_EQ(claims.dissent(Field::identity), nullptr);
  EXPECT_EQ(claims.value_or(Field::identity, 7), 7);
}

}  // namespace
}  // namespace topolaunch::topo
