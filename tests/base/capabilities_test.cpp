// SPDX-License-Identifier: Apache-2.0
#include "base/capabilities.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace topolaunch {
namespace {

TEST(Capabilities, NameEveryOptionalPartOnce) {
  for (const std::string_view name : {"topobench", "mpi", "cuda", "nccl"}) {
    EXPECT_EQ(std::ranges::count(capabilities(), name, &Capability::name), 1) << name;
  }
}

TEST(Capabilities, AnAbsentPartSaysWhy) {
  for (const Capability& capability : capabilities()) {
    EXPECT_TRUE(capability.present || !capability.detail.empty()) << capability.name;
  }
}

TEST(Capabilities, NcclNeedsCuda) {
  const auto present = [](std::string_view name) {
    return std::ranges::find(capabilities(), name, &Capability::name)->present;
  };
  EXPECT_TRUE(!present("nccl") || present("cuda"));
  EXPECT_TRUE(!present("topobench") || present("mpi"));
}

TEST(Capabilities, TheBuildNamesItself) {
  EXPECT_EQ(std::ranges::count(build_version(), '.'), 2);
  EXPECT_FALSE(build_compiler().empty());
}

}  // namespace
}  // namespace topolaunch
