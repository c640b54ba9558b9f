// SPDX-License-Identifier: Apache-2.0
#include "launcher/machine.h"

#include <gtest/gtest.h>

#include "tests/launcher/example_host.h"

namespace topolaunch::launcher {
namespace {

TEST(TakeAsThisMachine, NamesTheHostAndKeepsToAllowedCpus) {
  topo::Topology topology;
  topology.hosts = {example_host(2)};
  ASSERT_TRUE(take_as_this_machine(topology, "here"));
  EXPECT_EQ(topology.hosts[0].name, "here");
  EXPECT_FALSE(topology.hosts[0].allowed_cpus.empty());
}

TEST(TakeAsThisMachine, RefusesSeveralHosts) {
  topo::Topology topology;
  topology.hosts = {example_host(2), example_host(2)};
  EXPECT_EQ(take_as_this_machine(topology, "here").error().code, Code::unavailable);
}

TEST(WhyNoGpu, TellsNothingSeenFromCouldNotLook) {
  topo::Topology topology;
  EXPECT_EQ(why_no_gpu(topology), "no GPU in the topology");
  topology.survey = {{"nvml", "h", topo::SurveyEntry::Status::nothing, ""}};
  EXPECT_EQ(why_no_gpu(topology), "no GPU seen");
  topology.survey = {{"nvml", "h", topo::SurveyEntry::Status::unavailable, "no driver"}};
  EXPECT_EQ(why_no_gpu(topology), "could not look for GPUs: no driver");
}

TEST(LookAt, GivesTheErrorOfABadFile) {
  const TemporaryWorld world;
  TopologyOptions options;
  options.topologies = {world.file("t.xml", "<system")};
  const auto topology = look_at(options, world.outside());
  ASSERT_FALSE(topology);
  EXPECT_EQ(topology.error().code, Code::invalid_input);
}

}  // namespace
}  // namespace topolaunch::launcher
