// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace topolaunch {
namespace {

namespace fs = std::filesystem;

class FilesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "topolaunch-files-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder = fs::canonical(name);
  }
  void TearDown() override { fs::remove_all(folder); }
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << text;
  }
  std::string slurp(const std::string& name) const {
    return RootedFiles().read((folder / name).string(), 1 << 20).value_or("unreadable");
  }
  fs::path folder;
};

TEST_F(FilesTest, ReadsBelowARootThatTakesThePlaceOfSlash) {
  put("root/sys/a", "one\n");
  const RootedFiles files((folder / "root").string());
  EXPECT_EQ(*files.read("/sys/a", 100), "one\n");
  EXPECT_TRUE(files.exists("/sys/a"));
  EXPECT_FALSE(files.exists("/sys/b"));
  EXPECT_EQ(*files.list("/sys"), std::vector<std::string>{"a"});
}

TEST_F(FilesTest, TellsAbsentFromUnreadable) {
  const RootedFiles files(folder.string());
  EXPECT_EQ(files.read("/none", 100).error().code, Code::not_found);
  EXPECT_EQ(files.list("/none").error().code, Code::not_found);
  EXPECT_EQ(files.read("/", 100).error().code, Code::invalid_input) << "a folder is no file";
  put("f", "x");
  EXPECT_EQ(files.read("/f/below", 100).error().code, Code::not_found);
}

TEST_F(FilesTest, ReadsNoMoreThanItsLimit) {
  put("f", std::string(1000, 'x'));
  const RootedFiles files(folder.string());
  EXPECT_EQ(files.read("/f", 1000)->size(), 1000U);
  const auto over = files.read("/f", 999);
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().code, Code::invalid_input);
  EXPECT_EQ(RootedFiles().read("/dev/zero", 1 << 20).error().code, Code::invalid_input);
}

TEST_F(FilesTest, ListsInOrder) {
  put("d/b", "");
  put("d/a", "");
  put("d/c/x", "");
  EXPECT_EQ(*RootedFiles(folder.string()).list("/d"), (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(FilesTest, ResolvesLinksInsideTheRootOnly) {
  put("root/devices/pci/net/eth0/x", "");
  put("root-beside/x", "");
  fs::create_directories(folder / "root/class");
  fs::create_symlink("../devices/pci/net/eth0", folder / "root/class/eth0");
  fs::create_symlink("../../root-beside", folder / "root/class/out");
  const RootedFiles files((folder / "root").string());
  EXPECT_EQ(*files.resolve("/class/eth0"), "/devices/pci/net/eth0");
  EXPECT_EQ(*files.resolve("/"), "/");
  const auto out = files.resolve("/class/out");
  ASSERT_FALSE(out) << *out;
  EXPECT_EQ(out.error().code, Code::invalid_input);
  EXPECT_EQ(files.resolve("/class/none").error().code, Code::not_found);
}

TEST_F(FilesTest, WritesAWholeFileWithItsModeAndLeavesNothingElse) {
  const std::string path = (folder / "token").string();
  ASSERT_TRUE(write_file(path, "old", 0600));
  ASSERT_TRUE(write_file(path, std::string("new\0text", 8), 0600));
  EXPECT_EQ(slurp("token"), std::string("new\0text", 8));
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  EXPECT_EQ(RootedFiles(folder.string()).list("/")->size(), 1U) << "no temporary file";
}

TEST_F(FilesTest, AFailedWriteLeavesTheOldFile) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full";
  const auto full = write_file("/dev/full", "text");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, Code::unavailable);
  const auto nowhere = write_file((folder / "none/f").string(), "text");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, Code::unavailable);
  EXPECT_EQ(nowhere.error().file, (folder / "none/f").string());
}

TEST_F(FilesTest, NeverReplacesADeviceOrALink) {
  ASSERT_TRUE(write_file("/dev/null", "text"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  put("real/file", "old");
  fs::create_symlink("real/file", folder / "link");
  ASSERT_TRUE(write_file((folder / "link").string(), "new"));
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(slurp("real/file"), "new");
  EXPECT_FALSE(write_file((folder / "real").string(), "text")) << "a folder";
}

TEST_F(FilesTest, MakesFoldersThatAreThereAlready) {
  const std::string path = (folder / "a/b/c").string();
  EXPECT_TRUE(make_folders(path, 0700));
  EXPECT_TRUE(make_folders(path, 0700));
  EXPECT_TRUE(make_folders(path + "/", 0700));
  EXPECT_TRUE(make_folders("/"));
  EXPECT_TRUE(fs::is_directory(path));
  EXPECT_EQ(fs::status(path).permissions() & fs::perms::all, fs::perms::owner_all);
}

TEST_F(FilesTest, MakesNoFolderWhereAFileIs) {
  put("file", "x");
  EXPECT_FALSE(make_folders((folder / "file").string()));
  const auto below = make_folders((folder / "file/below").string());
  ASSERT_FALSE(below);
  EXPECT_EQ(below.error().file, (folder / "file").string());
}

}  // namespace
}  // namespace topolaunch
