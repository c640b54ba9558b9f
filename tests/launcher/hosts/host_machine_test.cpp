// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/host_machine.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "base/own_host.h"
#include "launcher/hosts/own_networks.h"
#include "launcher/supervise/network.h"
#include "tests/launcher/hosts/example_agent.h"

namespace topolaunch::launcher {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// A world whose other hosts are reached by an ExampleAgent. No name of it resolves.
class HostMachineTest : public testing::Test {
 protected:
  HostMachineTest() { world.environment.set("OMPI_MCA_plm_rsh_agent", "/bin/sh"); }

  Result<HostMachine> look(const std::string& hosts, const std::vector<std::string>& excluded = {}) {
    options.hosts = hosts;
    const Outside outside{world.files, agent, world.clock, world.environment};
    auto named = hosts_named(options, outside);
    if (!named) return fail(std::move(named).error());
    agent.asked.clear();
    return look_at_hosts(std::move(*named), options, excluded, outside);
  }

  TemporaryWorld world;
  ExampleAgent agent;
  TopologyOptions options;
};

std::vector<std::string> names(const HostMachine& machine) {
  std::vector<std::string> out;
  for (const topo::Host& host : machine.topology.hosts) out.push_back(host.name);
  return out;
}

TEST_F(HostMachineTest, AsksEachHostOnceAndRemembersIt) {
  const auto first = look("b.invalid:2,a.invalid");
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_THAT(names(*first), ElementsAre("b.invalid", "a.invalid"));
  EXPECT_THAT(first->slots(), ElementsAre(2, 0));
  EXPECT_EQ(first->topology.hosts[1].gpus.size(), 2U);
  EXPECT_THAT(agent.asked, UnorderedElementsAre("a.invalid", "b.invalid"));
  ASSERT_TRUE(look("c.invalid,a.invalid,b.invalid"));
  EXPECT_THAT(agent.asked, ElementsAre("c.invalid"));
  options.refresh = true;
  ASSERT_TRUE(look("a.invalid,b.invalid"));
  EXPECT_THAT(agent.asked, UnorderedElementsAre("a.invalid", "b.invalid"));
}

TEST_F(HostMachineTest, RefusesWhenAHostDoesNotAnswer) {
  agent.answer = [](const std::string& host) -> Result<CommandOutput> {
    if (host == "dead.invalid") return fail(Code::try_again, "too long");
    return CommandOutput{0, framed(example_facts(host)), ""};
  };
  const auto machine = look("a.invalid,dead.invalid");
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().code, Code::unavailable);
  EXPECT_THAT(machine.error().message,
              HasSubstr("1 of 2 hosts asked can't be used: dead.invalid: no answer within"));
  ASSERT_TRUE(look("a.invalid,dead.invalid", {"dead.invalid"}));
  EXPECT_THAT(agent.asked, IsEmpty()) << "one is remembered, the other excluded";
}

TEST_F(HostMachineTest, AHostThatIsAFileAsWellIsAskedFirst) {
  // Host names have no '/': the file lies where the process is.
  const std::string name = "topolaunch-test-hosts.invalid";
  ASSERT_TRUE(write_file(name, "a.invalid\n"));
  EXPECT_TRUE(look(name)) << "it answers: a host";
  agent.answer = [](const std::string&) -> Result<CommandOutput> {
    return fail(Code::try_again, "too long");
  };
  options.refresh = true;
  const auto machine = look(name);
  std::filesystem::remove(name);
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().next, "did you mean --hosts @" + name + "?");
}

TEST_F(HostMachineTest, KnowsOneHostUnderSeveralNames) {
  agent.answer = [](const std::string& host) {
    HostFacts facts = example_facts(host.starts_with("n1") ? "n1" : host);
    return CommandOutput{0, framed(facts), ""};
  };
  const auto joined = look("n1.invalid:4,n2.invalid,n1-ib.invalid:4");
  ASSERT_TRUE(joined) << joined.error().text();
  EXPECT_THAT(names(*joined), ElementsAre("n1.invalid", "n2.invalid"));
  EXPECT_THAT(joined->slots(), ElementsAre(8, 0));
  const std::string file = world.file("hf", "n1.invalid slots=4\nn1-ib.invalid slots=2\n");
  const auto refused = look("@" + file);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::invalid_input);
  EXPECT_EQ(refused.error().line, 2);
  EXPECT_THAT(refused.error().message,
              HasSubstr("host n1-ib.invalid, which is n1.invalid, has 2 slots here and 4 slots"));
}

