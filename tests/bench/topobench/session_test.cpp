// SPDX-License-Identifier: Apache-2.0
//
// topobench over NCCL without a GPU: the real subject and device on tests/support/fake_gpu.
#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/collective.h"
#include "bench/measurement.h"
#include "tests/bench/topobench/mpirun.h"

namespace topolaunch::bench {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class FakeGpu : public testing::Test {
 protected:
  void TearDown() override {
    ::unsetenv("FAKE_GPUS");
    ::unsetenv("FAKE_GPU_FAULT");
  }
  CommandOutput topobench(int ranks, const char* gpus, const char* fault,
                          std::vector<std::string> arguments) {
    gpus == nullptr ? ::unsetenv("FAKE_GPUS") : ::setenv("FAKE_GPUS", gpus, 1);
    fault == nullptr ? ::unsetenv("FAKE_GPU_FAULT") : ::setenv("FAKE_GPU_FAULT", fault, 1);
    return mpirun(ranks, "tests/support/fake_gpu/topobench_fake_gpu", std::move(arguments));
  }
};

TEST_F(FakeGpu, NcclIsMeasuredWhereEveryRankHasAGpuAndSaysWhatItExpects) {
  NEEDS_MPIRUN();
  const auto run =
      topobench(2, "2", nullptr, {"-b", "1K", "-e", "64K", "-f", "8", "-n", "3", "--json", "-"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = parse_json(run.out, "stdout");
  ASSERT_TRUE(json) << json.error().text();
  const auto m = measurement_from_json(*json, "stdout");
  ASSERT_TRUE(m) << m.error().text();
  EXPECT_EQ(m->backend, "nccl");
  EXPECT_TRUE(on_gpus(*m));
  EXPECT_EQ(m->devices.at(1).device, "0000:1b:00.0");
  EXPECT_EQ(m->devices.at(1).info, "Fake GPU");
  EXPECT_EQ(m->wrong, 0);
  for (const SizeResult& r : m->results) {
    // The fake's model: ten microseconds and a gigabyte a second.
    EXPECT_NEAR(r.estimate.count() * 1e6, 10 + static_cast<double>(r.size) / 1e3, 0.1);
    EXPECT_GT(r.out_of_place.time.count(), 0);
  }
}

TEST_F(FakeGpu, ItsClocksAndLoadAreRecordedAndAHotOneIsNamed) {
  NEEDS_MPIRUN();
  const std::string profile = testing::TempDir() + "/health.json";
  std::ofstream(profile) << R"({"gpus": [
    {"uuid": "GPU-a", "name": "H100", "pci": "0000:1a:00.0", "memory": 1000, "compute_capability": "9.0",
     "health": {"busy": [60, 3], "sm_clock": 1980, "sm_clock_max": 1980, "temperature": 55, "reasons": 1}},
    {"uuid": "GPU-b", "name": "H100", "pci": "0000:1b:00.0", "memory": 1000, "compute_capability": "9.0",
     "health": {"busy": [0], "sm_clock": 1005, "sm_clock_max": 1980, "temperature": 92, "reasons": 72}}]})";
  ::setenv("TOPOLAUNCH_NVML_PROFILE", profile.c_str(), 1);
  ::setenv("LD_LIBRARY_PATH", NVML_REPLAY_DIR, 1);
  const auto run = topobench(2, "2", nullptr, {"-b", "1K", "-e", "1K", "-n", "3", "--json", "-"});
  ::unsetenv("TOPOLAUNCH_NVML_PROFILE");
  ::unsetenv("LD_LIBRARY_PATH");
  std::remove(profile.c_str());
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = parse_json(run.out, "stdout");
  ASSERT_TRUE(json) << json.error().text();
  const auto m = measurement_from_json(*json, "stdout");
  ASSERT_TRUE(m) << m.error().text();
  ASSERT_EQ(m->gpus.size(), 2U);
  EXPECT_EQ(m->gpus[0].busy_before, 3) << "it was waited for";
  EXPECT_GT(m->gpus[0].waited.count(), 0);
  EXPECT_EQ(m->gpus[0].sm_clock_lowest, 1980);
  EXPECT_TRUE(m->gpus[0].held_back.empty()) << "idling is no reason";
  EXPECT_THAT(m->gpus[1].held_back, testing::ElementsAre("HW slowdown", "HW thermal slowdown"));
  EXPECT_THAT(m->notes, testing::Contains(AllOf(HasSubstr("rank 1: GPU 0000:1b:00.0 on "),
                                                HasSubstr("was held back: HW slowdown, HW thermal slowdown, SM clock "
                                                          "down to 1005 of 1980 MHz, 92 C"))));
}

