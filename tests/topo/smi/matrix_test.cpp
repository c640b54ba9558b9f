// SPDX-License-Identifier: Apache-2.0
#include "topo/smi/matrix.h"

#include <gmock/gmock.h>

#include "tests/topo/smi/texts.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

// Two bridged pairs on two sockets, a NIC of two ports below the switch of the first pair.
const std::string kPairs =
    "\t\x1b[4mGPU0\tGPU1\tGPU2\tGPU3\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m\n"
    "GPU0\t X \tNV4\tSYS\tSYS\tPIX\tPIX\t0-7,16-23\t0\t\tN/A\n"
    "GPU1\tNV4\t X \tSYS\tSYS\tPXB\tPXB\t0-7,16-23\t0\t\tN/A\n"
    "GPU2\tSYS\tSYS\t X \tNV4\tSYS\tSYS\t8-15,24-31\t1\t\tN/A\n"
    "GPU3\tSYS\tSYS\tNV4\t X \tSYS\tSYS\t8-15,24-31\t1\t\tN/A\n"
    "NIC0\tPIX\tPXB\tSYS\tSYS\t X \tPIX\t\t\t\t\n"
    "NIC1\tPIX\tPXB\tSYS\tSYS\tPIX\t X \t\t\t\t\n"
    "\nLegend:\n\n  X    = Self\n  SYS  = Connection traversing PCIe\n  NV#  = bonded NVLinks\n"
    "\nNIC Legend:\n\n  NIC0: mlx5_0\n  NIC1: mlx5_1\n";

void expect_pairs(const Topology& topology, const std::string& nic = "mlx5_0") {
  const Host& host = topology.hosts.at(0);
  ASSERT_EQ(host.gpus.size(), 4U);
  ASSERT_EQ(host.nics.size(), 2U);
  EXPECT_EQ(host.nics[0].name, nic);
  EXPECT_EQ(links_between(host, 0, 1), 4);
  EXPECT_EQ(links_between(host, 2, 3), 4);
  EXPECT_EQ(links_of(host.gpus[1]), 4);
  EXPECT_EQ(host.relation(host.gpus[0], host.nics[0]), PciRelation::pix);
  EXPECT_EQ(host.relation(host.gpus[1], host.nics[0]), PciRelation::pxb);
  EXPECT_EQ(host.relation(host.gpus[2], host.nics[1]), PciRelation::sys);
  EXPECT_EQ(host.relation(host.gpus[0], host.gpus[2]), PciRelation::sys);
}

