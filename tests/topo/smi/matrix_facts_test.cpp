// SPDX-License-Identifier: Apache-2.0
//
// Tables of `topo -m` of which lines or columns are missing: what no row says is unknown.
#include <gmock/gmock.h>

#include "tests/topo/smi/texts.h"
#include "topo/smi/matrix.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

// The first `rows` of eight GPUs on NVSwitches, two sockets, a NIC at the first and at the last.
std::string switched(int rows) {
  std::string text =
      "\tGPU0\tGPU1\tGPU2\tGPU3\tGPU4\tGPU5\tGPU6\tGPU7\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\n";
  for (int a = 0; a < rows; ++a) {
    text += "GPU" + std::to_string(a);
    for (int b = 0; b < 8; ++b) text += a == b ? "\t X " : "\tNV18";
    text += std::string("\t") + (a == 0 ? "PIX" : a < 4 ? "NODE" : "SYS") + "\tSYS\t";
    text += a < 4 ? "0-7\t0\n" : "8-15\t1\n";
  }
  return text;
}

// A mesh without switches, four PCIe pairs in two nodes, of which the rows of the second are lost.
const std::string kMesh =
    "     GPU0 GPU1 GPU2 GPU3 CPU Affinity NUMA Affinity\n"
    "GPU0  X   NV2  NV1  NODE 0-7 0\n"
    "GPU1 NV2   X   NODE NV1  0-7 0\n";

/// Of the cut alone is warned.
void expect_cut_alone(const Topology& topology) {
  ASSERT_EQ(topology.warnings.size(), 1U);
  EXPECT_EQ(topology.warnings[0].code, "smi-partial");
}

TEST(SmiCutTable, PutsNothingOnANodeThatNoRowNames) {
  const auto topology = read_smi(switched(4));
  const Host& host = topology.hosts.at(0);
  ASSERT_EQ(host.gpus.size(), 8U);
  EXPECT_EQ(host.gpus[3].numa, 0);
  for (std::size_t i = 4; i < 8; ++i) EXPECT_FALSE(host.gpus[i].numa.has_value()) << i;
  EXPECT_EQ(host.nics.at(0).numa, 0);  // GPU0's row: PIX
  EXPECT_FALSE(host.nics.at(1).numa.has_value());
  EXPECT_EQ(host.relation(host.gpus[0], host.nics[1]), PciRelation::sys);
  EXPECT_EQ(host.relation(host.gpus[4], host.gpus[5]), PciRelation::unknown);
  EXPECT_EQ(host.relation(host.gpus[4], host.nics[1]), PciRelation::unknown);
  expect_cut_alone(topology);
}

TEST(SmiCutTable, CountsLinksOfUnseenRowsOnce) {
  for (const int rows : {1, 4, 7}) {
    const auto topology = read_smi(switched(rows));
    for (const auto& gpu : topology.hosts.at(0).gpus) {
      ASSERT_EQ(gpu.links.size(), 1U) << rows << " " << gpu.index;
      EXPECT_EQ(gpu.links[0].to, GpuLink::To::nvswitch);
      EXPECT_EQ(links_of(gpu), 18);
    }
    expect_cut_alone(topology);
  }
}

TEST(SmiCutTable, SaysNothingOfPairsThatNoRowStates) {
  const auto topology = read_smi(kMesh);
  const Host& host = topology.hosts.at(0);
  EXPECT_EQ(host.relation(host.gpus.at(0), host.gpus.at(3)), PciRelation::node);
  EXPECT_EQ(host.relation(host.gpus[2], host.gpus[3]), PciRelation::unknown);
  EXPECT_EQ(links_between(host, 2, 0), 1);
  EXPECT_EQ(links_between(host, 0, 2), 1);
  EXPECT_EQ(links_between(host, 2, 3), 0);
  expect_cut_alone(topology);
}

TEST(SmiCutTable, DoesNotCallUnseenGpusOdd) {
  // Six links each: of the last, one row of five says two.
  std::string text = "\tGPU0\tGPU1\tGPU2\tGPU3\n";
  text += "GPU0\t X \tNV2\tNV2\tNV2\nGPU1\tNV2\t X \tNV2\tNV2\nGPU2\tNV2\tNV2\t X \tNV2\n";
  expect_cut_alone(read_smi(text));
  const std::string chain =
      "\tGPU0\tGPU1\tGPU2\tGPU3\tGPU4\n"
      "GPU0\t X \tNV4\tSYS\tSYS\tSYS\nGPU1\tNV4\t X \tSYS\tSYS\tSYS\n"
      "GPU2\tSYS\tSYS\t X \tNV4\tSYS\nGPU3\tSYS\tSYS\tNV4\t X \tSYS\n";
  expect_cut_alone(read_smi(chain));
}

