// SPDX-License-Identifier: Apache-2.0
#include "launcher/engine/mpirun_version.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>


namespace topolaunch::launcher {
namespace {

TEST(MpirunVersion, ReadsOpenMpisWords) {
  const auto version = mpirun_version_from("mpirun (Open MPI) 4.1.4\n\nReport bugs to ...\n");
  ASSERT_TRUE(version);
  EXPECT_EQ(version->text, "4.1.4");
  EXPECT_EQ(version->major, 4);
  EXPECT_EQ(version->minor, 1);
  EXPECT_TRUE(version->known());
  EXPECT_FALSE(mpirun_version_from("mpirun (Open MPI) 3.0.1")->known());
  EXPECT_FALSE(mpirun_version_from("HYDRA build details:\n    Version: 4.1"));
}

/// Counts how often it is asked.
class Counting final : public Commands {
 public:
  Result<CommandOutput> run(const std::vector<std::string>&, Seconds) const override {
    ++asked;
    return CommandOutput{0, "mpirun (Open MPI) " + version + "\n", ""};
  }
  mutable int asked = 0;
  std::string version = "4.1.4";
};

class FindMpirun : public ::testing::Test {
 protected:
  FindMpirun() {
    environment_.set("PATH", folder_);
    environment_.set("TOPOLAUNCH_STATE_DIR", folder_ + "/state");
  }
  ~FindMpirun() override { std::filesystem::remove_all(folder_); }

  void install(const std::string& content) {
    std::filesystem::remove(folder_ + "/mpirun");
    std::ofstream(folder_ + "/mpirun") << content;
    ::chmod((folder_ + "/mpirun").c_str(), 0755);
  }
  std::string text() {
    const auto found = find_mpirun({files_, commands_, clock_, environment_});
    return found ? found->text : found.error().text();
  }

  std::string folder_ = made_folder();
  Environment environment_;
  RootedFiles files_;
  SystemClock clock_;
  Counting commands_;

 private:
  static std::string made_folder() {
    std::string name = "/tmp/topolaunch-mpirun-XXXXXX";
    return ::mkdtemp(name.data()) == nullptr ? std::string() : name;
  }
};

TEST_F(FindMpirun, AsksAProgramOnceUntilItChanges) {
  install("\x7f" "ELF one");
  EXPECT_EQ(text(), "4.1.4");
  EXPECT_EQ(text(), "4.1.4");
  EXPECT_EQ(commands_.asked, 1);
  commands_.version = "5.0.5";
  install("\x7f" "ELF another one");
  EXPECT_EQ(text(), "5.0.5");
  environment_.set("LD_LIBRARY_PATH", "/opt/openmpi-4/lib");
  commands_.version = "4.1.6";
  EXPECT_EQ(text(), "4.1.6");
  EXPECT_EQ(commands_.asked, 3);
}

TEST_F(FindMpirun, AsksAScriptEachTime) {
  install("#!/bin/sh\nexec /opt/$MPI/bin/mpirun \"$@\"\n");
  EXPECT_EQ(text(), "4.1.4");
  commands_.version = "5.0.5";
  EXPECT_EQ(text(), "5.0.5");
}

TEST_F(FindMpirun, TakesABrokenCacheForNone) {
  install("\x7f" "ELF");
  std::filesystem::create_directories(folder_ + "/state/cache");
  for (const char* const broken : {"", "{", "[]", "{\"file\": 3}", "{\"file\": \"x\", \"says\": 1}"}) {
    std::ofstream(folder_ + "/state/cache/mpirun.json") << broken;
    EXPECT_EQ(text(), "4.1.4") << broken;
  }
}

}  // namespace
}  // namespace topolaunch::launcher
