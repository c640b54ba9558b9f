// SPDX-License-Identifier: Apache-2.0
#include "topo/smi/lines.h"

#include <gmock/gmock.h>

namespace topolaunch::topo::smi {
namespace {

TEST(SmiLines, AreFreeOfWhatTerminalsAdd) {
  const auto lines = lines_of("\xEF\xBB\xBF\x1b[4mGPU0\x1b[0m\tX\r\n\x1b(cut\n\nend");
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0].text, "GPU0\tX");
  EXPECT_EQ(lines[1].text, "(cut");
  EXPECT_EQ(lines[3].number, 4);
  EXPECT_TRUE(lines[2].whole);
  EXPECT_FALSE(lines[3].whole);
  EXPECT_TRUE(lines_of("").empty());
  EXPECT_EQ(lines_of("\x1b[").size(), 1U);
}

TEST(SmiLines, AreFreeOfColoursThatLostTheirEscape) {
  // As issues and chats show a pasted table.
  const std::string text = "\t[4mGPU0\tGPU1[0m\nGPU0\t X \t[1;31mSYS[m\nplain [12] [x [4 m\n";
  const auto lines = pasted_lines_of(text);
  EXPECT_EQ(lines[0].text, "\tGPU0\tGPU1");
  EXPECT_EQ(lines[1].text, "GPU0\t X \tSYS");
  EXPECT_EQ(lines[2].text, "plain [12] [x [4 m");
  // Elsewhere such words are what they are.
  EXPECT_EQ(lines_of("args: [5m, 10m]")[0].text, "args: [5m, 10m]");
}

TEST(SmiLines, GiveWordsAndNumbers) {
  EXPECT_THAT(words_of(" a\tb  c "), ::testing::ElementsAre("a", "b", "c"));
  EXPECT_TRUE(words_of("\t ").empty());
  EXPECT_EQ(trimmed("\t a b "), "a b");
  EXPECT_EQ(number_behind("GPU12", "GPU"), 12);
  EXPECT_FALSE(number_behind("GPU", "GPU"));
  EXPECT_FALSE(number_behind("GPU-1", "GPU"));
  EXPECT_FALSE(number_behind("GPU1:", "GPU"));
  EXPECT_FALSE(whole_number("99999999999"));
  EXPECT_FALSE(whole_number("1x"));
}

}  // namespace
}  // namespace topolaunch::topo::smi