TEST_F(FakeGpu, WithoutNvmlItIsSaidThatClocksAreNotRecorded) {
  NEEDS_MPIRUN();
  const auto run = topobench(2, "2", nullptr, {"-b", "1K", "-e", "1K", "-n", "3"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("# note: clocks and load of the GPUs are not recorded: "));
}

TEST_F(FakeGpu, EveryCollectiveIsExactWithAndWithoutGraphs) {
  NEEDS_MPIRUN();
  for (const Collective c : kCollectives) {
    for (const char* graph : {"0", "1"}) {
      const auto run = topobench(3, "3", nullptr,
                                 {"--collective", name_of(c), "-b", "64", "-e", "4K", "-f", "64",
                                  "-n", "2", "-w", "1", "-G", graph});
      EXPECT_EQ(run.status, 0) << name_of(c) << " graph " << graph << run.err;
      EXPECT_THAT(run.out, HasSubstr("# Out of bounds values : 0 OK")) << name_of(c);
      EXPECT_THAT(run.out, HasSubstr(*graph == '1' ? "over nccl, cuda graph" : "over nccl,"));
    }
  }
}

TEST_F(FakeGpu, GroupsHaveCommunicatorsOfTheirOwnAndPairsGoThroughNccl) {
  NEEDS_MPIRUN();
  const auto run = topobench(4, "4", nullptr,
                             {"-b", "1K", "-e", "1K", "-n", "2", "--groups", "tp=2,dp=2", "--pairs",
                              "all", "--pair-bytes", "4K"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("side by side along dp: 2"), HasSubstr("Pairs of 4 ranks")));
}

TEST_F(FakeGpu, AClockThatLiesMakesEverythingFast) {
  NEEDS_MPIRUN();
  // What tests/testbed/inject.py holds against an earlier run. Here only that the fake does lie.
  const auto seconds = [&](const char* fault) {
    const auto run = topobench(2, "2", fault, {"-b", "4M", "-e", "4M", "-n", "5", "--json", "-"});
    const auto json = parse_json(run.out, "stdout");
    return json ? measurement_from_json(*json, "stdout")->results.at(0).out_of_place.minimum.count() : 0;
  };
  const double honest = seconds(nullptr);
  EXPECT_GT(honest, 0);
  EXPECT_LT(seconds("fast_clock"), honest / 5);
}

TEST_F(FakeGpu, WithoutADriverHostMemoryIsMeasuredAndTheReasonSaid) {
  NEEDS_MPIRUN();
  const auto run = topobench(2, nullptr, nullptr, {"-b", "8", "-e", "8", "-n", "1"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("over mpi host memory"), HasSubstr("cudaGetDeviceCount: 35")));
  const auto none = topobench(2, "0", nullptr, {"-b", "8", "-e", "8", "-n", "1"});
  EXPECT_THAT(none.out, HasSubstr("the driver sees no GPU"));
}

TEST_F(FakeGpu, AWrongElementOfTheLibraryIsCaught) {
  NEEDS_MPIRUN();
  const auto run = topobench(2, "2", "corrupt", {"-b", "4K", "-e", "4K", "-n", "2"});
  EXPECT_EQ(run.status, 80);
  EXPECT_THAT(run.err, HasSubstr("elements were wrong"));
}

TEST_F(FakeGpu, FailuresOfTheLibrariesAreNamedByCall) {
  NEEDS_MPIRUN();
  const std::vector<std::string> arguments{"-b", "4K", "-e", "4K", "-n", "1", "-G", "1"};
  const auto init = topobench(2, "2", "nccl_init", arguments);
  EXPECT_EQ(init.status, 69);
  EXPECT_THAT(init.err, AllOf(HasSubstr("ncclCommInitRank: fake system error"),
                              HasSubstr("NCCL_DEBUG=INFO")));
  const auto memory = topobench(2, "2", "malloc", arguments);
  EXPECT_EQ(memory.status, 69);
  EXPECT_THAT(memory.err, HasSubstr("GPU memory"));
  const auto capture = topobench(2, "2", "no_capture", arguments);
  EXPECT_EQ(capture.status, 69);
  EXPECT_THAT(capture.err, HasSubstr("cudaStreamBeginCapture: 900"));
  const auto later = topobench(2, "2", "async_error", arguments);
  EXPECT_EQ(later.status, 69);
  EXPECT_THAT(later.err, HasSubstr("allreduce: fake system error"));
}

TEST_F(FakeGpu, TwoRanksOnOneGpuAreRefused) {
  NEEDS_MPIRUN();
  ::setenv("LOCAL_RANK", "0", 1);
  const auto run = topobench(2, "2", nullptr, {"-b", "8", "-e", "8", "-n", "1"});
  ::unsetenv("LOCAL_RANK");
  EXPECT_EQ(run.status, 80);
  EXPECT_THAT(run.err, HasSubstr("ranks 0 and 1 are both on GPU 0000:1a:00.0"));
}

}  // namespace
}  // namespace topolaunch::bench