TEST_F(HostMachineTest, RefusesHostsWithoutANetworkInCommon) {
  agent.answer = [](const std::string& host) {
    HostFacts facts = example_facts(host);
    if (host == "far.invalid") facts.networks = {"192.168.7.2/24"};
    return CommandOutput{0, framed(facts), ""};
  };
  const auto machine = look("a.invalid,b.invalid,far.invalid");
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().code, Code::unavailable);
  EXPECT_THAT(machine.error().message,
              HasSubstr("a.invalid and far.invalid have no network in common"));
}

TEST_F(HostMachineTest, TakesTheFabricAndTheRatesThatAreGiven) {
  options.topologies = {world.file("topology.conf",
                                   "SwitchName=l0 Nodes=a.invalid\nSwitchName=l1 Nodes=b.invalid\n"
                                   "SwitchName=s Switches=l[0-1]\n")};
  options.link_rate = "host=200Mb/s,uplink=100Mb/s";
  const auto machine = look("b.invalid,a.invalid");
  ASSERT_TRUE(machine) << machine.error().text();
  const topo::Fabric& fabric = machine->topology.fabric;
  EXPECT_NE(fabric.leaf_of_host[0], fabric.leaf_of_host[1]);
  EXPECT_EQ(fabric.switches[0].uplink, Bandwidth::megabits_per_second(100));
  EXPECT_EQ(fabric.host_rate, Bandwidth::megabits_per_second(200));
}

TEST_F(HostMachineTest, AsksNobodyForWhatTheTopologyDescribes) {
  options.topologies = {"synthetic:2 host, 4 gpu h100, 2 host/leaf"};
  const auto machine = look("host1,host0");
  ASSERT_TRUE(machine) << machine.error().text();
  EXPECT_THAT(agent.asked, IsEmpty());
  EXPECT_THAT(names(*machine), ElementsAre("host1", "host0"));
  EXPECT_EQ(machine->topology.hosts[0].gpus.size(), 4U);
}

TEST_F(HostMachineTest, LooksAtThisHostItself) {
  if (own_networks().empty()) GTEST_SKIP() << "no network besides loopback";
  agent.answer = [](const std::string& host) {
    HostFacts facts = example_facts(host);
    facts.networks = own_networks();
    return CommandOutput{0, framed(facts), ""};
  };
  const auto machine = look("localhost,a.invalid");
  ASSERT_TRUE(machine) << machine.error().text();
  EXPECT_THAT(agent.asked, ElementsAre("a.invalid"));
}

TEST_F(HostMachineTest, AllNamesOfThisMachineAreOneHost) {
  std::string all = "localhost:2,127.0.0.1:2," + own_host_name() + ":2";
  for (const std::string& address : reachable_addresses()) {
    all += (address.find(':') == std::string::npos ? "," + address : ",[" + address + "]") + ":2";
  }
  const int names_given = static_cast<int>(std::ranges::count(all, ',')) + 1;
  const auto asked = look(all);
  ASSERT_TRUE(asked) << asked.error().text();
  EXPECT_THAT(names(*asked), ElementsAre("localhost"));
  EXPECT_THAT(asked->slots(), ElementsAre(2 * names_given));
  // Nor are they several where the topology describes some of them, and nobody is asked.
  options.topologies = {world.file("t.json", R"({"schema": "topolaunch.topo/1", "hosts": [
      {"name": "localhost", "numa": [{"id": 0, "cpus": "0-1"}]},
      {"name": ")" + own_host_name() + R"(", "numa": [{"id": 0, "cpus": "0-1"}]}]})")};
  const auto described = look("a.invalid,localhost," + own_host_name());
  ASSERT_TRUE(described) << described.error().text();
  EXPECT_THAT(names(*described), ElementsAre("a.invalid", "localhost"));
}

TEST_F(HostMachineTest, NamesWithDifferentDomainsStayApartWhateverTheFabricSays) {
  options.topologies = {world.file("t.json", R"({"schema": "topolaunch.topo/1", "hosts": [
      {"name": "n1", "numa": [{"id": 0, "cpus": "0-1"}]}]})")};
  const auto machine = look("n1.a,n1.b");
  ASSERT_TRUE(machine) << machine.error().text();
  EXPECT_THAT(names(*machine), ElementsAre("n1.a", "n1.b"));
}

}  // namespace
}  // namespace topolaunch::launcher
