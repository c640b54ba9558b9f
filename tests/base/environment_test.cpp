// SPDX-License-Identifier: Apache-2.0
#include "base/environment.h"

#include <gtest/gtest.h>

#include <array>

namespace topolaunch {
namespace {

TEST(Environment, TakesASnapshotOfEnviron) {
  const std::array<const char*, 6> entries{"A=1", "EMPTY=", "no equals", "=C:", "B=x=y", nullptr};
  const Environment environment = Environment::from(entries.data());
  EXPECT_EQ(environment.get("A"), "1");
  EXPECT_EQ(environment.get("EMPTY"), "");
  EXPECT_EQ(environment.get("B"), "x=y");
  EXPECT_EQ(environment.variables().size(), 3U);
  EXPECT_TRUE(Environment::from(nullptr).variables().empty());
}

TEST(Environment, KeepsTheFirstOfTwoEntriesAsGetenvDoes) {
  const std::array<const char*, 3> entries{"A=first", "A=second", nullptr};
  EXPECT_EQ(Environment::from(entries.data()).get("A"), "first");
}

TEST(Environment, ReadsIntegersStrictly) {
  const Environment environment{{"N", "42"},
                                {"NEGATIVE", "-1"},
                                {"TEXT", "4x"},
                                {"EMPTY", ""},
                                {"BIG", "99999999999999999999"},
                                {"SPACE", " 4"}};
  EXPECT_EQ(environment.get_int("N"), 42);
  EXPECT_EQ(environment.get_int("NEGATIVE"), -1);
  for (const char* name : {"TEXT", "EMPTY", "BIG", "SPACE", "ABSENT"}) {
    EXPECT_FALSE(environment.get_int(name)) << name;
  }
}

TEST(Environment, TellsEmptyFromAbsent) {
  Environment environment{{"A", ""}};
  EXPECT_TRUE(environment.has("A"));
  EXPECT_EQ(environment.get_or("A", "x"), "");
  EXPECT_EQ(environment.get_or("B", "x"), "x");
  environment.unset("A");
  environment.unset("never there");
  EXPECT_FALSE(environment.has("A"));
}

TEST(Environment, WritesEntriesInOrder) {
  Environment environment;
  environment.set("B", "2");
  environment.set("A", "1");
  environment.set("B", "3");
  EXPECT_EQ(environment.entries(), (std::vector<std::string>{"A=1", "B=3"}));
}

}  // namespace
}  // namespace topolaunch
