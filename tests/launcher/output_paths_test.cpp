// SPDX-License-Identifier: Apache-2.0
#include "launcher/output_paths.h"

#include <gmock/gmock.h>

#include "tests/launcher/example_host.h"

namespace topolaunch::launcher {
namespace {

Status check(const std::string& summary, const std::string& log_directory) {
  RunOptions options;
  options.summary = summary;
  options.log_directory = log_directory;
  return check_output_paths(options);
}

TEST(OutputPaths, AreGoodWhereFilesCanBeMadeAndNothingIsLeftThere) {
  const TemporaryWorld world;
  const std::string old = world.file("old.json", "kept");
  EXPECT_TRUE(check({}, {}));
  EXPECT_TRUE(check(world.folder() + "/new.json", world.folder() + "/a/b"));
  EXPECT_TRUE(check(old, world.folder()));
  EXPECT_TRUE(check("/dev/null", {})) << "a device is written into";
  EXPECT_EQ(world.files.read(old, 100).value_or(""), "kept");
  EXPECT_THAT(*world.files.list(world.folder()), testing::ElementsAre("old.json"));
}

TEST(OutputPaths, ThatCannotBeWrittenAreConfigurationAndNameTheOption) {
  const TemporaryWorld world;
  const std::string plain = world.file("plain", "");
  const auto said = [](const Status& status) {
    EXPECT_FALSE(status);
    EXPECT_EQ(status.error().code, Code::configuration);
    return status.error().text();
  };
  EXPECT_THAT(said(check(world.folder(), {})),
              testing::HasSubstr("--summary can't be written: Is a"));
  EXPECT_THAT(said(check("/proc/x.json", {})), testing::HasSubstr("choose another --summary"));
  EXPECT_THAT(said(check(world.folder() + "/no/x.json", {})), testing::HasSubstr("No such file"));
  EXPECT_THAT(said(check({}, plain + "/logs")), testing::HasSubstr("Not a directory"));
  EXPECT_THAT(said(check({}, "/proc/x/y")), testing::HasSubstr("choose another --log-dir"));
}

}  // namespace
}  // namespace topolaunch::launcher
