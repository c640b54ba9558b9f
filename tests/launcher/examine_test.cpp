// SPDX-License-Identifier: Apache-2.0
#include "launcher/examine.h"

#include <gtest/gtest.h>

namespace topolaunch::launcher {
namespace {

TEST(LimitFindings, TellsAContainersSmallSharedMemory) {
  const auto small = limit_findings(64 << 20, -1, true, false);
  ASSERT_EQ(small.size(), 1U);
  EXPECT_EQ(small[0].state, Finding::State::note);
  EXPECT_NE(small[0].next.find("--shm-size"), std::string::npos);
  EXPECT_EQ(limit_findings(8e9, -1, true, false)[0].state, Finding::State::ok);
  EXPECT_TRUE(limit_findings(-1, -1, true, true).empty());
}

TEST(LimitFindings, LooksAtLockedMemoryWhereRdmaNeedsIt) {
  EXPECT_EQ(limit_findings(8e9, 65536, true, true).back().name, "locked memory");
  EXPECT_EQ(limit_findings(8e9, 65536, true, false).size(), 1U);
}

}  // namespace
}  // namespace topolaunch::launcher
