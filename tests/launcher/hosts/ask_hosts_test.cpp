// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/ask_hosts.h"

#include <gmock/gmock.h>

#include "tests/launcher/hosts/example_agent.h"
#include "tests/support/memory_files.h"

namespace topolaunch::launcher {
namespace {

struct Asked {
  std::vector<Result<HostFacts>> answers;
  Error error;
};

Asked ask(const std::vector<std::string>& names, const ExampleAgent& agent) {
  const test::MemoryFiles files;
  const SystemClock clock;
  const Environment none;
  const Outside outside{files, agent, clock, none};
  HostQuestion question;
  question.agent = {"agent"};
  question.program = "/opt/topo launch";
  question.at_once = 3;
  Asked asked{ask_hosts(names, question, outside), {}};
  asked.error = no_answer(names, asked.answers);
  return asked;
}

TEST(AskHosts, FindsTheAnswerAmongWhatALoginShellPrints) {
  ExampleAgent agent;
  agent.answer = [](const std::string& host) {
    return CommandOutput{0, "Welcome!\n" + framed(example_facts(host)) + "bye\n", ""};
  };
  const std::vector<std::string> names{"a", "b", "c", "d", "e"};
  const auto asked = ask(names, agent);
  for (std::size_t i = 0; i < names.size(); ++i) {
    ASSERT_TRUE(asked.answers[i]) << asked.answers[i].error().text();
    EXPECT_EQ(asked.answers[i]->host_name, names[i]);
    EXPECT_EQ(asked.answers[i]->topology.hosts[0].gpus.size(), 2U);
  }
}

TEST(AskHosts, NamesEveryHostThatDoesNotAnswerAndWhy) {
  ExampleAgent agent;
  agent.answer = [](const std::string& host) -> Result<CommandOutput> {
    if (host == "slow" || host == "slow2") return fail(Code::try_again, "past the deadline");
    if (host == "dead") return CommandOutput{255, "", "ssh: connect to host dead: No route\n"};
    if (host == "bare") return CommandOutput{127, "", "sh: not found\n"};
    if (host == "old") {
      HostFacts facts = example_facts(host);
      facts.version = "0.0.9";
      return CommandOutput{0, framed(facts), ""};
    }
    if (host == "odd") return CommandOutput{0, "hello\n", ""};
    if (host == "cut") {
      const std::string whole = framed(example_facts(host));
      return CommandOutput{0, whole.substr(0, whole.size() / 2), ""};
    }
    return CommandOutput{0, framed(example_facts(host)), ""};
  };
  const auto asked = ask({"good", "slow", "dead", "bare", "slow2", "odd", "cut", "old"}, agent);
  EXPECT_TRUE(asked.answers[0]);
  EXPECT_EQ(asked.error.code, Code::unavailable);
  EXPECT_EQ(asked.error.message,
            "7 of 8 hosts asked can't be used: slow, slow2: no answer within 30 s; dead: ssh: "
            "connect to host dead: No route; bare: topolaunch is not there as /opt/topo launch; "
            "odd: its answer is not topolaunch's; cut: its answer was cut off; "
            "old: has topolaunch 0.0.9, and this is " + std::string(build_version()));
}

}  // namespace
}  // namespace topolaunch::launcher
