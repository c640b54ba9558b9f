// SPDX-License-Identifier: Apache-2.0
#include "launcher/verdict.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace topolaunch::launcher {
namespace {

Check check(Outcome outcome) {
  Check c;
  c.name = "x";
  c.verdict = outcome;
  c.measured = "m";
  c.expected = "e";
  c.source = "s";
  c.suspect = "u";
  return c;
}

TEST(Verdict, IsTheWorstOfItsChecks) {
  EXPECT_EQ(Verdict{}.overall(), Outcome::not_applicable);
  Verdict v{{check(Outcome::not_applicable), check(Outcome::pass)}};
  EXPECT_EQ(v.overall(), Outcome::pass);
  v.checks.push_back(check(Outcome::could_not_test));
  EXPECT_EQ(v.overall(), Outcome::could_not_test);
  v.checks.push_back(check(Outcome::fail));
  EXPECT_EQ(v.overall(), Outcome::fail);
}

TEST(Verdict, GoesThroughJsonWhole) {
  const Verdict v{{check(Outcome::fail), check(Outcome::could_not_test)}};
  const auto back = verdict_from_json(to_json(v), "f");
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(to_json(*back), to_json(v));
}

TEST(Verdict, RefusesWhatIsNotOne) {
  for (const char* const text :
       {"[]", "{}", R"({"schema":"topolaunch.verdict/1"})",
        R"({"schema":"topolaunch.verdict/1","checks":[1]})",
        R"({"schema":"topolaunch.verdict/1","checks":[{"verdict":"maybe"}]})"}) {
    const auto json = parse_json(text, "f");
    ASSERT_TRUE(json);
    const auto verdict = verdict_from_json(*json, "f");
    ASSERT_FALSE(verdict) << text;
    EXPECT_EQ(verdict.error().code, Code::invalid_input);
  }
}

}  // namespace
}  // namespace topolaunch::launcher
