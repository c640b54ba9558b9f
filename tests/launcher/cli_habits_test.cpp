// SPDX-License-Identifier: Apache-2.0
#include "launcher/cli_habits.h"

#include <gmock/gmock.h>

#include "launcher/cli.h"

namespace topolaunch::launcher {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

bool is_python(const std::string& word) { return word == "python"; }

std::string refusal(const std::vector<std::string>& words) {
  const auto request = parse_command_line(words, {}, is_python);
  if (request) return "accepted";
  EXPECT_EQ(request.error().code, Code::wrong_usage);
  return request.error().text();
}

TEST(CommandLineHabits, OptionsAreSpeltInOneWay) {
  EXPECT_EQ(usual_spelling("--nproc_per_node"), "--nproc-per-node");
  EXPECT_EQ(usual_spelling("-hostfile"), "--hostfile");
  EXPECT_EQ(usual_spelling("-N"), "-N");
  EXPECT_EQ(usual_spelling("--"), "--");
}

TEST(CommandLineHabits, EachOptionOfTheirsSaysOurWay) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"-np", "2"}, "unknown option -np; use -n N"},
      {{"--np=2"}, "unknown option --np; use -n N"},
      {{"--ntasks", "4"}, "use -n N"},
      {{"--nproc_per_node=4"}, "use -n N, the ranks of all hosts together"},
      {{"--nproc-per-node", "4"}, "use -n N, the ranks of all hosts together"},
      {{"--ntasks-per-node=8"}, "use -n N, the ranks of all hosts together"},
      {{"--gpus", "8"}, "use -n N"},
      {{"--nnodes", "2"}, "use --hosts LIST"},
      {{"-N", "2"}, "use --hosts LIST"},
      {{"--hostfile", "h"}, "use --hosts @FILE"},
      {{"-hostfile", "h"}, "unknown option -hostfile; use --hosts @FILE"},
      {{"-H", "a,b"}, "use --hosts LIST"},
      {{"--host", "a,b"}, "use --hosts LIST"},
      {{"--standalone"}, "leave it out: every rank is told MASTER_ADDR"},
      {{"--master_addr", "a"}, "leave it out"},
      {{"--master-port=1"}, "leave it out"},
      {{"--rdzv-backend=c10d"}, "leave it out"},
      {{"--bind-to", "core"}, "leave it out: ranks are bound next to their GPU"},
      {{"--map-by", "numa"}, "leave it out: ranks are bound next to their GPU"},
      {{"--rank-by", "core"}, "leave it out"},
      {{"-x", "FOO"}, "leave it out: the environment goes along by itself"},
      {{"--mca", "btl", "tcp"}, "use --engine-args"},
      {{"--timeout", "5"}, "use --time-limit TIME"},
      {{"--max_restarts=3"}, "not in this version"}};
  for (const auto& [options, part] : cases) {
    std::vector<std::string> words = options;
    words.insert(words.end(), {"--", "true"});
    EXPECT_THAT(refusal(words), HasSubstr(part)) << options.front();
  }
}

TEST(CommandLineHabits, AValueOfOursMayLookLikeOneOfTheirs) {
  EXPECT_EQ(refusal({"--engine-args", "-x", "--", "true"}), "accepted");
  EXPECT_EQ(refusal({"-n2", "--", "true"}), "accepted");
  EXPECT_EQ(refusal({"topo", "--host", "a"}), "accepted");
}

TEST(CommandLineHabits, NoVerbIsToldOfAnOptionThatItHasNot) {
  EXPECT_THAT(refusal({"doctor", "-np", "2"}), Not(HasSubstr("-n N")));
  EXPECT_THAT(refusal({"map", "--timeout", "2"}), Not(HasSubstr("--time-limit")));
  EXPECT_THAT(refusal({"map", "-np", "2"}), HasSubstr("use -n N"));
}

TEST(CommandLineHabits, AScriptIsMeantAsACommand) {
  EXPECT_THAT(meant_command("a.py", is_python), ElementsAre("python", "a.py"));
  EXPECT_THAT(meant_command("a.sh", is_python), ElementsAre("bash", "a.sh"));
  EXPECT_THAT(meant_command("python", is_python), ElementsAre("python"));
  EXPECT_THAT(meant_command("a", [](const std::string& word) { return word == "./a"; }),
              ElementsAre("./a"));
  EXPECT_THAT(meant_command("tpoo", is_python), IsEmpty());
  EXPECT_THAT(refusal({"train.py"}), HasSubstr("topolaunch -- python train.py"));
  EXPECT_THAT(refusal({"-n", "2", "train.py", "--lr", "3"}),
              HasSubstr("topolaunch -n 2 -- python train.py --lr 3"));
  EXPECT_THAT(refusal({"run", "train.py"}), HasSubstr("topolaunch run -- python train.py"));
}

TEST(CommandLineHabits, TopobenchsLettersGoBehindTheDashes) {
  EXPECT_THAT(refusal({"bench", "-n", "2", "-b", "8", "-e", "1K"}),
              HasSubstr("bench has no option -b; topobench's go behind --"));
  EXPECT_THAT(refusal({"bench", "-n", "2", "-t", "1"}), HasSubstr("go behind --"));
}

}  // namespace
}  // namespace topolaunch::launcher
