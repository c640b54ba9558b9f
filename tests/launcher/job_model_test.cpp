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

TEST(JobModel, OptionsOfParallelNeedParallel) {
  const TemporaryWorld world;
  JobOptions options;
  options.order = "dp-tp";
  EXPECT_EQ(model(options, 4, world).error().code, Code::wrong_usage);
  EXPECT_THAT(model(options, 4, world).error().message, testing::HasSubstr("--order"));
  options = {};
  options.bytes = "tp=64M";
  EXPECT_THAT(model(options, 4, world).error().message,
              testing::HasSubstr("names a group of --parallel"));
  options.bytes = "64 parrots";
  EXPECT_EQ(model(options, 4, world).error().code, Code::wrong_usage);
  options.bytes = "64M";
  EXPECT_TRUE(model(options, 4, world));
}

TEST(JobModel, OneLevelIsRequiredOrSpreadOver) {
  const TemporaryWorld world;
  JobOptions options;
  options.require_level = options.spread_level = "host";
  EXPECT_EQ(model(options, 4, world).error().code, Code::wrong_usage);
  options.spread_level = "numa";
  const auto two = model(options, 4, world);
  EXPECT_TRUE(two) << two.error().text();
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

TEST(JobModel, OversubscriptionMakesTheSeatsThatAreMissing) {
  const TemporaryWorld world;
  JobOptions options;
  options.ranks = 20;
  options.oversubscribe = true;
  EXPECT_THAT(model(options, 0, world)->constraints.slots_per_host, testing::ElementsAre(20));
  options.ranks = 2;
  EXPECT_THAT(model(options, 4, world)->constraints.slots_per_host, testing::IsEmpty())
      << "enough as it is: nobody shares";
  options.ranks = 65537;
  EXPECT_EQ(model(options, 4, world).error().code, Code::infeasible);
  EXPECT_EQ(model(options, 4, world).error().message,
            "65537 ranks on 1 host: at most 65536 share one");
}

TEST(JobModel, MigInstancesAreSeats) {
  topo::Topology topology = machine(2);
  topology.hosts[0].gpus[0].mig_enabled = true;
  topology.hosts[0].gpus[0].mig = {
      {"MIG-a", "1g.5gb", Bytes(0)}, {"MIG-b", "1g.5gb", Bytes(0)}, {"MIG-c", "1g.5gb", Bytes(0)}};
  TemporaryWorld world;
  const auto ranks = [&] {
    const auto visible = visible_gpus(topology.hosts.front(), world.environment);
    return model_job({}, {topology, &visible, 0}, world.outside())->constraints.ranks;
  };
  EXPECT_EQ(ranks(), 4) << "three instances and a whole GPU";
  world.environment.set("CUDA_VISIBLE_DEVICES", "MIG-a,MIG-c");
  EXPECT_EQ(ranks(), 2);
  EXPECT_EQ(model_job({}, {topology, nullptr, 0}, world.outside())->constraints.ranks, 4);
}

TEST(JobModel, RanksGoToEqualFastGpusWhereTheseAreEnough) {
  topo::Topology topology = machine(4);
  for (const std::size_t slow : {0U, 3U}) {
    topology.hosts[0].gpus[slow].model = "Tesla T4";
    topology.hosts[0].gpus[slow].compute_capability = 75;
  }
  TemporaryWorld world;
  const auto excluded = [&](int ranks) {
    const auto visible = visible_gpus(topology.hosts.front(), world.environment);
    JobOptions options;
    options.ranks = ranks;
    const auto model = model_job(options, {topology, &visible, 0}, world.outside());
    EXPECT_EQ(model->note.empty(), model->constraints.excluded_gpus.empty());
    return model->constraints.excluded_gpus;
  };
  using testing::ElementsAre;
  EXPECT_THAT(excluded(2), ElementsAre(std::pair(0, 0), std::pair(0, 3)));
  EXPECT_THAT(excluded(3), testing::IsEmpty()) << "no kind has three";
  EXPECT_THAT(excluded(4), testing::IsEmpty());
  world.environment.set("CUDA_VISIBLE_DEVICES", "0,1,2,3");
  EXPECT_THAT(excluded(2), testing::IsEmpty()) << "the user's list is the user's";
}

TEST(JobModel, ExcludedHostsGiveNoRanks) {
  topo::Topology topology = machine(2);
  topology.hosts.push_back(example_host(4));
  topology.hosts[1].name = "other";
  const TemporaryWorld world;
  JobOptions options;
  options.excluded = {"other"};
  EXPECT_EQ(model_job(options, {topology, nullptr, 0}, world.outside())->constraints.ranks, 2);
}

TEST(JobModel, ExcludedHostsOfAListTakeNoSlots) {
  topo::Topology topology = machine(0);
  topology.hosts.push_back(example_host(0));
  topology.hosts[1].name = "other";
  const TemporaryWorld world;
  JobOptions options;
  options.excluded = {"other"};
  std::vector<JobHost> hosts(2);
  hosts[0].name = topology.hosts[0].name;
  hosts[1].name = "other";
  for (const int slots : {0, 4}) {
    hosts[0].slots = hosts[1].slots = slots;
    const auto model = model_job(options, {topology, nullptr, 0, &hosts}, world.outside());
    ASSERT_TRUE(model) << model.error().text();
    EXPECT_EQ(model->constraints.ranks, slots == 0 ? 1 : 4);
    EXPECT_EQ(model->constraints.slots_per_host.back(), 0);
  }
  hosts[0].slots = hosts[1].slots = 0;
  hosts[0].max_slots = 2;
  options.excluded.clear();
  options.oversubscribe = true;
  options.ranks = 9;
  const auto shared = model_job(options, {topology, nullptr, 0, &hosts}, world.outside());
  ASSERT_TRUE(shared) << shared.error().text();
  EXPECT_EQ(shared->constraints.slots_per_host.front(), 2) << "no more than max_slots";
  EXPECT_EQ(shared->constraints.slots_per_host.back(), 7) << "the other takes what is left";
}

}  // namespace
}  // namespace topolaunch::launcher