std::string without_line(std::string text, int number) {
  std::size_t begin = 0;
  for (int i = 1; i < number; ++i) begin = text.find('\n', begin) + 1;
  return text.erase(begin, text.find('\n', begin) + 1 - begin);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

TEST(SmiMatrix, GivesLinksRelationsAndPlaces) {
  const auto topology = read_smi(kPairs);
  expect_pairs(topology);
  const Host& host = topology.hosts[0];
  ASSERT_EQ(host.numa.size(), 2U);
  EXPECT_EQ(host.numa[1].cpus, cpus("8-15,24-31"));
  EXPECT_EQ(host.gpus[3].numa, 1);
  EXPECT_EQ(host.nics[0].numa, 0);
  EXPECT_EQ(host.gpus[0].origins.at(0).text(), "nvidia-smi smi.txt:2");
  EXPECT_TRUE(topology.warnings.empty()) << topology.warnings[0].message;
}

TEST(SmiMatrix, IsReadHoweverItWasPasted) {
  expect_pairs(read_smi(kPairs.substr(1)));                  // the header lost its leading tab
  expect_pairs(read_smi("$ nvidia-smi topo -m " + kPairs));  // header on the prompt's line
  expect_pairs(read_smi(replaced(kPairs, "\t", "    ")));    // blanks for tabs
  expect_pairs(read_smi(replaced(kPairs, "\n", "\r\n")));
  expect_pairs(read_smi(without_line(kPairs, 1)));  // no header at all
  expect_pairs(read_smi(kPairs.substr(0, kPairs.find("\nLegend"))), "NIC0");
  // The legend between the rows.
  const auto row = kPairs.find("GPU2\tSYS");
  expect_pairs(
      read_smi(kPairs.substr(0, row) + "\nLegend:\n  X    = Self\n\n" + kPairs.substr(row)));
}

TEST(SmiMatrix, SaysThatItIsCut) {
  const auto topology = read_smi(kPairs.substr(0, kPairs.find("NV4\t X \tSYS\tSYS\t8-15") + 2));
  const Host& host = topology.hosts.at(0);
  EXPECT_EQ(host.gpus.size(), 4U);
  EXPECT_EQ(host.nics.size(), 2U);
  EXPECT_EQ(links_between(host, 3, 2), 4);  // from GPU2's row: "NV" at the end says nothing
  EXPECT_THAT(message_of(topology, "smi-partial"), HasSubstr("3 of 6 rows"));
  EXPECT_FALSE(host.gpus[3].numa.has_value());
}

TEST(SmiMatrix, RefusesWhatContradictsItself) {
  const auto shifted = refused_smi(replaced(kPairs, "GPU1\tNV4\t X ", "GPU1\t X \tNV4"));
  EXPECT_EQ(shifted.code, Code::invalid_input);
  EXPECT_EQ(shifted.line, 3);
  EXPECT_THAT(shifted.message, HasSubstr("shifted"));
  EXPECT_EQ(
      refused_smi(replaced(kPairs, "\t X \tSYS\tSYS\tPXB\tPXB\t0-7,16-23\t0\t\tN/A", "\t X ")).line,
      3);
  EXPECT_THAT(refused_smi(replaced(kPairs, "NIC1\tPIX\tPXB", "NIC0\tPIX\tPXB")).message,
              HasSubstr("line 6 already"));
  EXPECT_THAT(refused_smi(replaced(kPairs, "GPU3\tNIC0", "GPU2\tNIC0")).message,
              HasSubstr("twice"));
}

TEST(SmiMatrix, SaysWhichAffinityCannotBeRead) {
  // Cells that ran into one another: "168-2231" is no CPU list, however much it looks like one.
  const auto topology = read_smi(
      "     GPU0  GPU1  CPU Affinity  NUMA Affinity  GPU NUMA ID\n"
      "GPU0  X    SYS   0-55,112-167 0N/A\n"
      "GPU1  SYS   X    56-111,168-2231          N/A\n");
  EXPECT_EQ(count_of(topology, "smi-affinity-unreadable"), 2);
  EXPECT_TRUE(topology.hosts.at(0).numa.empty());
  EXPECT_TRUE(topology.hosts[0].cpus.empty());
}

TEST(SmiMatrix, TakesTheNodeWithCpusOutOfAListOfNodes) {
  const auto topology = read_smi(
      "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
      "GPU0\t X \tNV6\t0-71\t0,5-11\t\t4\n"
      "GPU1\tNV6\t X \t72-143\t1,13-19\t\t12\n");
  const Host& host = topology.hosts.at(0);
  EXPECT_EQ(host.gpus.at(0).numa, 0);
  EXPECT_EQ(host.gpus.at(1).numa, 1);
  EXPECT_EQ(host.gpus[1].memory_numa, 12);
  EXPECT_TRUE(host.numa_node(12)->cpus.empty());
  EXPECT_EQ(host.numa_node(1)->cpus, cpus("72-143"));
}

TEST(SmiMatrix, DoesNotInventANode) {
  const auto unknown = read_smi(
      "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tPIX\t0-95\t\tN/A\nGPU1\tPIX\t X "
      "\t0-95\t\tN/A\n");
  EXPECT_FALSE(unknown.hosts.at(0).gpus.at(0).numa.has_value());
  EXPECT_EQ(unknown.hosts[0].cpus, cpus("0-95"));
  const auto both = read_smi("\tGPU0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \t0-95\t0-1\n");
  EXPECT_FALSE(both.hosts.at(0).gpus.at(0).numa.has_value());
  const auto old = read_smi("\tGPU0\tCPU Affinity\nGPU0\t X \t0-19,40-59\n");
  EXPECT_FALSE(old.hosts.at(0).gpus.at(0).numa.has_value());
}

TEST(SmiMatrix, ReadsSwitchesFromTheSameCountToAll) {
  std::string text = "\tGPU0\tGPU1\tGPU2\tGPU3\n";
  for (int a = 0; a < 4; ++a) {
    text += "GPU" + std::to_string(a);
    for (int b = 0; b < 4; ++b) text += a == b ? "\t X " : "\tNV12";
    text += "\n";
  }
  const auto topology = read_smi(text);
  for (const auto& gpu : topology.hosts.at(0).gpus) {
    ASSERT_EQ(gpu.links.size(), 1U);
    EXPECT_EQ(gpu.links[0].to, GpuLink::To::nvswitch);
    EXPECT_EQ(gpu.links[0].count, 12);
  }
  EXPECT_TRUE(topology.warnings.empty());
  // One GPU of an NVSwitch machine without links: the others still end in switches, and it is
  // named.
  for (int b = 0; b < 3; ++b)
    text = replaced(text, "GPU3\tNV12\tNV12\tNV12", "GPU3\tSYS\tSYS\tSYS");
  text = replaced(text, "\tNV12\n", "\tSYS\n");
  const auto odd = read_smi(text);
  EXPECT_EQ(odd.hosts.at(0).gpus.at(0).links.at(0).to, GpuLink::To::nvswitch);
  EXPECT_EQ(count_of(odd, "nvlink-odd-gpu"), 1);
  EXPECT_EQ(count_of(odd, "nvlink-impossible-count"), 0);
}

TEST(SmiMatrix, ReadsThePeerToPeerTable) {
  const auto topology = read_smi(
      " \tGPU0\tGPU1\tGPU2\t\n GPU0\tX\tOK\tCNS\t\n GPU1\tOK\tX\tDR\t\n GPU2\tCNS\tDR\tX\t\n\n"
      "Legend:\n\n  X    = Self\n  OK   = Status Ok\n  DR   = Disabled by regkey\n");
  const auto& p2p = topology.hosts.at(0).p2p;
  ASSERT_EQ(p2p.size(), 3U);
  EXPECT_EQ(p2p[0][1], P2pStatus::ok);
  EXPECT_EQ(p2p[2][0], P2pStatus::not_supported);
  EXPECT_EQ(p2p[1][2], P2pStatus::disabled);
  EXPECT_EQ(topology.hosts[0].gpus.size(), 3U);
}

TEST(SmiMatrix, SaysWordsThatItDoesNotKnowAndWordsThatNoTreeGives) {
  const auto strange = read_smi("\tGPU0\tGPU1\nGPU0\t X \tFOO\nGPU1\tFOO\t X \n");
  EXPECT_EQ(count_of(strange, "smi-unknown-cell"), 2);
  const auto no_tree = read_smi(
      "\tGPU0\tGPU1\tGPU2\nGPU0\t X \tPIX\tSYS\nGPU1\tPIX\t X \tPIX\nGPU2\tSYS\tPIX\t X \n");
  EXPECT_EQ(count_of(no_tree, "smi-no-tree"), 1);
}

}  // namespace
}  // namespace topolaunch::topo
