// SPDX-License-Identifier: Apache-2.0
#include "launcher/settings.h"

#include <gmock/gmock.h>

#include "tests/launcher/example_host.h"

namespace topolaunch::launcher {
namespace {

using testing::HasSubstr;

class SettingsFiles : public testing::Test {
 protected:
  void site(const std::string& text) {
    if (std::filesystem::exists("/etc/topolaunch/config.toml")) {
      GTEST_SKIP() << "this machine has a site file, which comes before the test's";
    }
    world_.environment.set("TOPOLAUNCH_SITE_CONFIG", world_.file("site.toml", text));
  }
  void user(const std::string& text) { world_.file("config/topolaunch/config.toml", text); }
  Result<Settings> load() { return load_settings(world_.outside()); }

  TemporaryWorld world_;
};

TEST_F(SettingsFiles, AreNoneWithoutFilesAndVariables) {
  const auto settings = load();
  ASSERT_TRUE(settings) << settings.error().text();
  EXPECT_EQ(settings->find("engine"), nullptr);
}

TEST_F(SettingsFiles, VariableBeatsUserBeatsSite) {
  site("engine = \"local\"\ngrace = \"3s\"\nvalidate = \"off\"\n");
  user("engine = \"mpirun\"\ngrace = \"5s\"\n");
  world_.environment.set("TOPOLAUNCH_GRACE", "7s");
  const auto settings = load();
  ASSERT_TRUE(settings) << settings.error().text();
  EXPECT_EQ(settings->find("engine")->values[0], "mpirun");
  EXPECT_THAT(settings->find("engine")->origin, HasSubstr("config.toml:1"));
  EXPECT_EQ(settings->find("grace")->values[0], "7s");
  EXPECT_EQ(settings->find("grace")->origin, "TOPOLAUNCH_GRACE");
  EXPECT_EQ(settings->find("validate")->values[0], "off");
  EXPECT_EQ(settings->overridden.size(), 3U);
}

TEST_F(SettingsFiles, LockedKeysStayWhatTheSiteSays) {
  site("quota = \"require\"\nlock = [\"quota\"]\n");
  user("quota = \"off\"\n");
  const auto settings = load();
  ASSERT_TRUE(settings) << settings.error().text();
  EXPECT_EQ(settings->find("quota")->values[0], "require");
  EXPECT_TRUE(settings->find("quota")->locked);
}

TEST_F(SettingsFiles, VariableAgainstALockIsRefusedWithTheLocksLine) {
  site("quota = \"require\"\nlock = [\"quota\"]\n");
  world_.environment.set("TOPOLAUNCH_QUOTA", "off");
  const auto settings = load();
  ASSERT_FALSE(settings);
  EXPECT_EQ(settings.error().code, Code::configuration);
  EXPECT_THAT(settings.error().message, HasSubstr("site.toml:1"));
}

TEST_F(SettingsFiles, OnlyTheSiteLocks) {
  user("lock = [\"quota\"]\n");
  EXPECT_EQ(load().error().code, Code::configuration);
}

TEST_F(SettingsFiles, ALockNeedsAValueAndAKnownKey) {
  site("lock = [\"quota\"]\n");
  EXPECT_THAT(load().error().message, HasSubstr("no value"));
  site("lock = [\"qouta\"]\nquota = \"off\"\n");
  EXPECT_THAT(load().error().next, HasSubstr("'quota'"));
}

TEST_F(SettingsFiles, ErrorsNameFileAndLine) {
  user("engine = \"local\"\nvalidat = \"off\"\n");
  const auto typo = load();
  ASSERT_FALSE(typo);
  EXPECT_EQ(typo.error().line, 2);
  EXPECT_THAT(typo.error().text(), HasSubstr("did you mean 'validate'?"));
  user("engine = \n");
  EXPECT_EQ(load().error().line, 1);
  user("grace = 1.5\n");
  EXPECT_EQ(load().error().code, Code::configuration);
  user("strict = \"maybe\"\n");
  EXPECT_EQ(load().error().code, Code::configuration);
  user(std::string("engine = \"\x00\"", 12));
  EXPECT_FALSE(load());
}

TEST_F(SettingsFiles, ANamedSiteFileThatIsNotThereIsAnError) {
  site("");
  world_.environment.set("TOPOLAUNCH_SITE_CONFIG", world_.folder() + "/nowhere.toml");
  EXPECT_EQ(load().error().code, Code::configuration);
}

TEST(ParseFlag, KnowsYesAndNo) {
  EXPECT_TRUE(*parse_flag("yes", "x"));
  EXPECT_FALSE(*parse_flag("0", "x"));
  EXPECT_FALSE(parse_flag("perhaps", "x"));
}

}  // namespace
}  // namespace topolaunch::launcher
