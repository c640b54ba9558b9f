// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace topolaunch {
namespace {

Error refused(const std::string& text, JsonLimits limits = {}) {
  const auto json = parse_json(text, "in.json", limits);
  EXPECT_FALSE(json) << text;
  return json ? Error{} : json.error();
}

TEST(Json, KeepsTheOrderOfKeysAndTheKindsOfValues) {
  const auto json = parse_json(R"({"z":1,"a":[true,null,-2,1.5,"x"],"m":{}})", "in.json");
  ASSERT_TRUE(json);
  EXPECT_EQ(to_line(*json), R"({"z":1,"a":[true,null,-2,1.5,"x"],"m":{}})");
  EXPECT_TRUE((*json)["z"].is_number_integer());
  EXPECT_TRUE((*json)["a"][3].is_number_float());
}

TEST(Json, ReadsScalarsAndAByteOrderMark) {
  EXPECT_EQ(*parse_json("7", "f"), 7);
  EXPECT_EQ(*parse_json("\xEF\xBB\xBF{}", "f"), Json::object());
}

TEST(Json, RefusesADuplicateKeyWithItsLine) {
  const Error error = refused("{\n \"a\": 1,\n \"b\": 2,\n \"a\": 3\n}");
  EXPECT_EQ(error.code, Code::invalid_input);
  EXPECT_EQ(error.file, "in.json");
  EXPECT_EQ(error.line, 4);
  EXPECT_NE(error.message.find("\"a\""), std::string::npos);
}

TEST(Json, RefusesADuplicateKeyWrittenInTwoWays) {
  EXPECT_EQ(refused(R"({"exp":1,"\u0065xp":2})").code, Code::invalid_input);
}

TEST(Json, AllowsOneKeyInTwoObjects) { EXPECT_TRUE(parse_json(R"([{"a":1},{"a":{"a":2}}])", "f")); }

TEST(Json, LimitsDepthOnTheWayIn) {
  JsonLimits limits;
  limits.depth = 3;
  EXPECT_TRUE(parse_json("[[[1]]]", "f", limits));
  EXPECT_EQ(refused("[[[[1]]]]", limits).code, Code::invalid_input);
  EXPECT_EQ(refused(std::string(1000000, '[')).code, Code::invalid_input);
}

TEST(Json, LimitsTheNumberOfValues) {
  JsonLimits limits;
  limits.members = 3;
  EXPECT_TRUE(parse_json("[1,2]", "f", limits));
  EXPECT_EQ(refused("[1,2,3]", limits).code, Code::invalid_input);
}

TEST(Json, SaysTheLineOfAMistake) {
  EXPECT_EQ(refused("{\"a\":1,}").line, 1);
  EXPECT_EQ(refused("[1,\n2,\nx]").line, 3);
  EXPECT_EQ(refused("[1,\n2\n").line, 2);
  EXPECT_EQ(refused("[\"open\nstring\"]").line, 1) << "a newline ends its own line";
  EXPECT_EQ(refused("").line, 1);
}

TEST(Json, KnowsTheLineOfEachValue) {
  JsonLineTable lines;
  const auto json =
      parse_json("{\n\"a\": 1,\n\"b\": [\n{\"c\":\n2\n},\ntrue]\n}\n", "f", {}, &lines);
  ASSERT_TRUE(json);
  const Json& b = json->at("b");
  EXPECT_EQ(lines.of(*json, *json), 1);
  EXPECT_EQ(lines.of(*json, json->at("a")), 2);
  EXPECT_EQ(lines.of(*json, b), 3);
  EXPECT_EQ(lines.of(*json, b.at(0)), 4);
  EXPECT_EQ(lines.of(*json, b.at(0).at("c")), 5);
  EXPECT_EQ(lines.of(*json, b.at(1)), 7);
  const Json elsewhere = 1;
  EXPECT_EQ(lines.of(*json, elsewhere), 0);
}

TEST(Json, RefusesTrailingTextAndOtherDialects) {
  for (const std::string text :
       {"{} x", "{}{}", "[1,]", "{a:1}", "'a'", "// c\n1", "NaN", "Infinity", "01", "+1", ".5",
        "1.", "\"\\x41\"", "tru", "\"\t\""}) {
    EXPECT_EQ(refused(text).code, Code::invalid_input);
  }
  EXPECT_EQ(refused(std::string("{}\n\0{}", 6)).line, 2) << "a NUL byte is no end";
}

TEST(Json, RefusesBytesThatAreNotUtf8) {
  EXPECT_EQ(refused("\"\xff\"").code, Code::invalid_input);
  EXPECT_EQ(refused("\"\xc3\"").code, Code::invalid_input);
  EXPECT_EQ(refused("\"\xed\xa0\x80\"").code, Code::invalid_input);  // a surrogate
  EXPECT_EQ(refused("\"\\ud800\"").code, Code::invalid_input);       // half a pair
  EXPECT_EQ(refused("\"\xc0\xaf\"").code, Code::invalid_input);      // overlong '/'
}

TEST(Json, RefusesANumberOutsideDoubleAndKeepsBigIntegersExact) {
  const Error error = refused("[1e999]");
  EXPECT_EQ(error.message.find("json.exception"), std::string::npos);
  EXPECT_EQ(*parse_json("18446744073709551615", "f"), 18446744073709551615ULL);
  // One more has no exact value here; whoever wants an integer sees that it is none.
  EXPECT_TRUE(parse_json("18446744073709551616", "f")->is_number_float());
}

TEST(Json, KeepsItsMessagesShort) {
  const Error error = refused("[\"" + std::string(1 << 20, 'x'));
  EXPECT_LT(error.message.size(), 400U);
  const std::string member = "\"" + std::string(1 << 20, 'k') + "\":1";
  const Error key = refused("{" + member + "," + member + "}");
  EXPECT_LT(key.message.size(), 400U);
}

TEST(Json, WritesNoInvalidUtf8AndEndsPrettyTextWithANewline) {
  Json json;
  json["a"] = "\xff";
  EXPECT_EQ(to_line(json), "{\"a\":\"\xEF\xBF\xBD\"}");
  EXPECT_EQ(to_pretty(*parse_json("{\"a\":1}", "f")), "{\n  \"a\": 1\n}\n");
}

}  // namespace
}  // namespace topolaunch
