// SPDX-License-Identifier: Apache-2.0
#include "launcher/manifest.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/launcher/example_host.h"
#include "tests/launcher/example_plan.h"

namespace topolaunch::launcher {
namespace {

TEST(Manifest, HoldsNamesOfVariablesAndNeverValues) {
  TemporaryWorld world;
  world.environment.set("AWS_SECRET_ACCESS_KEY", "hunter2");
  Story story;
  story.plan = example_plan();
  story.topology.hosts = {example_host(2)};
  const Json json = manifest_json(story, world.outside());
  EXPECT_EQ(to_line(json).find("hunter2"), std::string::npos);
  EXPECT_THAT(json["environment_names"].get<std::vector<std::string>>(),
              testing::Contains("AWS_SECRET_ACCESS_KEY"));
  EXPECT_EQ(json["schema"], "topolaunch.manifest/1");
  EXPECT_EQ(json["where"]["gpus"].size(), 2U);
}

TEST(PlacementHash, ChangesWithWhereRanksRunAlone) {
  Plan a = example_plan();
  Plan b = example_plan();
  b.id = "another";
  b.command = {"x"};
  EXPECT_EQ(placement_hash(a), placement_hash(b));
  std::swap(b.ranks[0].gpu_uuid, b.ranks[1].gpu_uuid);
  EXPECT_NE(placement_hash(a), placement_hash(b));
}

TEST(GitCommit, IsFoundFromBelowAndThroughRefs) {
  const TemporaryWorld world;
  world.file("repo/.git/HEAD", "ref: refs/heads/main\n");
  world.file("repo/.git/refs/heads/main", "abc123\n");
  world.file("repo/deep/er/x", "");
  EXPECT_EQ(git_commit(world.folder() + "/repo/deep/er", world.files), "abc123");
  world.file("repo/.git/HEAD", "def456\n");
  EXPECT_EQ(git_commit(world.folder() + "/repo", world.files), "def456");
  EXPECT_EQ(git_commit("/", world.files), "");
}

}  // namespace
}  // namespace topolaunch::launcher
