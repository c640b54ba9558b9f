// SPDX-License-Identifier: Apache-2.0
#include "topo/json_format.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

Error refused(const std::string& text) {
  const auto facts = facts_from_json(GivenText{text, text, "f.json", "", ""});
  return facts ? Error{} : facts.error();
}

TEST(JsonFormat, NamesTheMembersOfWhatItDoesNotKnow) {
  const auto error = refused("{\"provider\": {}, \"engine\": 1}");
  EXPECT_EQ(error.code, Code::invalid_input);
  EXPECT_THAT(error.message, HasSubstr("\"provider\", \"engine\""));
  EXPECT_EQ(error.line, 1);
  EXPECT_THAT(refused("[1]").message, HasSubstr("no kind"));
}

TEST(JsonFormat, SaysTheLineOfWhatIsNoJson) { EXPECT_EQ(refused("{\n\"a\": }").line, 2); }

TEST(JsonFormat, ALineInBracketsIsNoList) {
  EXPECT_TRUE(looks_like_json_list("[ {"));
  EXPECT_TRUE(looks_like_json_list("[]"));
  EXPECT_FALSE(looks_like_json_list("[section]"));
}

}  // namespace
}  // namespace topolaunch::topo
