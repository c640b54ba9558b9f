// SPDX-License-Identifier: Apache-2.0
#include "launcher/state_directory.h"

#include <gtest/gtest.h>

namespace topolaunch::launcher {
namespace {

TEST(StateDirectory, FollowsTheContractsOrder) {
  EXPECT_EQ(*state_directory({{"TOPOLAUNCH_STATE_DIR", "/s"}, {"HOME", "/h"}}), "/s");
  EXPECT_EQ(*state_directory({{"XDG_STATE_HOME", "/x"}, {"HOME", "/h"}}), "/x/topolaunch");
  EXPECT_EQ(*state_directory({{"XDG_STATE_HOME", "relative"}, {"HOME", "/h"}}),
            "/h/.local/state/topolaunch");
  EXPECT_EQ(state_directory({}).error().code, Code::configuration);
  EXPECT_EQ(state_directory({{"TOPOLAUNCH_STATE_DIR", "here"}}).error().code, Code::configuration);
}

}  // namespace
}  // namespace topolaunch::launcher
