// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/host_cache.h"

#include <gtest/gtest.h>

#include "launcher/hosts/host_entry.h"
#include "tests/launcher/hosts/example_agent.h"

namespace topolaunch::launcher {
namespace {

TEST(HostCache, RemembersUntilForgotten) {
  const TemporaryWorld world;
  EXPECT_FALSE(remembered_host("h1", world.outside()));
  const HostFacts facts = example_facts("h1");
  remember_host("h1", facts, world.outside());
  const auto again = remembered_host("h1", world.outside());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->id, facts.id);
  HostFacts older = facts;
  older.version = "0.0.0";
  remember_host("h2", older, world.outside());
  EXPECT_FALSE(remembered_host("h2", world.outside())) << "of another version";
  forget_host("h1", world.environment);
  EXPECT_FALSE(remembered_host("h1", world.outside()));
  EXPECT_FALSE(remembered_host("../h1", world.outside())) << "no name of a file";
}

}  // namespace
}  // namespace topolaunch::launcher
