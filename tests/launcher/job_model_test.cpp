// SPDX-License-Identifier: Apache-2.0
#include "launcher/job_model.h"

#include <gmock/gmock.h>

#include "tests/launcher/example_host.h"

namespace topolaunch::launcher {
namespace {

topo::Topology machine(int gpus) {
  topo::Topology topology;
  topology.hosts = {example_host(gpus)};
  topology.live = true;
  return topology;
}

Result<JobModel> model(const JobOptions& options, int gpus, const TemporaryWorld& world) {
  const topo::Topology topology = machine(gpus);
  const VisibleGpus visible = visible_gpus(topology.hosts.front(), world.environment);
  return model_job(options, {topology, &visible, 0}, world.outside());
}

TEST(JobModel, RanksAreTheFirstThatAnswers) {
  TemporaryWorld world;
  EXPECT_EQ(model({}, 4, world)->constraints.ranks, 4);
  EXPECT_EQ(model({}, 0, world)->constraints.ranks, 1);
  world.environment.set("CUDA_VISIBLE_DEVICES", "1,3");
  const auto two = model({}, 4, world);
  EXPECT_EQ(two->constraints.ranks, 2);
  EXPECT_THAT(two->constraints.excluded_gpus,
              testing::ElementsAre(std::pair(0, 0), std::pair(0, 2)));
  world.environment.set("SLURM_NTASKS", "3");
  world.environment.set("SLURM_NNODES", "1");
  EXPECT_EQ(model({}, 4, world)->constraints.ranks, 3);
  JobOptions asked;
  asked.ranks = 7;
  EXPECT_EQ(model(asked, 4, world)->constraints.ranks, 7);
}

TEST(JobModel, ParallelSaysTheNumberAndMustAgree) {
  const TemporaryWorld world;
  JobOptions options;
  options.parallel = "tp=2,dp=2";
  EXPECT_EQ(model(options, 8, world)->constraints.ranks, 4);
  options.ranks = 8;
  const auto wrong = model(options, 8, world);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, Code::wrong_usage);
}

TEST(JobModel, PinsAreReadOrRefused) {
  const TemporaryWorld world;
  JobOptions options;
  options.pins = {"1=box:3", "0=box"};
  const auto good = model(options, 4, world);
  ASSERT_TRUE(good) << good.error().text();
  EXPECT_EQ(good->constraints.pins[0].rank, 1);
  EXPECT_EQ(good->constraints.pins[0].gpu, 3);
  EXPECT_EQ(good->constraints.pins[1].gpu, -1);
  for (const std::string text : {"", "x=box:1", "1=", "1=box:x", "box:1", "-1=box:1", "1=:2"}) {
    options.pins = {text};
    EXPECT_EQ(model(options, 4, world).error().code, Code::wrong_usage) << text;
  }
}

TEST(JobModel, OneSourceSaysWhoTalksToWhom) {
  const TemporaryWorld world;
  JobOptions options;
  options.parallel = "tp=2";
  options.pattern = "ring";
  EXPECT_EQ(model(options, 4, world).error().code, Code::wrong_usage);
}

TEST(JobModel, TrafficFilesAreReadOrNamed) {
  const TemporaryWorld world;
  JobOptions options;
  options.traffic = world.file("t.mat", "0 1\n1 0\n");
  const auto good = model(options, 4, world);
  ASSERT_TRUE(good) << good.error().text();
  EXPECT_EQ(good->constraints.ranks, 2);
  options.traffic = world.folder() + "/nowhere";
  EXPECT_EQ(model(options, 4, world).error().code, Code::invalid_input);
}

TEST(JobModel, OversubscriptionMakesSeats) {
  const TemporaryWorld world;
  JobOptions options;
  options.ranks = 20;
  options.oversubscribe = true;
  EXPECT_THAT(model(options, 0, world)->constraints.slots_per_host, testing::ElementsAre(20));
}

}  // namespace
}  // namespace topolaunch::launcher
