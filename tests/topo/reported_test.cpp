// SPDX-License-Identifier: Apache-2.0
//
// Faults that people reported of other programs, each as its kind: over the formats that can hold
// it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/topo/facts.h"
#include "topo/given.h"
#include "topo/lint/environment.h"
#include "topo/lint/lint.h"
#include "topo/nccl_xml.h"
#include "topo/render.h"
#include "topo/topology_json.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

Topology read(const std::string& text, const std::string& file = "f") {
  const auto facts = facts_from_file(text, file, "n1");
  EXPECT_TRUE(facts.has_value()) << facts.error().text() << "\n" << text;
  return facts ? assembled(*facts) : Topology();
}

/// GPUs at these addresses, a NUMA node each, in every host format that has addresses.
std::vector<std::string> files_with(const std::vector<std::string>& addresses) {
  std::string nccl = "<system version=\"1\">";
  std::string query = "index, name, pci.bus_id\n";
  std::string hwloc =
      "<?xml version=\"1.0\"?><topology version=\"2.0\"><object type=\"Machine\" os_index=\"0\" "
      "cpuset=\"0x1\" complete_cpuset=\"0x1\" allowed_cpuset=\"0x1\" nodeset=\"0x1\" "
      "complete_nodeset=\"0x1\" allowed_nodeset=\"0x1\"><object type=\"NUMANode\" os_index=\"0\" "
      "cpuset=\"0x1\" complete_cpuset=\"0x1\" nodeset=\"0x1\" complete_nodeset=\"0x1\" "
      "local_memory=\"1024\"/><object type=\"PU\" os_index=\"0\" cpuset=\"0x1\" "
      "complete_cpuset=\"0x1\" "
      "nodeset=\"0x1\" complete_nodeset=\"0x1\"/>";
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const auto& at = addresses[i];
    const auto domain = at.substr(0, at.find(':'));
    nccl += "<cpu numaid=\"" + std::to_string(i) + "\" affinity=\"" + std::to_string(1 << i) +
            "\" arch=\"x86_64\"><pci busid=\"" + at + "\" class=\"0x030200\"/></cpu>";
    query += std::to_string(i) + ", NVIDIA X, " + at + "\n";
    hwloc += "<object type=\"Bridge\" bridge_type=\"0-1\" depth=\"0\" bridge_pci=\"" + domain +
             ":[00-ff]\"><object type=\"PCIDev\" pci_busid=\"" + at +
             "\" pci_type=\"0302 [10de:2330] [10de:16c1] a1\" pci_link_speed=\"0.0\"/></object>";
  }
  return {nccl + "</system>", query, hwloc + "</object></topology>"};
}

// illinois-ceesd/mirgecom#190, ROCm/clr#106, open-mpi/hwloc#696: GPUs compared by bus and slot
// alone.
TEST(Reported, GpusThatDifferInTheirDomainAloneAreDifferent) {
  const std::vector<std::string> addresses{"0000:02:00.0", "0001:02:00.0", "0002:02:00.0",
                                           "0003:02:00.0"};
  for (const auto& text : files_with(addresses)) {
    const auto topology = read(text);
    ASSERT_EQ(topology.hosts.at(0).gpus.size(), 4U) << text;
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_EQ(topology.hosts[0].gpus[i].pci->text(), addresses[i]);
  }
  EXPECT_EQ(read(files_with(addresses)[0]).hosts.at(0).numa.size(), 4U);
}

// open-mpi/hwloc#354, Mellanox/mstflint#1896: domains of more than 16 bits dropped or aliased.
TEST(Reported, LongDomainsAreNeitherCutNorTakenForShortOnes) {
  for (const auto& text :
       files_with({"0000:01:00.0", "10000:01:00.0", "20000:01:00.0", "10000000:01:00.0"})) {
    const auto topology = read(text);
    ASSERT_EQ(topology.hosts.at(0).gpus.size(), 4U) << text;
    EXPECT_EQ(topology.hosts[0].gpus[1].pci->text(), "10000:01:00.0");
    EXPECT_EQ(topology.hosts[0].gpus[3].pci->text(), "10000000:01:00.0");
    EXPECT_THAT(to_json(topology).dump(), HasSubstr("10000000:01:00.0"));
    EXPECT_THAT(render_tree(topology), HasSubstr("10000000:01:00.0"));
  }
}