TEST(SmiCutTable, KeepsWholeWordsOfAnotherSource) {
  auto facts = *facts_from_smi(kMesh, "smi.txt", "n1");
  NumaFact node;
  node.node.id = 0;
  node.node.cpus = cpus("0-7");
  facts.push_back({{"sysfs", "", 0}, "n1", node});
  // The machine itself has one node only: every device is there.
  EXPECT_EQ(assembled(facts).hosts.at(0).gpus.at(3).numa, 0);
}

TEST(SmiCutTable, SaysWhichColumnsTheTerminalCutOff) {
  const auto narrow = read_smi(
      "     GPU0 GPU1 NIC0\nGPU0  X   NV4  PIX\nGPU1 NV4   X   PXB\nNIC0 PIX  PXB   X\n"
      "NIC1 SYS  SYS  NODE\nNIC2 SYS  SYS  NODE\n\nLegend:\n  X    = Self\n\nNIC Legend:\n"
      "  NIC0: mlx5_0\n  NIC1: mlx5_1\n  NIC2: mlx5_2\n  NIC3: mlx5_3\n");
  EXPECT_EQ(message_of(narrow, "smi-partial"),
            "the table is cut at the right: of its columns NIC1, NIC2, NIC3, CPU Affinity, NUMA "
            "Affinity are lost");
  expect_cut_alone(narrow);
  EXPECT_EQ(narrow.hosts.at(0).nics.at(0).name, "mlx5_0");
  EXPECT_EQ(links_between(narrow.hosts[0], 0, 1), 4);
}

TEST(SmiCutTable, TakesNoCpusOfAColumnThatIsCut) {
  for (const std::string heading : {"CPU Aff", "CPU Affinity  NUMA Af"}) {
    const auto topology =
        read_smi("     GPU0 GPU1 " + heading + "\nGPU0  X   SYS  0-1\nGPU1 SYS   X   8-1\n");
    EXPECT_TRUE(topology.hosts.at(0).cpus.empty());
    EXPECT_EQ(message_of(topology, "smi-partial"),
              "the table is cut at the right: of its columns CPU Affinity, NUMA Affinity are lost");
    expect_cut_alone(topology);
  }
}

TEST(SmiCutTable, IsRefusedWithoutRowsAndIfWrapped) {
  const auto header = refused_smi("\tGPU0\tGPU1\tCPU Affinity\n");
  EXPECT_EQ(header.code, Code::invalid_input);
  EXPECT_EQ(header.message, "no row of the table could be read");
  const auto wrapped = refused_smi(
      "     GPU0 GPU1\nNIC0 CPU Affi\nnity\nGPU0  X   SYS\nPIX  0-7\nGPU1 SYS   X\nSYS  8-15\n");
  EXPECT_EQ(wrapped.line, 2);
  EXPECT_THAT(wrapped.message, HasSubstr("wrapped"));
}

TEST(SmiTable, PutsANicThatIsFarFromAllGpusOnNoNode) {
  const auto topology = read_smi(
      "\tGPU0\tNIC0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tSYS\t0-7\t0\nNIC0\tSYS\t X \n");
  EXPECT_FALSE(topology.hosts.at(0).nics.at(0).numa.has_value());
  EXPECT_TRUE(topology.warnings.empty());
}

TEST(SmiTable, TakesNothingForAnAffinity) {
  for (const std::string words : {"\t\t\tN/A", "\tN/A\tN/A\tN/A", "\t\t\t"}) {
    const auto topology =
        read_smi("\tGPU0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\nGPU0\t X " + words + "\n");
    EXPECT_TRUE(topology.warnings.empty()) << words;
    EXPECT_FALSE(topology.hosts.at(0).gpus.at(0).numa.has_value());
    EXPECT_TRUE(topology.hosts[0].cpus.empty());
  }
}

}  // namespace
}  // namespace topolaunch::topo
