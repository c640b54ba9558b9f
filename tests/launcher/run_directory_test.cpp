// SPDX-License-Identifier: Apache-2.0
#include "launcher/run_directory.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "quota/uuid.h"
#include "tests/launcher/example_host.h"

namespace topolaunch::launcher {
namespace {

TEST(RunDirectory, IsTheUsersAloneAndKeepsWholeLines) {
  const TemporaryWorld world;
  const auto run = RunDirectory::create(world.environment, "id");
  ASSERT_TRUE(run) << run.error().text();
  struct stat info {};
  ASSERT_EQ(::stat(run->path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 077, 0U);
  ASSERT_TRUE(run->store("plan.json", "{}"));
  ASSERT_TRUE(run->event(1.5, "started", Json{{"pid", 7}}));
  ASSERT_TRUE(run->event(2.5, "ended", Json()));
  EXPECT_EQ(*world.files.read(run->path() + "/events.jsonl", 1000),
            "{\"time\":1.5,\"event\":\"started\",\"pid\":7}\n{\"time\":2.5,\"event\":\"ended\"}\n");
}

TEST(RunDirectory, SaysWhyItCouldNotBeMade) {
  TemporaryWorld world;
  world.environment.set("TOPOLAUNCH_STATE_DIR", world.file("a-file", ""));
  const auto run = RunDirectory::create(world.environment, "id");
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().next, testing::HasSubstr("TOPOLAUNCH_STATE_DIR"));
}

TEST(FindRun, TakesLastBeginningsAndFolders) {
  const TemporaryWorld world;
  const std::string a = quota::make_uuid_v7(1000);
  const std::string b = quota::make_uuid_v7(2000000);
  for (const std::string& id : {a, b}) {
    const auto run = RunDirectory::create(world.environment, id);
    ASSERT_TRUE(run->store("plan.json", "{}"));
  }
  const Outside outside = world.outside();
  EXPECT_THAT(*find_run("last", outside), testing::EndsWith(b));
  EXPECT_THAT(*find_run(a.substr(0, 12), outside), testing::EndsWith(a));
  EXPECT_THAT(*find_run(world.folder() + "/state/runs/" + a, outside), testing::EndsWith(a));
  EXPECT_EQ(find_run("ffff", outside).error().code, Code::invalid_input);
  EXPECT_THAT(find_run("0", outside).error().message, testing::HasSubstr("2 saved runs"));
}

TEST(ShortPath, WritesTheHomeAsATilde) {
  EXPECT_EQ(short_path("/h/u/x", {{"HOME", "/h/u"}}), "~/x");
  EXPECT_EQ(short_path("/h/user/x", {{"HOME", "/h/u"}}), "/h/user/x");
  EXPECT_EQ(short_path("/x", {}), "/x");
}

}  // namespace
}  // namespace topolaunch::launcher