// Azure/azhpc-images#283: a shipped file with the NUMA nodes swapped.
TEST(Reported, AFileThatDisagreesWithTheKernelIsNamedDeviceByDevice) {
  const std::string right =
      "<system><cpu numaid=\"0\" affinity=\"0f\" arch=\"x86_64\"><pci busid=\"0001:00:00.0\" "
      "class=\"0x030200\"/></cpu>"
      "<cpu numaid=\"1\" affinity=\"f0\" arch=\"x86_64\"><pci busid=\"0002:00:00.0\" "
      "class=\"0x030200\"/></cpu></system>";
  std::string swapped = right;
  swapped.replace(swapped.find("0001:"), 5, "0009:");
  swapped.replace(swapped.find("0002:"), 5, "0001:");
  swapped.replace(swapped.find("0009:"), 5, "0002:");
  std::vector<Fact> facts = *facts_from_file(swapped, "shipped.xml", "n1");
  auto kernel = *facts_from_file(right, "", "n1");
  for (auto& entry : kernel) {
    entry.origin.source = "hwloc";
    facts.push_back(entry);
  }
  const auto topology = assembled(facts);
  EXPECT_EQ(count_of(topology, "numa-conflict"), 2);
  EXPECT_EQ(topology.hosts.at(0).gpus.at(0).numa, 0);  // the kernel's word
  const auto real = read(right);
  const auto found = *lint_file(swapped, "shipped.xml", &real);
  EXPECT_EQ(count_of(found, "numa-differs"), 2);
  for (const auto& warning : found) {
    if (warning.code == "numa-differs") {
      EXPECT_THAT(warning.message, HasSubstr(":00:00.0"));
    }
  }
}

// aws/aws-ofi-nccl#476: <cpu> without arch. Read with a default, said once, and NCCL's refusal
// named.
TEST(Reported, AttributesThatMayBeMissingAreNoError) {
  const std::string text =
      "<system><cpu numaid=\"0\"><pci busid=\"0001:00:00.0\" class=\"0x030200\"/></cpu>"
      "<cpu numaid=\"1\"><pci busid=\"0002:00:00.0\"/></cpu></system>";
  const auto topology = read(text);
  EXPECT_EQ(topology.hosts.at(0).gpus.size(), 1U);
  EXPECT_EQ(count_of(topology, "nccl-no-arch"), 1);
  EXPECT_THAT(message_of(topology, "nccl-no-arch"), HasSubstr("NCCL refuses"));
  // What we write has it.
  EXPECT_EQ(count_of(read(*nccl_xml(topology.hosts[0])), "nccl-no-arch"), 0);
}

// NVIDIA/nccl#2160: more than 256 XML nodes.
TEST(Reported, ABigHostIsReadWholeAndNcclsLimitSaid) {
  std::string text = "<system><cpu numaid=\"0\" affinity=\"f\" arch=\"x86_64\">";
  for (int box = 0; box < 8; ++box) {
    const auto hex = [](int value) { return fmt::format("{:02x}", value); };
    text += "<pci busid=\"0000:" + hex(box * 16) +
            ":00.0\" class=\"0x060400\"><pci busid=\"0000:" + hex(box * 16 + 1) +
            ":00.0\" class=\"0x030200\"><gpu dev=\"" + std::to_string(box) + "\" sm=\"90\"/></pci>";
    for (int n = 0; n < 4; ++n) {
      text += "<pci busid=\"0000:" + hex(box * 16 + 2 + n) +
              ":00.0\" class=\"0x020000\"><nic><net name=\"rdmap" + std::to_string(box * 4 + n) +
              "\" speed=\"100000\"/></nic></pci>";
    }
    text += "</pci>";
  }
  text += "</cpu></system>";
  auto topology = read(text);
  EXPECT_EQ(topology.hosts.at(0).gpus.size(), 8U);
  EXPECT_EQ(topology.hosts[0].nics.size(), 32U);
  EXPECT_EQ(count_of(topology, "nccl-too-many-nodes"), 0);
  std::string more;
  for (int i = 0; i < 2000; ++i) more += "<nic><net name=\"v" + std::to_string(i) + "\"/></nic>";
  text.insert(text.find("</cpu>"), more);
  topology = read(text);
  EXPECT_EQ(topology.hosts.at(0).nics.size(), 2032U);
  EXPECT_EQ(count_of(topology, "nccl-too-many-nodes"), 1);
}

