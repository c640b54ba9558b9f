// SPDX-License-Identifier: Apache-2.0
#include "topo/synthetic.h"

#include <gmock/gmock.h>

#include <map>
#include <random>
#include <set>

#include "tests/topo/facts.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

Topology built(const std::string& text) {
  const auto spec = parse_synthetic(text);
  EXPECT_TRUE(spec.has_value()) << text << ": " << spec.error().text();
  Survey survey;
  survey.facts = synthetic_facts(*spec);
  return *assemble(std::move(survey));
}

TEST(Synthetic, BuildsTheClusterOfTheContract) {
  const auto topology = built("16 host, 8 gpu h100 nvswitch, 8 nic ndr, 4 host/leaf, 4:1");
  ASSERT_EQ(topology.hosts.size(), 16U);
  EXPECT_TRUE(topology.warnings.empty());
  const Host& host = topology.hosts[15];
  EXPECT_EQ(host.name, "host15");
  ASSERT_EQ(host.gpus.size(), 8U);
  ASSERT_EQ(host.nics.size(), 8U);
  EXPECT_EQ(host.numa.size(), 2U);
  EXPECT_EQ(host.gpus[3].numa, 0);
  EXPECT_EQ(host.gpus[4].numa, 1);
  EXPECT_EQ(host.gpus[0].links.at(0).count, 18);
  EXPECT_DOUBLE_EQ(host.gpus[0].links[0].bandwidth.gigabytes_per_second(), 450);
  EXPECT_DOUBLE_EQ(host.nics[0].rate.gigabytes_per_second(), 50);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(host.relation(host.gpus[i], host.nics[i]), PciRelation::pix) << i;
  }
  EXPECT_EQ(topology.fabric.switches.size(), 5U);
  EXPECT_EQ(topology.fabric.leaf_of_host[0], topology.fabric.leaf_of_host[3]);
  EXPECT_NE(topology.fabric.leaf_of_host[0], topology.fabric.leaf_of_host[4]);
  // 4 hosts x 8 x 50 GB/s below, a fourth of it up.
  EXPECT_DOUBLE_EQ(topology.fabric.switches[0].uplink.gigabytes_per_second(), 400);
}

TEST(Synthetic, ForgivesOrderPluralsBlanksAndGlue) {
  const auto want = built("2 host, 8 gpu h100 nvswitch, 4 nic ndr, 1 host/leaf");
  for (const char* text :
       {"h100 nvswitch 8 gpus; ndr, 4 nics ; 2 hosts ; 1 hosts/leaf", "2host 8xH100 4 ndr 1host/leaf",
        "8 h100, 4 NDR NICs, 2 machines, 1 host per leaf", "2 hosts,8gpus h100,4nic ndr,1 host/leaf",
        "8x h100 2 nodes 4 hca 1 node/leaf"}) {
    const auto spec = parse_synthetic(text);
    ASSERT_TRUE(spec.has_value()) << text << ": " << spec.error().text();
    const auto got = built(text);
    EXPECT_EQ(got.hosts.size(), want.hosts.size()) << text;
    EXPECT_EQ(got.hosts[0].gpus.size(), want.hosts[0].gpus.size()) << text;
    EXPECT_EQ(got.hosts[0].nics.size(), want.hosts[0].nics.size()) << text;
    EXPECT_EQ(got.hosts[0].nics[0].rate, want.hosts[0].nics[0].rate) << text;
    EXPECT_EQ(got.fabric.switches.size(), want.fabric.switches.size()) << text;
  }
}

TEST(Synthetic, BuildsTheCubeMeshOfADgx1) {
  const auto host = built("8 v100, 4 nic").hosts.at(0);
  // nvidia-smi topo -m of a DGX-1V: links of GPU 0 to 1..7.
  const std::vector<int> want{1, 1, 2, 2, 0, 0, 0};
  std::vector<int> got(7, 0);
  for (const auto& link : host.gpus[0].links) got[static_cast<std::size_t>(link.peer) - 1] = link.count;
  EXPECT_EQ(got, want);
  for (const auto& gpu : host.gpus) {
    int links = 0;
    for (const auto& link : gpu.links) links += link.count;
    EXPECT_EQ(links, 6);
  }
}

TEST(Synthetic, Makes16V100sADgx2) {
  EXPECT_EQ(built("16 v100").hosts.at(0).gpus[0].links.at(0).to, GpuLink::To::nvswitch);
}

TEST(Synthetic, LeavesPcieBoardsWithoutNvlink) {
  const auto host = built("8 h100 pcie").hosts.at(0);
  EXPECT_TRUE(host.gpus[0].links.empty());
  EXPECT_EQ(host.gpus[0].model, "NVIDIA H100 PCIe");
  EXPECT_TRUE(built("8 l40s").hosts.at(0).gpus[0].links.empty());
}

