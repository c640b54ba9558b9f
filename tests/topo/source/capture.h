// SPDX-License-Identifier: Apache-2.0
//
// A captured machine as the outside world, and shortcuts into the facts that a source gives of it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/commands.h"
#include "base/outside.h"
#include "topo/fact.h"

namespace topolaunch::test {

/// A folder below the system's temporary one, removed with its owner.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "topolaunch.XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Where sample files lie that are no part of the project; empty if they aren't here.
inline std::string shared_folder() {
  const char* const folder = std::getenv("TOPOLAUNCH_SHARED");
  return folder != nullptr && std::filesystem::exists(folder) ? folder : "";
}

/// The outside world with `files` and `environment`, and this machine's commands and clock.
class TestOutside {
 public:
  TestOutside(const Files& files, Environment environment)
      : environment_(std::move(environment)), outside_{files, commands_, clock_, environment_} {}
  const Outside& get() const { return outside_; }

 private:
  SystemCommands commands_;
  SystemClock clock_;
  Environment environment_;
  Outside outside_;
};

template <class What>
std::vector<What> all(const std::vector<topo::Fact>& facts) {
  std::vector<What> found;
  for (const auto& fact : facts) {
    if (const auto* what = std::get_if<What>(&fact.what)) found.push_back(*what);
  }
  return found;
}

inline bool warned(const std::vector<topo::Fact>& facts, const std::string& code) {
  for (const auto& fact : all<topo::WarningFact>(facts)) {
    if (fact.warning.code == code) return true;
  }
  return false;
}

inline std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// One host under a resource manager, captured with control groups of version 1 and 2 (the parameter).
class Capture : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    const std::string shared = shared_folder();
    const std::string name = "host-g07-cgroup" + std::to_string(GetParam());
    const std::string archive = shared + "/samples/sysfs/" + name + ".tar.gz";
    if (shared.empty() || !std::filesystem::exists(archive)) {
      GTEST_SKIP() << "no sample captures here (TOPOLAUNCH_SHARED)";
    }
    const auto out = SystemCommands().run({"tar", "xzf", archive, "-C", folder_.path()}, Seconds(60));
    ASSERT_TRUE(out && out->status == 0);
    root_ = folder_.path() + "/" + name;
    files_ = std::make_unique<RootedFiles>(root_);
    outside_ = std::make_unique<TestOutside>(*files_, Environment{{"TOPOLAUNCH_FSROOT", root_}});
  }
  TemporaryFolder folder_;
  std::string root_;
  std::unique_ptr<RootedFiles> files_;
  std::unique_ptr<TestOutside> outside_;
};

}  // namespace topolaunch::test
