// SPDX-License-Identifier: Apache-2.0
#include "mapping/named_values.h"

#include <gmock/gmock.h>

namespace topolaunch::mapping {
namespace {

/// "tp=8 pp=4" for two pairs; the error's text for a refusal.
std::string read(const std::string& text) {
  const auto pairs = named_values(text, "--parallel");
  if (!pairs) return pairs.error().message;
  std::string out;
  for (const auto& [name, value] : *pairs) out += (out.empty() ? "" : " ") + name + "=" + value;
  return out;
}

TEST(NamedValues, ReadsThePairsHoweverTheyAreWritten) {
  for (const char* text : {"tp=8,pp=4", "tp=8 pp=4", "tp=8, pp=4", " TP=8,PP=4 ", "tp:8,pp:4", "tp8,pp4", "tp8pp4",
                           "TP8 PP4", "tp = 8 , pp = 4", "tp=8,,pp=4,", "tp= 8\tpp =4"})
    EXPECT_EQ(read(text), "tp=8 pp=4") << text;
  EXPECT_EQ(read(""), "");
  EXPECT_EQ(read("tp=2GiB,dp=500MB"), "tp=2GiB dp=500MB");
  EXPECT_EQ(read("tp64M"), "tp=64M");
}

TEST(NamedValues, RefusesByWord) {
  for (const char* text : {"tp", "=8", "tp=", "8", "tp=8,pp"})
    EXPECT_THAT(read(text), ::testing::HasSubstr("is not NAME=VALUE")) << text;
  EXPECT_EQ(read("tp=8 TP=4"), "--parallel 'tp=8 TP=4': tp is given twice");
}

}  // namespace
}  // namespace topolaunch::mapping
