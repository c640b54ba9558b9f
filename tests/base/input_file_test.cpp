// SPDX-License-Identifier: Apache-2.0
#include "base/input_file.h"

#include <gtest/gtest.h>

namespace topolaunch {
namespace {

TEST(InputFile, ThatIsNotThereOrCannotBeReadIsInvalidInputWithItsPath) {
  const RootedFiles files("/");
  for (const std::string path : {"/nowhere/file", "/proc/self/exe/file", "/tmp"}) {
    const auto text = read_input(files, path);
    ASSERT_FALSE(text) << path;
    EXPECT_EQ(text.error().code, Code::invalid_input) << path;
    EXPECT_EQ(text.error().file, path);
  }
}

TEST(InputFile, IsReadWhole) {
  EXPECT_EQ(read_input(RootedFiles("/"), "/dev/null").value_or("?"), "");
}

}  // namespace
}  // namespace topolaunch
