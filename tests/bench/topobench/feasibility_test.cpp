// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/feasibility.h"

#include <gmock/gmock.h>

namespace topolaunch::bench {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// What is wrong with these options, which are each right by themselves; over `ranks`, 0 = any.
std::string refusal(std::vector<std::string> arguments, int ranks = 0) {
  if (ranks > 0) arguments.insert(arguments.end(), {"--expect-ranks", std::to_string(ranks)});
  const auto line = parse_options(arguments);
  if (!line) return "not read: " + line.error().text();
  const Status can = can_do(line->options);
  if (can) return "accepted";
  EXPECT_EQ(can.error().code, Code::wrong_usage);
  EXPECT_FALSE(can.error().next.empty());
  return can.error().text();
}

TEST(Feasibility, ASubjectIsAskedForWhatItDoes) {
  EXPECT_THAT(refusal({"--subject", "ring", "--collective", "alltoall"}),
              HasSubstr("--subject ring does no alltoall; allreduce, or --subject mpi"));
  EXPECT_THAT(refusal({"--subject", "reference", "--collective", "sendrecv"}),
              HasSubstr("allreduce, allgather, reduce_scatter, broadcast, reduce, alltoall, or"));
  EXPECT_EQ(refusal({"--subject", "ring"}), "accepted");
  EXPECT_EQ(refusal({"--subject", "mpi", "--collective", "sendrecv"}), "accepted");
}

TEST(Feasibility, PairsNeedASubjectThatSends) {
  EXPECT_THAT(refusal({"--subject", "ring", "--pairs"}), HasSubstr("ring does no sendrecv"));
  EXPECT_EQ(refusal({"--subject", "ring", "--pairs", "local"}), "accepted");
  EXPECT_EQ(refusal({"--subject", "mpi", "--pairs"}), "accepted");
}

TEST(Feasibility, HostMemoryHasNoGraphs) {
  EXPECT_THAT(refusal({"--subject", "mpi", "-G", "1"}), HasSubstr("has no CUDA graphs"));
  EXPECT_EQ(refusal({"-G", "1"}), "accepted") << "there may be a GPU";
}

TEST(Feasibility, SizesAreHeldAgainstTheRanks) {
  EXPECT_THAT(refusal({"--subject", "reference", "-e", "1G"}, 8), HasSubstr("(-e)"));
  EXPECT_EQ(refusal({"--subject", "reference", "-e", "1G"}, 1), "accepted");
  EXPECT_EQ(refusal({"--subject", "reference", "-e", "1G"}), "accepted") << "ranks aren't known";
  EXPECT_THAT(refusal({"--subject", "mpi", "--collective", "alltoall", "-e", "64G"}, 2),
              HasSubstr("than MPI counts"));
  EXPECT_EQ(refusal({"--subject", "mpi", "-e", "64G"}, 2), "accepted");
  EXPECT_THAT(refusal({"--subject", "ring", "-e", "64G"}, 2), HasSubstr("than MPI counts"));
}

TEST(Feasibility, ARootIsARankOfTheJobAndOfEachGroup) {
  const std::vector<std::string> broadcast{"--collective", "broadcast", "-r", "2"};
  EXPECT_EQ(refusal(broadcast), "accepted");
  EXPECT_EQ(refusal(broadcast, 3), "accepted");
  EXPECT_THAT(refusal(broadcast, 2), HasSubstr("--root 2: there are 2 ranks; --root 0 to 1"));
  EXPECT_THAT(refusal({"--collective", "reduce", "-r", "2", "--groups", "tp=2,dp=4"}, 8),
              HasSubstr("--root 2: a group along tp has 2 ranks"));
}

TEST(Feasibility, SizesOfGroupsMakeUpTheRanks) {
  EXPECT_THAT(refusal({"--groups", "tp=3"}, 2),
              AllOf(HasSubstr("tp=3: the sizes don't multiply to the 2 ranks"), HasSubstr("tp=2")));
  EXPECT_EQ(refusal({"--groups", "tp=3"}), "accepted");
  EXPECT_EQ(refusal({"--groups", "tp=2,host"}, 2), "accepted");
}

TEST(Feasibility, AnAxisWithoutASizeIsKnownToTheRank) {
  const auto options = parse_options({"--groups", "tp,host,dp=2"})->options;
  EXPECT_EQ(knows_its_place(options, Environment()).error().code, Code::wrong_usage);
  EXPECT_TRUE(knows_its_place(options, Environment({{"TOPOLAUNCH_TP_RANK", "0"}})));
  const auto leaf = parse_options({"--groups", "leaf"})->options;
  EXPECT_EQ(knows_its_place(leaf, Environment()).error().code, Code::unavailable);
  EXPECT_TRUE(knows_its_place(leaf, Environment({{"TOPOLAUNCH_LEAF", "s1"}})));
}

}  // namespace
}  // namespace topolaunch::bench
