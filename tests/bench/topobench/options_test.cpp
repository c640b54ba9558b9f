// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/options.h"

#include <gmock/gmock.h>

namespace topolaunch::bench {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal(const std::vector<std::string>& arguments) {
  const auto line = parse_options(arguments);
  if (line) return "accepted";
  EXPECT_EQ(line.error().code, Code::wrong_usage);
  return line.error().text();
}

TEST(Options, AreNcclTestsLetters) {
  const auto line = parse_options({"-b", "1K", "-e", "4M", "-f", "4", "-n", "7", "-w", "2", "-c", "0",
                                   "-d", "int32", "-o", "max", "-J", "out.json", "-T", "5"});
  ASSERT_TRUE(line) << line.error().text();
  const Options& o = line->options;
  EXPECT_EQ(o.sweep.minimum, Bytes::kib(1));
  EXPECT_EQ(o.trial.sizes.size(), 7u);
  EXPECT_EQ(o.trial.sizes.back(), 4 << 20);
  EXPECT_EQ(o.trial.iterations, 7);
  EXPECT_EQ(o.trial.warmup_iterations, 2);
  EXPECT_EQ(o.trial.check_iterations, 0);
  EXPECT_EQ(o.trial.type, kernels::ElementType::int32);
  EXPECT_EQ(o.trial.reduction, kernels::Reduction::maximum);
  EXPECT_EQ(o.json_file, "out.json");
  EXPECT_EQ(o.deadline, Seconds(5));
}

TEST(Options, DefaultsAreASweepFromEightBytes) {
  const auto line = parse_options({});
  ASSERT_TRUE(line);
  EXPECT_EQ(line->options.trial.sizes.front(), 8);
  EXPECT_EQ(line->options.trial.sizes.back(), 32 << 20);
  EXPECT_EQ(line->options.trial.check_iterations, 1);
}

TEST(Options, AStepTakesThePlaceOfTheFactor) {
  const auto line = parse_options({"-b", "4K", "-e", "12K", "-i", "4K"});
  ASSERT_TRUE(line);
  EXPECT_THAT(line->options.trial.sizes, testing::ElementsAre(4096, 8192, 12288));
  EXPECT_THAT(refusal({"-i", "4K", "-f", "2"}), HasSubstr("stepbytes"));
}

TEST(Options, SizesAreReadAsNcclTestsReadsThem) {
  for (const char* size : {"1M", "1MB", "1mb", "1MiB", "1048576"}) {
    const auto line = parse_options({"-b", size, "-e", size});
    ASSERT_TRUE(line) << size;
    EXPECT_THAT(line->options.trial.sizes, testing::ElementsAre(1 << 20)) << size;
  }
}

TEST(Options, UnknownOnesAreRefusedWithTheNearestName) {
  EXPECT_THAT(refusal({"--iter", "3"}), AllOf(HasSubstr("--iter"), HasSubstr("--iters?")));
  EXPECT_THAT(refusal({"--dead-line=3"}), HasSubstr("--deadline?"));
  EXPECT_THAT(refusal({"--zzzzzzzzzz"}), HasSubstr("topobench --help"));
  EXPECT_THAT(refusal({"1M"}), HasSubstr("1M"));
}

TEST(Options, NcclTestsOptionsThatAreNotHereSayWhy) {
  EXPECT_THAT(refusal({"-g", "8"}),
              AllOf(HasSubstr("-g 8: one rank is one GPU"), HasSubstr("topolaunch bench -n 8")));
  EXPECT_THAT(refusal({"--nthreads=2"}), HasSubstr("-t 2: one rank is one thread"));
  EXPECT_THAT(refusal({"-m", "4"}), HasSubstr("aren't aggregated"));
  EXPECT_THAT(refusal({"-R", "1"}), HasSubstr("registration"));
  EXPECT_THAT(refusal({"-d", "half"}), AllOf(HasSubstr("-d half"), HasSubstr("-d float")));
  EXPECT_THAT(refusal({"-o", "avg"}), AllOf(HasSubstr("-o avg"), HasSubstr("-o sum")));
  EXPECT_THAT(refusal({"-F", "x.csv"}), HasSubstr("--json FILE"));
}

TEST(Options, NcclTestsOptionsThatSayWhatIsDoneAnywayAreTaken) {
  const auto line =
      parse_options({"-b", "8", "-e", "1M", "-f", "2", "-g", "1", "-t", "1", "-m", "1", "-z", "0",
                     "-R", "0", "-a", "3", "-p", "0", "-C", "0", "-N1", "-D", "0"});
  ASSERT_TRUE(line) << line.error().text();
  EXPECT_EQ(line->options.trial.sizes.back(), 1 << 20);
  EXPECT_TRUE(parse_options({"--ngpus=1", "--blocking", "0"}));
  EXPECT_THAT(*parse_options({"--help"})->text, testing::Not(HasSubstr("--ngpus")));
}

TEST(Options, TheLastOfAnOptionCounts) {
  const auto line = parse_options({"-n", "5", "-b", "8", "-n", "7", "-e", "64", "-e", "16", "-a", "1"});
  ASSERT_TRUE(line) << line.error().text();
  EXPECT_EQ(line->options.trial.iterations, 7);
  EXPECT_EQ(line->options.trial.sizes.back(), 16);
  EXPECT_EQ(line->options.trial.over_ranks, OverRanks::mean);
  EXPECT_EQ(parse_options({})->options.trial.over_ranks, OverRanks::slowest);
  EXPECT_THAT(refusal({"-a", "4"}), HasSubstr("average"));
}

TEST(Options, AProgramOfNcclTestsIsACollective) {
  EXPECT_THAT(refusal({"all_reduce_perf", "-b", "8"}), HasSubstr("--collective allreduce"));
  EXPECT_THAT(refusal({"./build/alltoall_perf"}), HasSubstr("--collective alltoall"));
}

TEST(Options, CollectivesHaveOurNamesAndNcclTests) {
  EXPECT_EQ(parse_options({})->options.trial.collective, Collective::allreduce);
  EXPECT_EQ(parse_options({"--collective", "all_gather_perf"})->options.trial.collective,
            Collective::allgather);
  EXPECT_THAT(refusal({"--collective", "allgatherv"}), HasSubstr("reduce_scatter"));
}

TEST(Options, PairsAreAllKindsOrThoseNamed) {
  EXPECT_FALSE(parse_options({})->options.pairs);
  const auto all = parse_options({"--pairs", "-n", "3"});
  ASSERT_TRUE(all) << all.error().text();
  EXPECT_TRUE(all->options.pairs->one_way && all->options.pairs->latency);
  EXPECT_EQ(all->options.trial.iterations, 3);
  const auto some = parse_options({"--pairs", "one-way,local", "--pair-bytes", "4K", "--pairs-per-host"});
  ASSERT_TRUE(some) << some.error().text();
  EXPECT_TRUE(some->options.pairs->one_way && some->options.pairs->local && some->options.pairs->per_host);
  EXPECT_FALSE(some->options.pairs->both_ways || some->options.pairs->latency);
  EXPECT_EQ(some->options.pairs->bytes, 4096);
  EXPECT_THAT(refusal({"--pairs", "sideways"}), HasSubstr("both-ways"));
}

TEST(Options, WhatWouldDoNothingIsRefused) {
  EXPECT_THAT(refusal({"--pair-bytes", "4K"}), HasSubstr("--pair-bytes requires --pairs"));
  EXPECT_THAT(refusal({"--pairs-per-host"}), HasSubstr("--pairs-per-host requires --pairs"));
  EXPECT_THAT(refusal({"-r", "1"}), HasSubstr("-r 1: allreduce has no root"));
  EXPECT_THAT(refusal({"-o", "max", "--collective", "alltoall"}),
              HasSubstr("-o max: alltoall has no operation"));
  // nccl-tests' scripts say the defaults with every collective.
  EXPECT_TRUE(parse_options({"-r", "0", "-o", "sum", "--collective", "allgather"}));
}

TEST(Options, AGraphIsOneRun) {
  EXPECT_TRUE(parse_options({"-G", "1"})->options.graph);
  EXPECT_FALSE(parse_options({"-G", "0"})->options.graph);
  // nccl-tests launches its graph so many times.
  EXPECT_THAT(refusal({"-G", "2"}),
              AllOf(HasSubstr("-G 2"), HasSubstr("-n for the number of runs")));
}

TEST(Options, GroupsAreReadBeforeAnythingIsMeasured) {
  EXPECT_EQ(parse_options({"--groups", "tp=2,host"})->options.groups.at(0).size, 2);
  EXPECT_THAT(refusal({"--groups", "foo"}), HasSubstr("foo"));
  EXPECT_THAT(refusal({"--groups", ""}), HasSubstr("without a name"));
}

TEST(Options, ValuesOutOfRangeNameTheOption) {
  EXPECT_THAT(refusal({"-b", "many"}), HasSubstr("-b"));
  EXPECT_THAT(refusal({"-e", "4"}), HasSubstr("below the smallest"));
  EXPECT_THAT(refusal({"-n", "0"}), HasSubstr("--iters"));
  EXPECT_THAT(refusal({"-i", "0"}), HasSubstr("-i"));
  EXPECT_THAT(refusal({"-d", "int8"}), HasSubstr("-d int8"));
  EXPECT_THAT(refusal({"--subject", "magic"}), HasSubstr("--subject"));
  EXPECT_THAT(refusal({"--deadline", "soon"}), HasSubstr("--deadline"));
  EXPECT_THAT(refusal({"--size-time", "long"}), HasSubstr("--size-time"));
  EXPECT_THAT(refusal({"-b"}), HasSubstr("--minbytes"));
}

TEST(Options, HelpAndVersionAreTexts) {
  EXPECT_THAT(*parse_options({"--help"})->text, HasSubstr("--minbytes"));
  EXPECT_TRUE(parse_options({"--version"})->text);
}

}  // namespace
}  // namespace topolaunch::bench
