// SPDX-License-Identifier: Apache-2.0
#include "topo/xml_lines.h"

#include <gmock/gmock.h>

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

Error refused(std::string_view text) {
  const XmlLines lines(text);
  pugi::xml_document document;
  const auto done = parse_xml(text, "f.xml", lines, document);
  return done ? Error{Code::internal, "was not refused", "", "", 0} : done.error();
}

TEST(XmlLines, KnowsTheLineOfAnElement) {
  constexpr std::string_view text = "<a>\n  <b/>\n\n  <c/></a>";
  const XmlLines lines(text);
  pugi::xml_document document;
  ASSERT_TRUE(parse_xml(text, "f.xml", lines, document));
  EXPECT_EQ(lines.line(document.child("a")), 1);
  EXPECT_EQ(lines.line(document.child("a").child("b")), 2);
  EXPECT_EQ(lines.line(document.child("a").child("c")), 4);
  EXPECT_EQ(lines.line(-1), 0);
}

TEST(XmlLines, SaysWhereAFileIsCutOff) {
  for (const char* text : {"<a>\n<b>\n", "<a>\n<b x=\"1", "<a>\n<b", "<a>\n<b x=\"1\"/>\n<!-- x"}) {
    const auto error = refused(text);
    EXPECT_THAT(error.message, HasSubstr("cut off")) << text;
    EXPECT_GE(error.line, 2) << text;
    EXPECT_EQ(error.code, Code::invalid_input);
  }
}

TEST(XmlLines, SaysTheLineOfAFaultInside) {
  const auto error = refused("<a>\n  <b x=1/>\n</a>\n<c/>\n");
  EXPECT_THAT(error.message, HasSubstr("not well-formed"));
  EXPECT_EQ(error.line, 2);
}

TEST(XmlLines, RefusesNothingAndBinaryData) {
  EXPECT_THAT(refused(" \n").message, HasSubstr("empty"));
  EXPECT_THAT(refused(std::string_view("<a>\0</a>", 8)).message, HasSubstr("binary"));
}

}  // namespace
}  // namespace topolaunch::topo
