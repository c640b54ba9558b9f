// SPDX-License-Identifier: Apache-2.0
//
// topobench itself, as a user starts it.
#include <gmock/gmock.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "bench/collective.h"
#include "bench/measurement.h"
#include "tests/bench/topobench/mpirun.h"

namespace topolaunch::bench {
namespace {

using testing::AllOf;
using testing::HasSubstr;

CommandOutput topobench(int ranks, std::vector<std::string> arguments) {
  return mpirun(ranks, "bench/topobench", std::move(arguments));
}

TEST(Topobench, MeasuresTwoRanksAndWritesWhatTheLauncherReads) {
  NEEDS_MPIRUN();
  const std::string file = testing::TempDir() + "topobench_" + std::to_string(getpid()) + ".json";
  const auto run = topobench(2, {"-b", "1K", "-e", "64K", "-f", "8", "-n", "5", "--json", file,
                                 "--expect-ranks", "2", "--subject", "mpi"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("2 ranks on 1 host"), HasSubstr("# Out of bounds values : 0 OK")));
  const auto text = RootedFiles().read(file, 1 << 20);
  unlink(file.c_str());
  ASSERT_TRUE(text) << text.error().text();
  const auto json = parse_json(*text, file);
  ASSERT_TRUE(json) << json.error().text();
  const auto m = measurement_from_json(*json, file);
  ASSERT_TRUE(m) << m.error().text();
  EXPECT_EQ(m->ranks, 2);
  EXPECT_EQ(m->hosts, 1);
  EXPECT_EQ(m->backend, "mpi host memory");
  EXPECT_FALSE(on_gpus(*m));
  ASSERT_EQ(m->results.size(), 3u);
  EXPECT_EQ(m->results[2].size, 65536);
  for (const SizeResult& r : m->results) {
    for (const Timing* t : {&r.out_of_place, &r.in_place}) {
      EXPECT_EQ(t->wrong, 0);
      EXPECT_EQ(t->raw.size(), 5u);
      EXPECT_GT(t->time.count(), 0);
      EXPECT_LE(t->p50, t->p99);
      EXPECT_NEAR(t->busbw, static_cast<double>(r.size) / t->time.count(), 1);  // factor 1 for two
    }
  }
  EXPECT_NE(m->devices.at(0).pid, m->devices.at(1).pid);
}

TEST(Topobench, ALimitOnASizeMeansFewerRunsAndNoLargerSize) {
  NEEDS_MPIRUN();
  const auto run = topobench(2, {"-b", "8", "-e", "1K", "-f", "2", "-n", "500", "--size-time",
                                 "0.0000001", "--subject", "mpi", "--json", "-"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = parse_json(run.out, "stdout");
  ASSERT_TRUE(json) << json.error().text();
  const auto m = measurement_from_json(*json, "stdout");
  ASSERT_TRUE(m) << m.error().text();
  ASSERT_EQ(m->results.size(), 1u);  // no run is as short as a tenth of a microsecond
  EXPECT_EQ(m->results[0].out_of_place.raw.size(), 2u);
  EXPECT_THAT(m->notes, testing::Contains(HasSubstr("no size above 8 B")));
}

TEST(Topobench, WhatItWritesFollowsTheSchema) {
  NEEDS_MPIRUN();
  const SystemCommands commands;
  const auto python = commands.run({"python3", "-c", "import jsonschema"}, Seconds(30));
  if (!python || python->status != 0) GTEST_SKIP() << "no python3 with jsonschema";
  const std::string file = testing::TempDir() + "schema_" + std::to_string(getpid()) + ".json";
  ASSERT_EQ(topobench(2, {"-b", "8", "-e", "64", "-n", "2", "-J", file, "--groups", "host", "--pairs",
                          "all", "--pair-bytes", "64"}).status, 0);
  const char* source = std::getenv("TOPOLAUNCH_SOURCE_DIR");
  ASSERT_NE(source, nullptr);
  const auto check = commands.run(
      {"python3", "-c",
       "import json, jsonschema, sys\n"
       "s, d = (json.load(open(p)) for p in sys.argv[1:])\n"
       "jsonschema.validate(d, s)\n"
       "d['results'][0].pop('size')\n"
       "try: jsonschema.validate(d, s)\n"
       "except jsonschema.ValidationError: print('follows')\n",
       std::string(source) + "/docs/schema/measurement.schema.json", file},
      Seconds(60));
  unlink(file.c_str());
  ASSERT_TRUE(check);
  EXPECT_EQ(check->out, "follows\n") << check->err;
}

TEST(Topobench, EveryCollectiveIsExactInAndOutOfPlace) {
  NEEDS_MPIRUN();
  for (const Collective c : kCollectives) {
    const auto run = topobench(3, {"--collective", name_of(c), "-b", "4", "-e", "4K", "-f", "32", "-n",
                                   "2", "-w", "1", "--json", "-"});
    ASSERT_EQ(run.status, 0) << name_of(c) << run.err;
    const auto json = parse_json(run.out, "stdout");
    ASSERT_TRUE(json) << json.error().text();
    const auto m = measurement_from_json(*json, "stdout");
    ASSERT_TRUE(m) << m.error().text();
    EXPECT_EQ(m->collective, name_of(c));
    EXPECT_EQ(m->wrong, 0);
    for (const SizeResult& r : m->results) {
      EXPECT_EQ(r.out_of_place.wrong, 0);
      EXPECT_EQ(r.in_place.wrong, 0);
      EXPECT_EQ(r.redop, reduces(c) ? "sum" : "none");
      EXPECT_NEAR(r.out_of_place.busbw, r.out_of_place.algbw * bus_factor(name_of(c), 3), 1);
    }
  }
}

TEST(Topobench, GroupsAndPairsAreMeasuredBesideTheWorld) {
  NEEDS_MPIRUN();
  const auto run = topobench(4, {"-b", "1K", "-e", "1K", "-n", "2", "-w", "1", "--groups", "tp=2,dp=2",
                                 "--pairs", "all", "--pair-bytes", "4K", "--json", "-"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = parse_json(run.out, "stdout");
  ASSERT_TRUE(json) << json.error().text();
  const auto m = measurement_from_json(*json, "stdout");
  ASSERT_TRUE(m) << m.error().text();
  ASSERT_EQ(m->groups.size(), 4u);
  EXPECT_EQ(m->groups[0].axis, "tp");
  EXPECT_THAT(m->groups[1].ranks, testing::ElementsAre(2, 3));
  EXPECT_EQ(m->groups[2].axis, "dp");
  EXPECT_THAT(m->groups[3].ranks, testing::ElementsAre(1, 3));
  for (const GroupResult& g : m->groups) {
    ASSERT_EQ(g.results.size(), 1u);
    EXPECT_EQ(g.results[0].out_of_place.wrong, 0);
    EXPECT_GT(g.results[0].out_of_place.busbw, 0);
  }
  ASSERT_TRUE(m->pairs);
  EXPECT_EQ(m->pairs->bytes, 4096);
  EXPECT_EQ(m->pairs->wrong, 0);
  EXPECT_EQ(m->pairs->local.size(), 4u);
  for (const Matrix* matrix : {&m->pairs->one_way, &m->pairs->both_ways, &m->pairs->concurrent, &m->pairs->latency}) {
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = 0; b < 4; ++b) EXPECT_EQ(matrix->has(a, b), a != b) << a << " to " << b;
    }
  }
}

TEST(Topobench, GroupsThatDoNotFitAreRefusedBeforeAnythingIsTimed) {
  NEEDS_MPIRUN();
  const auto run = topobench(2, {"-e", "8", "-n", "1", "--groups", "tp=2,dp=4"});
  EXPECT_EQ(run.status, 64);
  EXPECT_THAT(run.err, HasSubstr("don't multiply to the 2 ranks"));
  EXPECT_EQ(run.out, "");
}

TEST(Topobench, GraphsOfHostMemoryAreSaidToDoNothing) {
  NEEDS_MPIRUN();
  const auto run = topobench(2, {"-e", "8", "-n", "1", "-G", "1"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, testing::AnyOf(HasSubstr("# note: -G does nothing here"),
                                      HasSubstr("over nccl, cuda graph")));
}

TEST(Topobench, ARootThatIsNotThereIsRefused) {
  NEEDS_MPIRUN();
  const auto run = topobench(2, {"--collective", "broadcast", "-r", "2", "-e", "8"});
  EXPECT_EQ(run.status, 64);
  EXPECT_THAT(run.err, HasSubstr("--root 2: there are 2 ranks"));
  EXPECT_EQ(topobench(2, {"--collective", "reduce", "-r", "1", "-e", "64", "-n", "1"}).status, 0);
}

TEST(Topobench, EverySubjectCanBeChosenAndIsExact) {
  NEEDS_MPIRUN();
  // All types, reductions and counts: tests/contract/subject.
  for (const char* subject : {"ring", "reference"}) {
    const auto run = topobench(3, {"--subject", subject, "-d", "int32", "-o", "max", "-b", "4", "-e",
                                   "16K", "-f", "16", "-n", "2", "-w", "1", "-c", "2"});
    EXPECT_EQ(run.status, 0) << subject << run.err;
    EXPECT_THAT(run.out, AllOf(HasSubstr(subject), HasSubstr("# Out of bounds values : 0 OK")));
  }
}

TEST(Topobench, RefusesAnotherNumberOfRanksBeforeTimingAnything) {
  NEEDS_MPIRUN();
  const auto run = topobench(2, {"--expect-ranks", "3", "-e", "8"});
  EXPECT_EQ(run.status, 80) << run.err;
  EXPECT_THAT(run.err, HasSubstr("3 ranks were expected (--expect-ranks), MPI sees 2"));
  EXPECT_EQ(run.out, "");
}

TEST(Topobench, WorldsOfOneRankAreToldFromALauncherThatIsNotItsMpi) {
  // Started as torchrun or topolaunch --engine local would: four processes, no MPI between them.
  const char* build = std::getenv("TOPOLAUNCH_BINARY_DIR");
  ASSERT_NE(build, nullptr);
  const auto run = SystemCommands().run({"env", "ASAN_OPTIONS=detect_leaks=0", "RANK=1", "LOCAL_RANK=1",
                                         "WORLD_SIZE=4", std::string(build) + "/bench/topobench", "-e", "8"},
                                        Seconds(60));
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_EQ(run->status, 80);
  EXPECT_THAT(run->err, AllOf(HasSubstr("4 worlds of one rank"), HasSubstr("WORLD_SIZE")));
}

TEST(Topobench, SaysWhichBackendAndWhy) {
  NEEDS_MPIRUN();
  const auto run = topobench(2, {"-b", "8", "-e", "8", "-n", "1", "--json", "-"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = parse_json(run.out, "stdout");
  ASSERT_TRUE(json) << json.error().text() << run.out;
  EXPECT_FALSE(json->at("backend_why").get<std::string>().empty());
}

TEST(Topobench, NcclThatCannotBeUsedIsAnErrorWithTheReason) {
  NEEDS_MPIRUN();
  const auto probe = topobench(1, {"-b", "8", "-e", "8", "-n", "1"});
  if (probe.out.find("# topobench allreduce over nccl") != std::string::npos) {
    GTEST_SKIP() << "NCCL can be used here";
  }
  const auto run = topobench(2, {"--subject", "nccl", "-e", "8"});
  EXPECT_EQ(run.status, 69);
  EXPECT_THAT(run.err, HasSubstr("NCCL can't be used: "));
}

TEST(Topobench, WrongUsageEndsBeforeMpiStarts) {
  NEEDS_MPIRUN();
  const auto run = topobench(1, {"--iter", "4"});
  EXPECT_EQ(run.status, 64);
  EXPECT_THAT(run.err, HasSubstr("topobench: there is no option --iter; did you mean --iters?"));
}

TEST(Topobench, AFileThatCannotBeWrittenIsSaid) {
  NEEDS_MPIRUN();
  const auto run = topobench(2, {"-e", "8", "-n", "1", "--json", "/proc/no/such/folder/m.json"});
  EXPECT_NE(run.status, 0);
  EXPECT_THAT(run.err, HasSubstr("/proc/no/such/folder"));
}

}  // namespace
}  // namespace topolaunch::bench
