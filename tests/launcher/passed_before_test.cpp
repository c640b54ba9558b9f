// SPDX-License-Identifier: Apache-2.0
#include "launcher/passed_before.h"

#include <gtest/gtest.h>

#include "tests/launcher/example_host.h"
#include "tests/launcher/example_plan.h"

namespace topolaunch::launcher {
namespace {

const std::string kHash(64, 'a');

TEST(PassedBefore, RemembersWhatAPlacementMeasured) {
  const TemporaryWorld world;
  EXPECT_FALSE(passed_before(kHash, world.outside()));
  remember_pass(kHash, "run-1", example_measurement(), world.outside());
  const auto passed = passed_before(kHash, world.outside());
  ASSERT_TRUE(passed);
  EXPECT_EQ(passed->reference.busbw, 67e9);
  EXPECT_EQ(passed->reference.size, 64 << 20);
  EXPECT_EQ(passed->backend, "nccl 2.28.9");
  EXPECT_EQ(passed->boot_id, boot_id(world.files));
}

TEST(PassedBefore, TakesABrokenFileForNone) {
  const TemporaryWorld world;
  for (const char* const text : {"", "{", "[]", "{\"run\": 3}"}) {
    world.file("state/passed/" + kHash.substr(0, 32) + ".json", text);
    EXPECT_FALSE(passed_before(kHash, world.outside())) << text;
  }
}

TEST(PassedBefore, AHostThatHasBootedIsMeasuredAgain) {
  Plan plan = example_plan();
  const std::string here = pass_key(plan);
  plan.host_ids["box"] = "m/b1/n";
  const std::string first = pass_key(plan);
  EXPECT_NE(first, here);
  EXPECT_EQ(pass_key(plan), first);
  plan.host_ids["box"] = "m/b2/n";
  EXPECT_NE(pass_key(plan), first);
}

}  // namespace
}  // namespace topolaunch::launcher
