// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/host_entry.h"

#include <gtest/gtest.h>

namespace topolaunch::launcher {
namespace {

TEST(HostEntry, IsAFileOfTheStateFolderForNamesThatCanBeOne) {
  const Environment environment{{"TOPOLAUNCH_STATE_DIR", "/state"}};
  EXPECT_EQ(host_entry("h1.cluster", environment), "/state/hosts/h1.cluster.json");
  EXPECT_EQ(host_entry("2001:db8::7", environment), "/state/hosts/2001:db8::7.json");
  for (const std::string& name : {std::string(), std::string("../h1"), std::string(300, 'a')}) {
    EXPECT_FALSE(host_entry(name, environment)) << name;
  }
}

}  // namespace
}  // namespace topolaunch::launcher
