// SPDX-License-Identifier: Apache-2.0
#include "bench/device/host.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace topolaunch::bench {
namespace {

TEST(HostDevice, CountsWhatItFilledAsRightAndPoisonAsWrong) {
  HostDevice host("0-3");
  for (const auto type : {kernels::ElementType::float32, kernels::ElementType::int32}) {
    const auto p = kernels::make_pattern(1, 3);
    auto memory = DeviceBuffer::allocate(host, 400);
    ASSERT_TRUE(memory);
    ASSERT_TRUE(host.fill(p, 0, type, memory->data(), 100, 0));
    EXPECT_EQ(*host.count_wrong(p, kernels::Reduction::sum, type, memory->data(), 100), 0);
    ASSERT_TRUE(host.poison(memory->data(), 400));
    EXPECT_EQ(*host.count_wrong(p, kernels::Reduction::sum, type, memory->data(), 100), 100);
  }
}

TEST(HostDevice, GivesAlignedMemoryAndNothingIsAnAnswerToo) {
  HostDevice host;
  auto none = DeviceBuffer::allocate(host, 0);
  ASSERT_TRUE(none);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(none->data()) % 4096, 0u);
}

TEST(HostDevice, SaysWhatItIs) {
  EXPECT_EQ(HostDevice("0-3").info(), "CPUs 0-3");
  EXPECT_EQ(HostDevice().address(), "cpu");
  EXPECT_EQ(HostDevice().index(), -1);
}

}  // namespace
}  // namespace topolaunch::bench
