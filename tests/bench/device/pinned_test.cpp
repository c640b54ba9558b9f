// SPDX-License-Identifier: Apache-2.0
#include "bench/device/pinned.h"

#include <gtest/gtest.h>

#include <cstring>

namespace topolaunch::bench {
namespace {

TEST(PinnedMemory, IsMemoryWithAndWithoutADriverAndSaysWhich) {
  auto memory = PinnedMemory::allocate(4096);
  ASSERT_TRUE(memory);
  std::memset(memory->data(), 0x5a, 4096);
  EXPECT_EQ(memory->pinned(), memory->why_not().empty());
  PinnedMemory moved = std::move(*memory);
  EXPECT_EQ(static_cast<const unsigned char*>(moved.data())[4095], 0x5a);
}

}  // namespace
}  // namespace topolaunch::bench
