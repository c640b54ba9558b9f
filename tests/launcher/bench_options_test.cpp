// SPDX-License-Identifier: Apache-2.0
#include "launcher/bench_options.h"

#include <gmock/gmock.h>

#include "tests/launcher/example_host.h"
#include "tests/launcher/example_plan.h"

namespace topolaunch::launcher {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// A topobench that always says the same, and remembers what it was asked.
class Topobench final : public Commands {
 public:
  explicit Topobench(CommandOutput says) : says_(std::move(says)) {}
  Result<CommandOutput> run(const std::vector<std::string>& argv, Seconds) const override {
    asked = argv;
    return says_;
  }
  mutable std::vector<std::string> asked;

 private:
  CommandOutput says_;
};

class BenchOptionsTest : public testing::Test {
 protected:
  Outside with(const Topobench& topobench) {
    return {world_.files, topobench, world_.clock, world_.environment};
  }
  TemporaryWorld world_;
};

TEST_F(BenchOptionsTest, WrongOnesAreRefusedInItsWords) {
  const Topobench refuses({64, "", "topobench: there is no option --x; topobench --help\n"});
  const auto said = checked_options({"--x"}, "/bin/topobench", with(refuses));
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().code, Code::wrong_usage);
  EXPECT_EQ(said.error().text(),
            "there is no option --x; topolaunch bench -- --help lists its options");
}

TEST_F(BenchOptionsTest, WhatItCannotDoHereIsNoWrongUsage) {
  const Topobench refuses({69, "", "topobench: NCCL can't be used: built without it\n"});
  EXPECT_EQ(checked_options({"--subject", "nccl"}, "/bin/topobench", with(refuses)).error().code,
            Code::unavailable);
  const Topobench broken({127, "", "topobench: error while loading shared libraries: libmpi.so\n"});
  EXPECT_EQ(checked_options({"-n", "2"}, "/bin/topobench", with(broken)).error().code,
            Code::unavailable);
}

TEST_F(BenchOptionsTest, ItsHelpIsHandedOnAndNothingIsAskedWithoutOptions) {
  const Topobench helps({0, "its help", ""});
  EXPECT_EQ(checked_options({"--help"}, "/bin/topobench", with(helps)).value(), "its help");
  EXPECT_EQ(checked_options({}, "/bin/topobench", with(helps)).value(), "");
}

TEST_F(BenchOptionsTest, WhatTopolaunchSetsItselfIsRefused) {
  const Topobench agrees({0, "", ""});
  for (const char* word : {"-J", "-Jfile", "--json", "--json=x", "--expect-ranks=3"}) {
    EXPECT_EQ(checked_options({word}, "/bin/topobench", with(agrees)).error().code,
              Code::wrong_usage)
        << word;
  }
}

TEST_F(BenchOptionsTest, TheyAreHeldAgainstThePlansRanks) {
  Plan plan = example_plan();
  plan.executable = "/bin/topobench";
  plan.unset = {"TOPOLAUNCH_DP_RANK"};
  plan.ranks.front().environment["TOPOLAUNCH_TP_RANK"] = "0";
  plan.ranks.front().environment["LOCAL_RANK"] = "0";
  const Topobench agrees({0, "", ""});
  EXPECT_TRUE(options_fit({"--groups", "tp"}, plan, with(agrees)));
  EXPECT_THAT(agrees.asked, Contains("TOPOLAUNCH_TP_RANK=0"));
  EXPECT_THAT(agrees.asked, Not(Contains("LOCAL_RANK=0")));
  EXPECT_THAT(agrees.asked, Contains("TOPOLAUNCH_DP_RANK"));
  const std::vector<std::string> last(agrees.asked.end() - 6, agrees.asked.end());
  EXPECT_THAT(last, testing::ElementsAre("/bin/topobench", "__parse", "--expect-ranks",
                                         std::to_string(plan.ranks.size()), "--groups", "tp"));
  const Topobench refuses({64, "", "topobench: --root 9: there are 2 ranks; --root 0 to 1\n"});
  EXPECT_THAT(options_fit({"-r", "9"}, plan, with(refuses)).error().text(),
              HasSubstr("--root 9: there are 2 ranks"));
}

}  // namespace
}  // namespace topolaunch::launcher
