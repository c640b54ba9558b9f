// SPDX-License-Identifier: Apache-2.0
#include "topo/draw/svg.h"

#include <gmock/gmock.h>
#include <pugixml.hpp>

namespace topolaunch::topo::draw {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Drawing sheet() {
  Drawing out;
  out.title = "a <title>";
  out.description = "one & two";
  out.reach(100, 50);
  Box box{10, 10, 40, 20, Tone::gpu};
  box.group = 9;
  box.band = Band::left;
  box.name = "GPU \"0\"";
  out.box(box);
  out.words({20, 24, "<script>alert(1)</script>", 12});
  out.line({{{0, 0}, {5, 5.25}}, Stroke::thick, ""});
  return out;
}

TEST(Svg, IsWellFormedAndNamesItself) {
  pugi::xml_document document;
  const std::string text = svg_file(sheet());
  ASSERT_TRUE(document.load_string(text.c_str())) << text;
  const pugi::xml_node root = document.child("svg");
  EXPECT_STREQ(root.attribute("role").value(), "img");
  EXPECT_STREQ(root.attribute("aria-labelledby").value(), "tl-t tl-d");
  EXPECT_STREQ(root.child("title").text().get(), "a <title>");
  EXPECT_STREQ(root.child("desc").text().get(), "one & two");
}

TEST(Svg, HoldsNoScriptAndNothingFromElsewhere) {
  const std::string text = svg_file(sheet());
  EXPECT_THAT(text, Not(HasSubstr("<script")));
  EXPECT_THAT(text, Not(HasSubstr("href")));
  EXPECT_THAT(text, HasSubstr("&lt;script&gt;"));
}

TEST(Svg, GivesAGroupAColourAndAPattern) {
  const std::string text = svg_file(sheet());
  EXPECT_THAT(text, HasSubstr("class=\"b g1\""));
  EXPECT_THAT(text, HasSubstr("url(#tl-p2)"));
  EXPECT_THAT(text, HasSubstr("id=\"tl-p2\""));
}

TEST(Svg, KeepsDrawingsOfOnePageApart) {
  const std::string text = svg_inline(sheet(), "b-");
  EXPECT_THAT(text, HasSubstr("id=\"b-p2\""));
  EXPECT_THAT(text, HasSubstr("url(#b-p2)"));
  EXPECT_THAT(text, Not(HasSubstr("<style")));
}

TEST(Svg, KnowsLightAndDark) { EXPECT_THAT(svg_style(), HasSubstr("prefers-color-scheme:dark")); }

TEST(Escaped, LeavesOnlyWhatXmlCanHold) {
  EXPECT_EQ(escaped("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(escaped("\x1b[31m\n"), "?[31m ");
  EXPECT_EQ(escaped("gr\u00fcn \u2026 \U0001F600"), "gr\u00fcn \u2026 \U0001F600");
  EXPECT_EQ(escaped("\xff\xc3"), "??");       // no UTF-8, cut short
  EXPECT_EQ(escaped("\xc0\xbc"), "??");       // '<' in two bytes
  EXPECT_EQ(escaped("\xed\xa0\x80"), "???");  // a surrogate
  EXPECT_EQ(escaped("\xef\xbf\xbf"), "???");  // U+FFFF
}

}  // namespace
}  // namespace topolaunch::topo::draw
