// SPDX-License-Identifier: Apache-2.0
#include "topo/draw/text_width.h"

#include <gtest/gtest.h>

namespace topolaunch::topo::draw {
namespace {

TEST(TextWidth, AddsUpTheAdvancesOfAWideFont) {
  // DejaVu Sans, from its hmtx table: "0" 1303 of 2048 units an em, "W" 2025, "i" 569.
  EXPECT_NEAR(text_width("0", 2048), 1303, 1);
  EXPECT_NEAR(text_width("W", 2048), 2025, 1);
  EXPECT_NEAR(text_width("i", 2048), 569, 1);
  EXPECT_GT(text_width("GPU 0", 12, true), text_width("GPU 0", 12));
}

TEST(TextWidth, CountsCharactersNotBytes) { EXPECT_DOUBLE_EQ(text_width("\u2026", 10), 10); }

TEST(TextWidth, FitsWhatIsTooLong) {
  const std::string text = fitted("a name that is too long", 60, 11);
  EXPECT_LE(text_width(text, 11), 60);
  EXPECT_TRUE(text.ends_with("\u2026")) << text;
  EXPECT_EQ(fitted("short", 60, 11), "short");
  EXPECT_EQ(fitted("short", 3, 11), "");
}

TEST(TextWidth, NeverCutsACharacterInTwo) {
  for (double width = 11; width < 90; width += 1) {
    const std::string text =
        fitted("\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc", width, 11);
    ASSERT_GE(text.size(), 3U);
    EXPECT_EQ((text.size() - 3) % 2, 0U) << width;
  }
}

TEST(TextWidth, BreaksAtBlanks) {
  for (const std::string& line : broken("one two three four five six seven", 60, 11)) {
    EXPECT_LE(text_width(line, 11), 60);
  }
  EXPECT_EQ(broken("one two", 500, 11), std::vector<std::string>{"one two"});
  EXPECT_TRUE(broken("  ", 500, 11).empty());
}

}  // namespace
}  // namespace topolaunch::topo::draw
