// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <gtest/gtest.h>

namespace topolaunch {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return fail(Code::invalid_input, "odd", "give an even number");
  return n / 2;
}

TEST(Result, IsAValueOrAnError) {
  EXPECT_EQ(half(4).value(), 2);
  const auto bad = half(3);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, Code::invalid_input);
  EXPECT_EQ(bad.error().text(), "odd; give an even number");
}

TEST(Error, NamesFileLineStageAndTheNextThingToTry) {
  const Error error = Error{Code::invalid_input, "no <system> element", {}, {}, 0}
                          .at("topo.xml", 3)
                          .try_next("check the file")
                          .within("topology");
  EXPECT_EQ(error.text(), "topo.xml:3: topology: no <system> element; check the file");
  EXPECT_EQ((Error{Code::internal, "m", {}, "f", 0}.text()), "f: m");
}

TEST(Error, StaysOnOneLineAndSendsNoEscapesToTheTerminal) {
  const Error error{Code::invalid_input, "key \"a\nb\x1b[31m\x7f\" bad", {}, "f\rg", 0};
  EXPECT_EQ(error.text(), "f\\x0dg: key \"a b\\x1b[31m\\x7f\" bad");
  EXPECT_EQ((Error{Code::internal, "gr\xc3\xbc\xc3\x9f", {}, {}, 0}.text()), "gr\xc3\xbc\xc3\x9f");
}

TEST(Code, IsTheExitStatus) {
  EXPECT_EQ(exit_status(Code::wrong_usage), 64);
  EXPECT_EQ(exit_status(Code::invalid_input), 65);
  EXPECT_EQ(exit_status(Code::unavailable), 69);
  EXPECT_EQ(exit_status(Code::internal), 70);
  EXPECT_EQ(exit_status(Code::try_again), 75);
  EXPECT_EQ(exit_status(Code::denied), 77);
  EXPECT_EQ(exit_status(Code::configuration), 78);
  EXPECT_EQ(exit_status(Code::infeasible), 79);
  EXPECT_EQ(exit_status(Code::validation_failed), 80);
  EXPECT_EQ(exit_status(Code::could_not_test), 81);
  EXPECT_EQ(exit_status(Code::not_executable), 126);
  EXPECT_EQ(exit_status(Code::not_found), 127);
  EXPECT_EQ(exit_status(Code::interrupted), 130);
}

}  // namespace
}  // namespace topolaunch
