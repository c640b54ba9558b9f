// SPDX-License-Identifier: Apache-2.0
#include "launcher/job_machine.h"

#include <gmock/gmock.h>

#include "base/own_host.h"
#include "tests/launcher/example_host.h"

namespace topolaunch::launcher {
namespace {

TEST(HostsWanted, ThisHostAloneIsAsIfNoneWereGiven) {
  const TemporaryWorld world;
  TopologyOptions options;
  EXPECT_TRUE(hosts_wanted(options, world.outside())->hosts.empty());
  options.hosts = own_host_name() + ":3";
  const auto own = hosts_wanted(options, world.outside());
  ASSERT_TRUE(own);
  EXPECT_TRUE(own->hosts.empty());
  EXPECT_EQ(own->own_slots, 3);
  options.hosts = "localhost,127.0.0.1," + own_host_name();
  const auto names = hosts_wanted(options, world.outside());
  ASSERT_TRUE(names);
  EXPECT_TRUE(names->hosts.empty());
  EXPECT_EQ(names->own_slots, 3) << "each mention counts one";
  options.hosts = "localhost:2,127.0.0.1:3";
  EXPECT_EQ(hosts_wanted(options, world.outside()).error().code, Code::wrong_usage);
  options.hosts = "localhost,other.invalid";
  EXPECT_EQ(hosts_wanted(options, world.outside())->hosts.size(), 2U);
}

TEST(UsableGpus, OverHostsAreAllWhateverThisHostsVariableSays) {
  std::vector<std::string> said;
  const Voice voice{[&](const std::string& line) { said.push_back(line); },
                    [](const std::string&) {}};
  HostMachine machine;
  machine.topology.hosts = {example_host(4)};
  const Environment environment{{"CUDA_VISIBLE_DEVICES", "1"}};
  EXPECT_EQ(usable_gpus(machine, environment, voice).devices.size(), 1U);
  EXPECT_TRUE(said.empty());
  machine.hosts.resize(1);
  EXPECT_EQ(usable_gpus(machine, environment, voice).devices.size(), 4U);
  EXPECT_THAT(said, testing::ElementsAre(testing::HasSubstr("CUDA_VISIBLE_DEVICES")));
}

TEST(MachineToStartOn, IsNotATopologyOfSeveralHostsThatNobodyNamed) {
  const TemporaryWorld world;
  TopologyOptions options;
  options.topologies = {"synthetic:2 host, 2 gpu h100, 2 host/leaf"};
  EXPECT_EQ(machine_to_start_on(options, {}, {}, world.outside()).error().code, Code::unavailable);
  EXPECT_EQ(machine_to_think_of(options, {}, world.outside())->topology.hosts.size(), 2U);
}

}  // namespace
}  // namespace topolaunch::launcher