// NVIDIA/nccl#1182: one GPU with another picture of its links; sentinel targets.
TEST(Reported, TheOddGpuIsNamedInEveryFormatThatShowsIt) {
  std::string nccl = "<system><cpu numaid=\"0\" affinity=\"f\" arch=\"x86_64\">";
  std::string matrix = "\tGPU0\tGPU1\tGPU2\tGPU3\n";
  std::string list;
  for (int a = 0; a < 4; ++a) {
    const bool odd = a == 3;
    nccl += "<pci busid=\"000" + std::to_string(a) + ":01:00.0\" class=\"0x030200\"><gpu dev=\"" +
            std::to_string(a) + "\" sm=\"90\">" +
            (odd ? "" : "<nvlink target=\"fffffff:ff:ff.0\" count=\"18\" tclass=\"0xffffff\"/>") +
            "</gpu></pci>";
    matrix += "GPU" + std::to_string(a);
    for (int b = 0; b < 4; ++b) matrix += a == b ? "\t X " : odd || b == 3 ? "\tSYS" : "\tNV18";
    matrix += "\n";
    list += "GPU " + std::to_string(a) + ": NVIDIA H100 80GB HBM3 (UUID: GPU-" + std::to_string(a) +
            ")\n";
    for (int link = 0; link < 18; ++link) {
      list += " Link " + std::to_string(link) + (odd ? ": <inactive>\n" : ": 26.562 GB/s\n");
    }
  }
  for (const auto& text : {nccl + "</cpu></system>", matrix, list}) {
    const auto topology = read(text);
    EXPECT_EQ(count_of(topology, "nvlink-odd-gpu"), 1) << text;
    EXPECT_THAT(message_of(topology, "nvlink-odd-gpu"), HasSubstr("gpu3"));
    EXPECT_EQ(count_of(*lint_file(text, "f", nullptr), "nvlink-odd-gpu"), 1);
  }
}

// bytedance/xpu-perf#129, NVIDIA/mlperf-common#16: NUMA nodes without CPUs in the affinity.
TEST(Reported, NodesWithoutCpusAreForMemoryAlone) {
  const auto topology = read(
      "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
      "GPU0\t X \tNV18\t0-71\t0,3-9,11-17\t\t2\nGPU1\tNV18\t X \t0-71\t0,3-9,11-17\t\t10\n");
  for (const auto& gpu : topology.hosts.at(0).gpus) {
    ASSERT_TRUE(gpu.numa.has_value());
    EXPECT_FALSE(topology.hosts[0].numa_node(*gpu.numa)->cpus.empty());
    EXPECT_TRUE(topology.hosts[0].numa_node(*gpu.memory_numa)->cpus.empty());
  }
  EXPECT_TRUE(topology.hosts[0].allowed_memory.contains(10));
}

// open-mpi/hwloc#712: NUMA nodes and the driver's affinity that are no tree.
TEST(Reported, NodesThatCrossSocketsNeverLeadToNoCpus) {
  const auto topology = read(
      "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tSYS\t0-63\t0\nGPU1\tSYS\t X "
      "\t32-95\t1\n");
  EXPECT_EQ(count_of(topology, "numa-same-cpus"), 1);
  for (const auto& gpu : topology.hosts.at(0).gpus) {
    EXPECT_FALSE((topology.hosts[0].numa_node(*gpu.numa)->cpus & gpu.affinity).empty());
  }
}

// NVIDIA/nccl-tests#300, flux-framework/flux-core#1598: masks that hide peers, numbers without an
// order.
TEST(Reported, MasksThatHideAndNumbersThatSayLittleAreFound) {
  for (const std::string mask : {"0", "1", "GPU-0a"}) {
    const auto found = check_environment(
        {{"CUDA_VISIBLE_DEVICES", mask, 1}, {"SLURM_NTASKS_PER_NODE", "2", 2}}, {});
    EXPECT_EQ(count_of(found, "env-one-gpu-mask"), 1) << mask;
  }
  EXPECT_EQ(
      count_of(check_environment({{"CUDA_VISIBLE_DEVICES", "1,0", 1}}, {}), "env-device-order"), 1);
  EXPECT_EQ(count_of(check_environment({{"CUDA_VISIBLE_DEVICES", "GPU-0b,GPU-0a", 1}}, {}),
                     "env-device-order"),
            0);
}

}  // namespace
}  // namespace topolaunch::topo
