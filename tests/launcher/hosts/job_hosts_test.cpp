// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/job_hosts.h"

#include <gmock/gmock.h>

#include "tests/support/memory_files.h"

namespace topolaunch::launcher {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// "a:4 b": names with their slots, as read.
std::vector<std::string> words(const Result<std::vector<JobHost>>& hosts) {
  std::vector<std::string> out;
  if (!hosts) return {"error: " + hosts.error().text()};
  for (const JobHost& host : *hosts) {
    out.push_back(host.name + (host.slots > 0 ? ":" + std::to_string(host.slots) : "") +
                  (host.max_slots > 0 ? "/" + std::to_string(host.max_slots) : ""));
  }
  return out;
}

std::vector<std::string> list(const std::string& text) {
  return words(parse_job_hosts(text, test::MemoryFiles()));
}

std::vector<std::string> file(const std::string& text) { return words(parse_hostfile(text, "hf")); }

std::string refusal(const std::string& text) {
  const auto hosts = parse_job_hosts(text, test::MemoryFiles());
  return hosts ? "taken" : hosts.error().text();
}

TEST(JobHosts, ReadsSlurmsGrammarWithSlotsInTheGivenOrder) {
  EXPECT_THAT(list("g[3,1-2]:8,login-a"), ElementsAre("g3:8", "g1:8", "g2:8", "login-a"));
  EXPECT_THAT(list("b a"), ElementsAre("b", "a"));
  EXPECT_THAT(list("r[1-2]c[0-1]:2"), ElementsAre("r1c0:2", "r1c1:2", "r2c0:2", "r2c1:2"));
}

TEST(JobHosts, ReadsAddresses) {
  EXPECT_THAT(list("10.0.0.7:2,2001:db8::7,[fe80::1%eth0]:4"),
              ElementsAre("10.0.0.7:2", "2001:db8::7", "fe80::1%eth0:4"));
}

TEST(JobHosts, TakesNothingButAnAddressInBrackets) {
  // It would go on ssh's command line.
  for (const char* const bad : {"[-oProxyCommand=touch /tmp/x:]", "[::1;reboot]", "[fe80::1%a b]",
                                "[fe80::1%]", "[1:2]", "[:]"}) {
    EXPECT_NE(refusal(bad), "taken") << bad;
  }
}

TEST(JobHosts, AFileIsNoListOfHosts) {
  test::MemoryFiles files;
  files.add("/w/hf/a", "g1\n");
  const auto hosts = parse_job_hosts("/w/hf/a", files);
  ASSERT_FALSE(hosts);
  EXPECT_THAT(hosts.error().text(), HasSubstr("did you mean --hosts @/w/hf/a?"));
  EXPECT_EQ(meant_hostfile("/w/hf/b", files), "");
  EXPECT_EQ(meant_hostfile("/w/hf", files), "") << "a folder";
}

TEST(JobHosts, RepeatsAddUp) {
  EXPECT_THAT(list("a,b,a,a"), ElementsAre("a:3", "b"));
  EXPECT_THAT(list("a:4,b,a:4"), ElementsAre("a:8", "b"));
}

TEST(JobHosts, NamesAreComparedWhole) {
  EXPECT_THAT(list("n1.a,n1.b,n1"), ElementsAre("n1.a", "n1.b", "n1"));
}

TEST(JobHosts, SaysWhereAListIsBroken) {
  EXPECT_THAT(refusal("node[1-3,b"), HasSubstr("column 5: '[' is not closed"));
  EXPECT_THAT(refusal("a,node1-3],b"), HasSubstr("column 10: ']' closes no bracket"));
  EXPECT_THAT(refusal("n[1-[3]"), HasSubstr("column 5: a second '['"));
  EXPECT_THAT(refusal("a,n[3-1]"), HasSubstr("column 3: '3-1' is not a range of numbers"));
  EXPECT_THAT(refusal("a,b;c"), HasSubstr("column 3: ';' can't be in a host name"));
  EXPECT_THAT(refusal("a:x"), HasSubstr("'x' is no number of slots"));
  EXPECT_THAT(refusal("a:0"), HasSubstr("'0' is no number of slots"));
  EXPECT_THAT(refusal("a:4,a:2"), HasSubstr("column 5: host a has 2 slots here and 4 slots before"));
  EXPECT_THAT(refusal("a:4,a"), HasSubstr("host a has no slots here and 4 slots before"));
  EXPECT_THAT(refusal(" , "), HasSubstr("names no host"));
  // What an agent would take for an option of its own.
  EXPECT_THAT(refusal("-oProxyCommand=x"), HasSubstr("does not begin with '-'"));
}

TEST(Hostfile, ReadsWhatOtherLaunchersWrite) {
  EXPECT_THAT(file("# Open MPI\n"
                   "n1 slots=4 max_slots=8  # two sockets\n\n"
                   "n2 max-slots=2 slots=2\r\n"
                   "\tn3 cpu=3\n"
                   "n4:6 ifhn=n4-ib\n"
                   "worker-[0-1] slots=8"),
              ElementsAre("n1:4/8", "n2:2/2", "n3:3", "n4:6", "worker-0:8", "worker-1:8"));
}

TEST(Hostfile, RepeatsAddUp) {
  EXPECT_THAT(file("a\nb\na\n"), ElementsAre("a:2", "b"));
  EXPECT_THAT(file("a slots=2\na slots=2\n"), ElementsAre("a:4"));
}

TEST(Hostfile, NamesTheLineOfAFault) {
  const auto error = [](const std::string& text) { return file(text).front(); };
  EXPECT_THAT(error("a slots=4\n\na slots=2\n"),
              HasSubstr("hf:3: host a has 2 slots here and 4 slots in line 1"));
  EXPECT_THAT(error("a\nb 4\n"), HasSubstr("hf:2: '4' is no option"));
  EXPECT_THAT(error("a slots=many\n"), HasSubstr("hf:1: 'slots=many' is no number"));
  EXPECT_THAT(error("a:2 slots=2\n"), HasSubstr("hf:1: slots are given twice"));
  EXPECT_THAT(error("n[1-3\n"), HasSubstr("hf:1: host list 'n[1-3', column 2"));
  EXPECT_THAT(error("^a\n"), HasSubstr("hf:1: '^a' stands for no host"));
  EXPECT_THAT(error("# nobody\n"), HasSubstr("hf: the hostfile names no host"));
}

TEST(Hostfile, IsReadBehindAnAt) {
  test::MemoryFiles files;
  files.add("/h", "a\nb slots=2\n");
  EXPECT_THAT(words(parse_job_hosts("@/h", files)), ElementsAre("a", "b:2"));
  const auto none = parse_job_hosts("@/nothing", files);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::invalid_input);
  EXPECT_EQ(none.error().file, "/nothing");
}

}  // namespace
}  // namespace topolaunch::launcher
