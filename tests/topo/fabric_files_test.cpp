// SPDX-License-Identifier: Apache-2.0
//
// Files of fabrics and measurements that lie outside the project. Counts of the samples are those
// of their README; those of published files were made with Python's regular expressions, json, csv
// and yaml over the same files (a host's name is the first word of its adapters' descriptions;
// leaves of the DGX dump are the unit numbers in its switches' names).
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tests/topo/facts.h"
#include "topo/format.h"
#include "topo/given.h"
#include "topo/ibnetdiscover.h"
#include "topo/render.h"

namespace topolaunch::topo {
namespace {

struct Counts {
  const char* file;
  const char* part;
  std::size_t hosts, gpus, leaves, boxes;  ///< boxes: all switches of the forest
};

const std::vector<Counts> kCounts{
    {"samples/slurm/topology-tree.conf", "", 18, 0, 5, 6},
    {"samples/slurm/topology-ragged.conf", "", 8, 0, 4, 7},
    {"samples/slurm/topology-two-roots.conf", "", 16, 0, 4, 6},
    {"samples/slurm/topology-block.conf", "", 71, 0, 4, 6},
    {"samples/slurm/topology-ring.conf", "", 16, 0, 2, 2},
    {"samples/slurm/topology-faults.conf", "", 12, 0, 4, 6},
    {"samples/slurm/topology.yaml", "", 13, 0, 3, 6},
    {"samples/slurm/topology.yaml", "gpu-tree", 13, 0, 3, 6},
    {"samples/slurm/topology.yaml", "nvl-block", 54, 0, 3, 4},
    {"samples/slurm/topology.yaml", "tp-ring", 16, 0, 2, 2},
    {"samples/slurm/topology.yaml", "cube", 24, 0, 2, 2},
    {"samples/slurm/scontrol-show-topology-tree.txt", "", 18, 0, 5, 6},
    {"samples/slurm/scontrol-show-topology-ragged.txt", "", 8, 0, 4, 7},
    {"samples/slurm/scontrol-show-topology-two-roots.txt", "", 16, 0, 4, 6},
    {"samples/slurm/scontrol-show-topology-block.txt", "", 72, 0, 4, 7},
    {"samples/slurm/scontrol-show-topology-ring.txt", "", 16, 0, 2, 2},
    {"samples/slurm/scontrol-show-topology-torus3d.txt", "", 24, 0, 2, 2},
    {"fixtures/fabric/slurm/switchbidon-topology.conf", "", 4, 0, 1, 1},
    {"fixtures/fabric/slurm/gcp-cloud_topology-tree-ragged.yaml", "", 28, 0, 11, 16},
    {"fixtures/fabric/topograph/ci__expected.slinky-dra-block.conf", "", 96, 0, 12, 21},
    {"fixtures/fabric/cyclecloud-slurm/block_topology.txt", "", 72, 0, 4, 4},
    {"fixtures/fabric/cyclecloud-slurm/slurm_illegal_block_topology_2.txt", "", 54, 0, 3, 3},
    {"samples/ec2/topology-3-layers-p5.json", "", 10, 80, 4, 7},
    {"samples/ec2/topology-4-layers-p6-b200.json", "", 8, 64, 4, 8},
    {"samples/ec2/topology-page-1-of-2.json", "", 4, 32, 2, 4},
    {"samples/ec2/topology-page-2-of-2.json", "", 2, 16, 2, 4},
    {"samples/ec2/topology-ultraserver-capacityblock.json", "", 7, 28, 3, 5},
    {"samples/ec2/topology-networknodes-null.json", "", 6, 48, 2, 4},
    {"samples/ec2/topology-empty.json", "", 0, 0, 0, 0},
    {"samples/ec2/instances-private-dns.json", "", 0, 0, 0, 0},
    {"samples/k8s/nodes-eks-hyperpod.json", "", 7, 48, 3, 6},
    {"samples/k8s/nodes-eks-ultraserver-clique.json", "", 5, 20, 2, 4},
    {"samples/k8s/nodes-gke.json", "", 6, 48, 3, 5},
    {"samples/k8s/nodes-oci.json", "", 5, 40, 3, 6},
    {"samples/k8s/nodes-topograph.json", "", 6, 24, 3, 6},
    {"samples/k8s/nodes-single.json", "", 1, 4, 1, 3},
    {"samples/hyperpod/resourceconfig-1-host.json", "", 1, 8, 0, 0},
    {"samples/hyperpod/resourceconfig-2-hosts.json", "", 2, 16, 0, 0},
    {"samples/hyperpod/resourceconfig-12-hosts-shuffled.json", "", 12, 96, 0, 0},
    {"samples/hyperpod/resourceconfig-12-hosts-string-order.json", "", 12, 96, 0, 0},
    {"samples/hyperpod/resourceconfig-heterogeneous.json", "", 5, 24, 0, 0},
    {"samples/hyperpod/resourceconfig-repeated-group.json", "", 3, 0, 0, 0},
    {"samples/hyperpod/resourceconfig-ultraserver.json", "", 8, 32, 0, 0},
    {"samples/hyperpod/resourceconfig-minimal-old.json", "", 2, 0, 0, 0},
    {"samples/hyperpod/resourceconfig-local-mode.json", "", 2, 0, 0, 0},
    {"samples/hyperpod/resource_config-slurm-cluster.json", "", 5, 32, 0, 0},
    {"samples/ib/net-16hosts.net", "", 16, 0, 4, 5},
    {"samples/ib/ibnetdiscover-16hosts.txt", "", 16, 0, 4, 5},
    {"samples/ib/ibnetdiscover-16hosts-broken-trunk.txt", "", 16, 0, 4, 5},
    {"samples/ib/ibnetdiscover-16hosts-two-cut-off.txt", "", 11, 0, 3, 4},
    {"samples/ib/ibnetdiscover-rails-8x2.txt", "", 8, 0, 2, 3},
    {"samples/ib/ibnetdiscover-unnamed-sharp.txt", "", 10, 0, 3, 4},
    {"samples/ib/ibnetdiscover-cut.txt", "", 10, 0, 3, 4},
    {"samples/ib/ibnetdiscover-p-ports.txt", "", 16, 0, 4, 5},
    {"fixtures/fabric/ibnetdiscover/ibtopotool-1.topo", "", 4, 0, 2, 3},
    {"fixtures/fabric/ibnetdiscover/ibtopotool-4.topo", "", 1, 0, 1, 1},
    {"fixtures/fabric/ibnetdiscover/treydock-ibnetdiscover__test.out", "", 3, 0, 2, 2},
    {"fixtures/fabric/ibsim/net", "", 2, 0, 1, 1},
    {"fixtures/fabric/ibsim/net.2sw2path", "", 2, 0, 2, 3},
    {"fixtures/fabric/ibsim/net.2sw2path4hca", "", 4, 0, 2, 3},
    {"fixtures/fabric/ibsim/net.2sw2path4hca2port", "", 2, 0, 2, 3},
    {"fixtures/fabric/superbench/ib_traffic_topo_aware_ibnetdiscover.txt", "", 10, 0, 5, 8},
    {"fixtures/fabric/topograph/output__ibnetdiscover__example.out", "", 194, 0, 8, 9},
    {"samples/measured/pairwise-12hosts-summary.csv", "", 12, 0, 0, 0},
    {"samples/measured/pairwise-12hosts-matrix.csv", "", 12, 0, 0, 0},
    {"samples/measured/pairwise-12hosts-long.csv", "", 12, 0, 0, 0},
    {"samples/measured/latency-8hosts-asymmetric.csv", "", 8, 0, 2, 2},
    {"samples/measured/latency-8hosts-bom-semicolon-comma.csv", "", 8, 0, 2, 2},
    {"samples/measured/all_reduce_perf-2x8-healthy.txt", "", 2, 0, 0, 0},
    {"fixtures/fabric/nccl-pairwise/"
     "example-cluster00__pairwise__runs__2511__without-debug__summary.csv",
     "", 17, 0, 0, 0},
    {"fixtures/fabric/nccl-pairwise/"
     "example-cluster01__pairwise__runs__20260128-010702__without-debug__summary.csv",
     "", 10, 0, 0, 0},
};

struct Subnet {
  const char* file;
  std::size_t switches, adapters, links;
};
const std::vector<Subnet> kSubnets{
    {"samples/ib/net-16hosts.net", 6, 16, 32},
    {"samples/ib/ibnetdiscover-16hosts.txt", 6, 16, 32},
    {"samples/ib/ibnetdiscover-16hosts-broken-trunk.txt", 6, 16, 31},
    {"samples/ib/ibnetdiscover-16hosts-two-cut-off.txt", 5, 11, 23},
    {"samples/ib/ibnetdiscover-p-ports.txt", 6, 16, 32},
    {"samples/ib/ibnetdiscover-rails-8x2.txt", 6, 16, 32},
    {"samples/ib/ibnetdiscover-unnamed-sharp.txt", 5, 14, 27},
    {"fixtures/fabric/topograph/output__ibnetdiscover__example.out", 40, 582, 1114},
    {"fixtures/fabric/superbench/ib_traffic_topo_aware_ibnetdiscover.txt", 8, 11, 18},
    {"fixtures/fabric/ibnetdiscover/ibtopotool-1.topo", 2, 4, 7},
    {"fixtures/fabric/ibsim/net.2sw2path4hca2port", 2, 2, 6},
};

/// What has to be said of a file.
const std::vector<std::pair<const char*, const char*>> kSaid{
    {"samples/ec2/topology-page-1-of-2.json", "ec2-more-pages"},
    {"samples/ec2/topology-networknodes-null.json", "host-place-unknown"},
    {"samples/k8s/nodes-gke.json", "node-not-ready"},
    {"samples/k8s/nodes-gke.json", "host-place-unknown"},
    {"samples/k8s/nodes-eks-hyperpod.json", "node-unschedulable"},
    {"samples/ib/ibnetdiscover-cut.txt", "ib-partial"},
    {"samples/ib/ibnetdiscover-unnamed-sharp.txt", "ib-host-unnamed"},
    {"samples/ib/ibnetdiscover-unnamed-sharp.txt", "ib-link-slow"},
    {"samples/ib/ibnetdiscover-16hosts-broken-trunk.txt", "ib-trunk-missing"},
    {"samples/measured/pairwise-12hosts-matrix.csv", "measured-slow-host"},
    {"samples/measured/pairwise-12hosts-matrix.csv", "measured-slow-pair"},
    {"samples/measured/pairwise-12hosts-long.csv", "measured-slow-pair"},
    {"samples/measured/pairwise-12hosts-summary.csv", "measured-slow-host"},
    {"samples/measured/latency-8hosts-asymmetric.csv", "measured-one-way"},
    {"samples/measured/latency-8hosts-bom-semicolon-comma.csv", "measured-missing"},
    {"samples/measured/latency-8hosts-bom-semicolon-comma.csv", "measured-leaves"},
};

std::string shared() {
  const char* folder = std::getenv("TOPOLAUNCH_SHARED");
  return folder != nullptr && std::filesystem::exists(std::string(folder) + "/samples/ib") ? folder
                                                                                           : "";
}
std::string content(const std::string& file) {
  std::ifstream in(shared() + "/" + file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}
Topology read(const std::string& file, const std::string& part = "") {
  const auto facts = facts_from_file(content(file), file, "", part);
  EXPECT_TRUE(facts.has_value()) << file << ": " << facts.error().text();
  return facts ? assembled(*facts) : Topology();
}

TEST(FabricFiles, GiveTheCountsThatOtherProgramsFound) {
  if (shared().empty()) GTEST_SKIP() << "TOPOLAUNCH_SHARED has no samples";
  for (const auto& want : kCounts) {
    const auto topology = read(want.file, want.part);
    std::size_t gpus = 0, leaves = 0;
    for (const auto& host : topology.hosts) gpus += host.gpus.size();
    for (const auto& box : topology.fabric.switches) leaves += box.level == 0 ? 1 : 0;
    const std::string name = std::string(want.file) + " " + want.part;
    EXPECT_EQ(topology.hosts.size(), want.hosts) << name;
    EXPECT_EQ(gpus, want.gpus) << name;
    EXPECT_EQ(leaves, want.leaves) << name;
    EXPECT_EQ(topology.fabric.switches.size(), want.boxes) << name;
    (void)render_tree(topology);
  }
}

TEST(FabricFiles, OfSubnetsHaveTheirSwitchesAdaptersAndLinks) {
  if (shared().empty()) GTEST_SKIP() << "TOPOLAUNCH_SHARED has no samples";
  for (const auto& want : kSubnets) {
    const auto graph = ib_graph(content(want.file));
    std::size_t switches = 0;
    for (const auto& node : graph.nodes)
      switches += node.kind == IbNode::Kind::fabric_switch ? 1 : 0;
    EXPECT_EQ(switches, want.switches) << want.file;
    EXPECT_EQ(graph.nodes.size() - switches, want.adapters) << want.file;
    EXPECT_EQ(graph.links.size(), want.links) << want.file;
  }
}

TEST(FabricFiles, SayWhatIsWrongWithThem) {
  if (shared().empty()) GTEST_SKIP() << "TOPOLAUNCH_SHARED has no samples";
  for (const auto& [file, code] : kSaid)
    EXPECT_GE(count_of(read(file), code), 1) << file << " " << code;
}

TEST(FabricFiles, AreReadOrRefusedInOneLine) {
  if (shared().empty()) GTEST_SKIP() << "TOPOLAUNCH_SHARED has no samples";
  std::set<std::string> known;
  for (const auto& counts : kCounts) known.insert(counts.file);
  std::size_t refused = 0;
  for (const char* folder : {"samples/ec2", "samples/ib", "samples/measured", "fixtures/fabric"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(shared() + "/" + folder)) {
      if (!entry.is_regular_file()) continue;
      const auto name = std::filesystem::relative(entry.path(), shared()).string();
      if (known.contains(name)) continue;
      const auto facts = facts_from_file(content(name), name, "");
      if (facts) {  // logs of one pair, too many to list
        EXPECT_EQ(assembled(*facts).hosts.size(), 2U) << name << " is not in the table";
        continue;
      }
      ++refused;
      EXPECT_EQ(facts.error().code, Code::invalid_input) << name;
      EXPECT_GT(facts.error().line, 0) << name;
      EXPECT_EQ(facts.error().text().find('\n'), std::string::npos) << name;
    }
  }
  EXPECT_GT(refused, 20U);
}

TEST(FabricFiles, OfTheSameNetworkAreTheSameFabric) {
  if (shared().empty()) GTEST_SKIP() << "TOPOLAUNCH_SHARED has no samples";
  const auto shape = [](const Topology& topology) {
    std::map<std::string, std::string> place;
    for (std::size_t h = 0; h < topology.hosts.size(); ++h) {
      const int leaf = topology.fabric.leaf_of_host[h];
      place[topology.hosts[h].name] =
          leaf < 0 ? "" : topology.fabric.switches[static_cast<std::size_t>(leaf)].name;
    }
    return place;
  };
  const auto net = shape(read("samples/ib/net-16hosts.net"));
  EXPECT_EQ(shape(read("samples/ib/ibnetdiscover-16hosts.txt")), net);
  EXPECT_EQ(shape(read("samples/ib/ibnetdiscover-p-ports.txt")), net);
  for (const char* kind : {"tree", "ragged", "two-roots"}) {
    EXPECT_EQ(shape(read(std::string("samples/slurm/scontrol-show-topology-") + kind + ".txt")),
              shape(read(std::string("samples/slurm/topology-") + kind + ".conf")))
        << kind;
  }
}

TEST(FabricFiles, SuperBenchsExpectedPairsAreAtTheirDistances) {
  if (shared().empty()) GTEST_SKIP() << "TOPOLAUNCH_SHARED has no samples";
  // Its three lines are pairs on one leaf, below one line card, and across the director.
  const auto topology = read("fixtures/fabric/superbench/ib_traffic_topo_aware_ibnetdiscover.txt");
  std::map<int, int> pairs;  // levels up to the common switch -> pairs
  for (std::size_t a = 0; a < topology.hosts.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      int x = topology.fabric.leaf_of_host[a], y = topology.fabric.leaf_of_host[b], level = 0;
      for (; x != y; ++level) {
        x = topology.fabric.switches[static_cast<std::size_t>(x)].parent;
        y = topology.fabric.switches[static_cast<std::size_t>(y)].parent;
      }
      ++pairs[level];
    }
  }
  EXPECT_EQ(pairs[0], 5);
  EXPECT_EQ(pairs[1], 12 + 4);
  EXPECT_EQ(pairs[2], 24);
}

TEST(FabricFiles, OfBothPagesAreOneTopology) {
  if (shared().empty()) GTEST_SKIP() << "TOPOLAUNCH_SHARED has no samples";
  auto first = *facts_from_file(content("samples/ec2/topology-page-1-of-2.json"), "1", "");
  const auto second = *facts_from_file(content("samples/ec2/topology-page-2-of-2.json"), "2", "");
  first.insert(first.end(), second.begin(), second.end());
  const auto topology = assembled(first);
  std::map<int, int> leaves;
  for (const int leaf : topology.fabric.leaf_of_host) ++leaves[leaf];
  EXPECT_THAT(leaves, ::testing::ElementsAre(::testing::Pair(::testing::_, 3),
                                             ::testing::Pair(::testing::_, 3)));
}

}  // namespace
}  // namespace topolaunch::topo
