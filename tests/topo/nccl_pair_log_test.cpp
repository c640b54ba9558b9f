// SPDX-License-Identifier: Apache-2.0
#include "topo/nccl_pair_log.h"

#include <gmock/gmock.h>

#include "tests/topo/facts.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

std::string test(const std::string& name, const std::vector<std::string>& hosts,
                 const std::string& average) {
  std::string text = "# nccl-tests version 2.17.6\n# Collective test starting: " + name +
                     "\n# nThread 1 nGpus 1 minBytes 1\n#\n# Using devices\n";
  for (std::size_t r = 0; r < hosts.size(); ++r) {
    text += "#  Rank  " + std::to_string(r) + " Group  0 Pid 4 on " + hosts[r] +
            " device  0 [0000:1b:00] NVIDIA H100 80GB HBM3\n";
  }
  text +=
      "#\n    33554432       2097152    double    none      -1  1282.93   26.15   13.08       0\n";
  if (!average.empty())
    text += "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : " + average + " \n#\n";
  return text;
}
/// As srun --label and its like write it.
std::string tagged(const std::string& text) {
  std::string out = "0: ";
  for (const char c : text.substr(0, text.size() - 1)) out += c == '\n' ? "\n0: " : std::string(1, c);
  return out + "\n";
}
Error refused(const std::string& text) {
  const auto facts = facts_from_nccl_log(text, "n.log");
  return facts ? Error{} : facts.error();
}

TEST(NcclPairLog, TakesTheAverageOfSendAndReceive) {
  const auto facts = facts_from_nccl_log(
      test("alltoall_perf", {"n1", "n2"}, "13.4") + test("sendrecv_perf", {"n1", "n2"}, "13.5"),
      "n.log");
  ASSERT_TRUE(facts.has_value()) << facts.error().text();
  const auto& pair = std::get<PairFact>(facts->at(0).what);
  EXPECT_EQ(pair.a, "n1");
  EXPECT_EQ(pair.b, "n2");
  EXPECT_DOUBLE_EQ(pair.value, 13.5e9);
  const auto labelled =
      facts_from_nccl_log(tagged(test("sendrecv_perf", {"n1", "n2"}, "13.5")), "n.log");
  ASSERT_TRUE(labelled.has_value()) << labelled.error().text();
  EXPECT_DOUBLE_EQ(std::get<PairFact>(labelled->at(0).what).value, 13.5e9);
}

TEST(NcclPairLog, TakesHostsWithSeveralRanks) {
  EXPECT_TRUE(facts_from_nccl_log(test("all_reduce_perf", {"n1", "n1", "n2", "n2"}, "300"), "n.log")
                  .has_value());
}

TEST(NcclPairLog, RefusesWhatIsNoPair) {
  EXPECT_THAT(refused(test("all_reduce_perf", {"n1", "n2", "n3"}, "9")).message,
              HasSubstr("3 hosts"));
  EXPECT_THAT(refused(test("all_reduce_perf", {"n1", "n1"}, "9")).message,
              HasSubstr("1 host is no pair"));
  EXPECT_THAT(refused(test("all_reduce_perf", {"n1", "n2"}, "")).message,
              HasSubstr("before its average"));
  EXPECT_THAT(
      refused(test("all_reduce_perf", {"n1"}, "0") + test("all_reduce_perf", {"n2"}, "0")).message,
      HasSubstr("worlds of one rank"));
  auto mixed = test("all_reduce_perf", {"n1"}, "");
  mixed += "#  Rank  0 Group  0 Pid 4 on n2 device  0 [0000:1b:00] NVIDIA H100\n";
  EXPECT_THAT(refused(mixed).message, HasSubstr("stands twice"));
  EXPECT_GT(refused(mixed).line, 1);
}

TEST(NcclPairLog, RecognisesItself) {
  EXPECT_TRUE(looks_like_nccl_log("mpirun says\n# nThread 1 nGpus 1\n#\n# Using devices\n"));
  EXPECT_FALSE(looks_like_nccl_log("# Using tables\n"));
}

}  // namespace
}  // namespace topolaunch::topo