TEST(Synthetic, PutsGb200HostsIntoNvlinkDomainsOf72) {
  const auto topology = built("36 hosts gb200 4 ndr");
  EXPECT_TRUE(topology.warnings.empty());
  std::map<std::string, int> hosts_of;
  for (const auto& host : topology.hosts) ++hosts_of[host.gpus.at(0).fabric_cluster];
  EXPECT_EQ(hosts_of.size(), 2U);
  EXPECT_EQ(hosts_of.begin()->second, 18);
  const Host& host = topology.hosts[0];
  EXPECT_EQ(host.gpus[1].numa, 0);
  EXPECT_EQ(host.gpus[2].numa, 1);
  EXPECT_EQ(host.gpus[1].memory_numa, 10);
  EXPECT_TRUE(host.numa_node(10)->cpus.empty());
  EXPECT_EQ(built("8 host gb200 nvl16").hosts[4].gpus[0].fabric_cluster,
            built("8 host gb200 nvl16").hosts[7].gpus[0].fabric_cluster);
}

TEST(Synthetic, BuildsThreeLevelsOfSwitches) {
  const auto topology = built("64 host, 8 core, 4 host/leaf, 4 leaf/spine, 2:1, 4:1, 1 edr");
  ASSERT_EQ(topology.fabric.switches.size(), 16U + 4U + 1U);
  const auto& leaf = topology.fabric.switches[0];
  const auto& spine = topology.fabric.switches[static_cast<std::size_t>(leaf.parent)];
  EXPECT_DOUBLE_EQ(leaf.uplink.gigabytes_per_second(), 4 * 12.5 / 2);
  EXPECT_DOUBLE_EQ(spine.uplink.gigabytes_per_second(), 4 * 25.0 / 4);
  EXPECT_EQ(topology.fabric.switches[static_cast<std::size_t>(spine.parent)].parent, -1);
}

TEST(Synthetic, NumbersThreadsAsLinuxDoes) {
  const auto host = built("2 sockets, 8 cores, 2 threads").hosts.at(0);
  EXPECT_EQ(host.numa[0].cpus, cpus("0-3,8-11"));
  EXPECT_EQ(host.numa[1].cpus, cpus("4-7,12-15"));
  EXPECT_EQ(host.smt.at(5), (std::vector<int>{5, 13}));
}

TEST(Synthetic, GivesEveryDeviceItsOwnAddress) {
  for (const char* text : {"64 t4, 64 nic efa", "1 h100, 64 efa", "64 h100 nvswitch, 1 ndr"}) {
    const auto host = built(text).hosts.at(0);
    std::set<std::string> addresses;
    for (const auto& gpu : host.gpus) addresses.insert(gpu.pci->text());
    for (const auto& nic : host.nics) addresses.insert(nic.pci->text());
    EXPECT_EQ(addresses.size(), host.gpus.size() + host.nics.size()) << text;
    EXPECT_EQ(host.nics.size() + host.gpus.size(), text[0] == '1' || text[3] == 'h' ? 65U : 128U);
  }
}

TEST(Synthetic, PointsAtTheWordThatItDoesNotKnow) {
  const auto error = parse_synthetic("16 hots, 8 gpu h100").error();
  EXPECT_EQ(error.code, Code::wrong_usage);
  EXPECT_THAT(error.message, HasSubstr("'hots' (character 4)"));
  EXPECT_THAT(error.next, HasSubstr("gb200"));
}

TEST(Synthetic, RefusesWhatCannotBe) {
  const std::vector<std::pair<const char*, const char*>> cases{
      {"", "empty"},
      {"8 gpu", "without a model"},
      {"16 host 8", "number without a unit"},
      {"8 16 host", "number without a unit"},
      {"0 host", "may not be 0"},
      {"65 h100", "from 0 to 64"},
      {"131073 host", "from 0 to 131072"},
      {"99999999999999999999 host", "from 0 to 131072"},
      {"9 v100 mesh", "at most 8"},
      {"4 socket 2 numa", "do not fit"},
      {"4 host, 2 leaf/spine", "level of the network is missing"},
      {"4 host, 4:0", "'4:0'"},
      {"4 host, 2:1, 2:1", "more oversubscriptions"},
      {"131072 host 64 h100", "more than 4,000,000"},
      {"3 gb200 nvl16", "no whole number"},
      {"host", "needs a number"},
      {"2 host, 3 host", "'host' (character 11) says the number of hosts a second time"},
      {"1 t4, 1 h100", "says the number of GPUs a second time"},
      {"t4 h100", "says the GPU model a second time"},
      {"8 gpu h100, 4 gpu", "says the number of GPUs a second time"},
      {"2 nic ndr, 4 nic", "says the number of NICs a second time"},
      {"2 nic ndr hdr", "says the rate of NICs a second time"},
      {"2 socket 4 package", "says the number of sockets a second time"},
      {"4 host/leaf, 8 host/leaf", "says the hosts of a leaf a second time"},
      {"8 h100 nvswitch pcie", "contradicts the links"},
  };
  for (const auto& [text, says] : cases) {
    const auto spec = parse_synthetic(text);
    ASSERT_FALSE(spec.has_value()) << text;
    EXPECT_THAT(spec.error().text(), HasSubstr(says)) << text;
  }
}

TEST(Synthetic, SurvivesRandomText) {
  const std::vector<std::string> pieces{"16", "host", "h100", ",", " ", "8x", "/", "leaf", ":", "1",
                                        "nvl", "0", "-", "4:1", "gpu", "per", "ndr", "\t", "x", "s"};
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (auto n = random() % 10; n > 0; --n) text += pieces[random() % pieces.size()];
    (void)parse_synthetic(text);
  }
}

}  // namespace
}  // namespace topolaunch::topo
