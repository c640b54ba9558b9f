// SPDX-License-Identifier: Apache-2.0
//
// Real files, published by others, and machine descriptions; they lie outside the project. The
// counts were made by another program (Python, regular expressions and ElementTree over the same
// files).
#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/files.h"
#include "tests/topo/facts.h"
#include "topo/given.h"
#include "topo/nccl_xml.h"
#include "topo/render.h"
#include "topo/topology_json.h"

namespace topolaunch::topo {
namespace {

struct Counts {
  const char* file;
  std::size_t gpus, nics, numa;
  int links;  ///< counts of all links as the file has them
};

const std::vector<Counts> kCounts{
    {"fixtures/nccl-xml/aws/g5.48xl-topo.xml", 0, 0, 2, 0},
    {"fixtures/nccl-xml/aws/p4d-24xl-topo.xml", 8, 4, 2, 0},
    {"fixtures/nccl-xml/aws/p5.48xl-topo.2023-removed.xml", 0, 0, 2, 0},
    {"fixtures/nccl-xml/aws/p5.48xl-topo.2025-arch-added.xml", 0, 0, 2, 0},
    {"fixtures/nccl-xml/aws/p5.48xl-topo.2026-79565c0e.xml", 8, 32, 1, 0},
    {"fixtures/nccl-xml/azure/history/ndv2-topo.12139ec0.xml", 8, 1, 2, 0},
    {"fixtures/nccl-xml/azure/history/ndv4-topo.3409a5b1.xml", 8, 8, 4, 0},
    {"fixtures/nccl-xml/azure/history/ndv4-topo.6db46dfe.xml", 8, 8, 4, 0},
    {"fixtures/nccl-xml/azure/history/ndv4-topo.c3e42913.xml", 8, 8, 4, 0},
    {"fixtures/nccl-xml/azure/history/ndv5-topo.6db46dfe.xml", 8, 8, 2, 0},
    {"fixtures/nccl-xml/azure/ncv4-topo.xml", 4, 1, 4, 48},
    {"fixtures/nccl-xml/azure/ndv2-topo.xml", 8, 1, 2, 0},
    {"fixtures/nccl-xml/azure/ndv4-topo.xml", 8, 8, 4, 0},
    {"fixtures/nccl-xml/azure/ndv5-topo.xml", 8, 8, 2, 0},
    {"fixtures/nccl-xml/azure/superbench-ndv4-topo.xml", 8, 8, 4, 0},
    {"fixtures/nccl-xml/azure/superbench-ndv5-topo.xml", 8, 8, 2, 0},
    {"fixtures/nccl-xml/misc/modal-b200-vm.86859751d.xml", 8, 13, 2, 1008},
    {"fixtures/nccl-xml/misc/modal-b200-vm.bd9eaa8d4.xml", 8, 13, 2, 144},
    {"fixtures/nccl-xml/misc/modal-b200-vm.fakemesh-f49650f4a.xml", 8, 13, 2, 1008},
    {"fixtures/nccl-xml/misc/panlichen-8x3090.xml", 8, 1, 2, 0},
    {"fixtures/nccl-xml/oci/H100-topology.xml", 8, 16, 2, 144},
    {"fixtures/nccl-xml/oci/topo-flattened.xml", 8, 8, 4, 0},
    {"fixtures/nccl-xml/rccl/topo_16p1h_vm.xml", 16, 8, 4, 112},
    {"fixtures/nccl-xml/rccl/topo_3p_pcie_1.xml", 3, 1, 2, 0},
    {"fixtures/nccl-xml/rccl/topo_4p1h_1.xml", 4, 2, 2, 8},
    {"fixtures/nccl-xml/rccl/topo_4p3l_2h.xml", 8, 1, 4, 24},
    {"fixtures/nccl-xml/rccl/topo_4p3l_n2.xml", 8, 1, 4, 24},
    {"fixtures/nccl-xml/rccl/topo_4p4h.xml", 16, 16, 1, 48},
    {"fixtures/nccl-xml/rccl/topo_4p_940.xml", 4, 4, 4, 12},
    {"fixtures/nccl-xml/rccl/topo_8p1h.xml", 8, 4, 2, 52},
    {"fixtures/nccl-xml/rccl/topo_8p1h_2.xml", 8, 2, 4, 52},
    {"fixtures/nccl-xml/rccl/topo_8p1h_3.xml", 8, 4, 4, 52},
    {"fixtures/nccl-xml/rccl/topo_8p1h_5.xml", 8, 8, 2, 52},
    {"fixtures/nccl-xml/rccl/topo_8p6l_1nic.xml", 8, 1, 2, 48},
    {"fixtures/nccl-xml/rccl/topo_8p6l_2nic.xml", 8, 2, 2, 48},
    {"fixtures/nccl-xml/rccl/topo_8p6l_3nic.xml", 8, 3, 2, 48},
    {"fixtures/nccl-xml/rccl/topo_8p6l_6nic.xml", 8, 6, 2, 48},
    {"fixtures/nccl-xml/rccl/topo_8p_4nics.xml", 8, 4, 4, 24},
    {"fixtures/nccl-xml/rccl/topo_8p_90a_1.xml", 8, 1, 3, 24},
    {"fixtures/nccl-xml/rccl/topo_8p_rome.xml", 8, 1, 2, 16},
    {"fixtures/nccl-xml/rccl/topo_8p_rome_4n_1.xml", 8, 4, 4, 24},
    {"fixtures/nccl-xml/rccl/topo_8p_rome_4n_2.xml", 8, 4, 4, 24},
    {"fixtures/nccl-xml/rccl/topo_8p_rome_4nics.xml", 8, 4, 4, 24},
    {"fixtures/nccl-xml/rccl/topo_8p_rome_n2.xml", 8, 1, 4, 16},
    {"fixtures/nccl-xml/rccl/topo_8p_ts1_1.xml", 8, 2, 4, 16},
    {"fixtures/nccl-xml/rccl/topo_8p_ts1_n4_1.xml", 8, 2, 8, 16},
    {"machines/dgx1v.xml", 8, 4, 2, 48},
    {"machines/dgx_a100.xml", 8, 8, 2, 96},
    {"machines/dgx_b200.xml", 8, 8, 2, 144},
    {"machines/dgx_h100.xml", 8, 8, 2, 144},
    {"machines/pcie_l40s_8.xml", 8, 8, 2, 0},
    {"machines/pcie_l40s_nonet.xml", 8, 0, 2, 0},
};

std::string shared() {
  const char* folder = std::getenv("TOPOLAUNCH_SHARED");
  return folder != nullptr && std::filesystem::exists(std::string(folder) + "/fixtures/nccl-xml")
             ? folder
             : "";
}

std::string read(const std::string& path) { return *RootedFiles("/").read(path, 64 << 20); }

TEST(Fixtures, GiveTheCountsThatAnotherProgramFound) {
  if (shared().empty()) GTEST_SKIP() << "TOPOLAUNCH_SHARED has no fixtures/nccl-xml";
  for (const auto& want : kCounts) {
    const auto path = std::filesystem::absolute(shared() + "/" + want.file).lexically_normal();
    const auto facts = facts_from_file(read(path.string()), want.file, "");
    ASSERT_TRUE(facts.has_value()) << facts.error().text();
    int links = 0;
    for (const auto& entry : *facts) {
      if (const auto* link = std::get_if<GpuLinkFact>(&entry.what)) links += link->count;
    }
    EXPECT_EQ(links, want.links) << want.file;
    const auto topology = assembled(*facts);
    ASSERT_EQ(topology.hosts.size(), 1U) << want.file;
    EXPECT_EQ(topology.hosts[0].gpus.size(), want.gpus) << want.file;
    EXPECT_EQ(topology.hosts[0].nics.size(), want.nics) << want.file;
    EXPECT_EQ(topology.hosts[0].numa.size(), want.numa) << want.file;
    EXPECT_FALSE(render_tree(topology).empty());
  }
}

/// What NCCL's file can hold of a GPU, as one line.
std::string picture(const Host& host, const Gpu& gpu) {
  std::string out = gpu.pci->text() + " numa " + std::to_string(gpu.numa.value_or(-1)) + " pcie " +
                    std::to_string(gpu.pcie_generation_max) + "x" +
                    std::to_string(gpu.pcie_width_max);
  for (const auto& link : gpu.links) {
    if (link.count == 0 || link.to == GpuLink::To::unknown || link.to == GpuLink::To::cpu) continue;
    out += " " + std::to_string(link.count) +
           (link.to == GpuLink::To::nvswitch ? " switch" : " gpu ") + std::to_string(link.peer);
  }
  out += " " + gpu.model;
  for (const auto& other : host.gpus)
    out += " " + std::to_string(static_cast<int>(host.relation(gpu, other)));
  return out;
}

TEST(Fixtures, ComeBackTheSameFromOurOwnFiles) {
  if (shared().empty()) GTEST_SKIP() << "TOPOLAUNCH_SHARED has no fixtures/nccl-xml";
  for (const auto& want : kCounts) {
    const auto path = std::filesystem::absolute(shared() + "/" + want.file).lexically_normal();
    const auto first = assembled(*facts_from_file(read(path.string()), want.file, "h"));
    const Host& host = first.hosts.at(0);
    // topolaunch's JSON holds everything.
    const auto json = to_json(first);
    const auto again = facts_from_file(to_pretty(json), "t.json", "");
    ASSERT_TRUE(again.has_value()) << want.file << again.error().text();
    EXPECT_EQ(to_json(assembled(*again))["hosts"].size(), 1U);
    const auto gpus = [](Json hosts) {
      for (auto& gpu : hosts[0]["gpus"]) gpu.erase("origins");
      return hosts[0]["gpus"].dump();
    };
    EXPECT_EQ(gpus(to_json(assembled(*again))["hosts"]), gpus(json["hosts"])) << want.file;
    // NCCL's holds what NCCL knows.
    const auto xml = nccl_xml(host);
    ASSERT_TRUE(xml.has_value()) << want.file << xml.error().text();
    const auto back = facts_from_nccl_xml(*xml, "t.xml", "h");
    ASSERT_TRUE(back.has_value()) << want.file << back.error().text();
    const auto second = assembled(*back);
    const Host& copy = second.hosts.at(0);
    ASSERT_EQ(copy.gpus.size(), host.gpus.size()) << want.file;
    for (std::size_t i = 0; i < host.gpus.size(); ++i) {
      EXPECT_EQ(picture(copy, copy.gpus[i]), picture(host, host.gpus[i])) << want.file;
    }
    ASSERT_EQ(copy.nics.size(), host.nics.size()) << want.file;
    for (std::size_t i = 0; i < host.nics.size(); ++i) {
      EXPECT_EQ(copy.nics[i].name, host.nics[i].name) << want.file;
      EXPECT_EQ(copy.nics[i].numa, host.nics[i].numa) << want.file << host.nics[i].name;
      EXPECT_EQ(to_text(copy.nics[i].rate), to_text(host.nics[i].rate)) << want.file;
    }
    EXPECT_EQ(count_of(second, "nccl-no-arch"), 0) << want.file;
  }
}

TEST(Fixtures, AreAllInTheTableOrRefused) {
  if (shared().empty()) GTEST_SKIP() << "TOPOLAUNCH_SHARED has no fixtures/nccl-xml";
  std::set<std::string> known;
  for (const auto& counts : kCounts) known.insert(counts.file);
  for (const char* folder : {"fixtures/nccl-xml", "machines"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(shared() + "/" + folder)) {
      if (entry.path().extension() != ".xml") continue;
      const auto name = std::filesystem::relative(entry.path(), shared()).string();
      if (known.contains(name)) continue;
      const auto facts =
          facts_from_file(read(std::filesystem::absolute(entry.path()).string()), name, "");
      ASSERT_FALSE(facts.has_value()) << name << " is not in the table";
      EXPECT_EQ(facts.error().code, Code::invalid_input);
      EXPECT_GT(facts.error().line, 0);
    }
  }
}

TEST(Fixtures, OfHwlocAreReadOrRefusedInOneLine) {
  if (shared().empty()) GTEST_SKIP() << "TOPOLAUNCH_SHARED has no fixtures/nccl-xml";
  int files = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(shared() + "/fixtures/hwloc-xml")) {
    if (entry.path().extension() != ".xml") continue;
    ++files;
    const auto name = std::filesystem::relative(entry.path(), shared()).string();
    const auto facts =
        facts_from_file(read(std::filesystem::absolute(entry.path()).string()), name, "");
    if (!facts) {
      EXPECT_EQ(facts.error().code, Code::invalid_input) << name;
      EXPECT_EQ(facts.error().text().find('\n'), std::string::npos) << name;
      continue;
    }
    const auto topology = assembled(*facts);
    EXPECT_EQ(topology.hosts.size(), 1U) << name;
    EXPECT_FALSE(topology.hosts.at(0).cpus.empty()) << name;
    for (const auto& gpu : topology.hosts[0].gpus) {
      if (!gpu.numa) continue;
      const auto* node = topology.hosts[0].numa_node(*gpu.numa);
      EXPECT_TRUE(node != nullptr && !node->cpus.empty()) << name;
    }
  }
  EXPECT_GT(files, 20);
}

TEST(Fixtures, ShowWhatIsWrongWithThem) {
  if (shared().empty()) GTEST_SKIP() << "TOPOLAUNCH_SHARED has no fixtures/nccl-xml";
  const std::vector<std::pair<const char*, const char*>> faults{
      {"misc/modal-b200-vm.fakemesh-f49650f4a.xml", "nvlink-impossible-count"},
      {"azure/ncv4-topo.xml", "nvlink-to-itself"},
      {"azure/history/ndv4-topo.c3e42913.xml", "numa-same-cpus"},
      {"azure/history/ndv2-topo.12139ec0.xml", "numa-same-cpus"},
      {"aws/p5.48xl-topo.2023-removed.xml", "nccl-no-arch"},
      {"aws/g5.48xl-topo.xml", "nccl-no-arch"},
      {"rccl/topo_4p4h.xml", "pci-repeated"},
      {"aws/p5.48xl-topo.2026-79565c0e.xml", "nvlink-not-said"},
  };
  for (const auto& [file, code] : faults) {
    const auto path =
        std::filesystem::absolute(shared() + "/fixtures/nccl-xml/" + file).lexically_normal();
    EXPECT_GE(count_of(assembled(*facts_from_file(read(path.string()), file, "")), code), 1)
        << file;
  }
}

TEST(Fixtures, ShowTheSwappedNodesOfAnOldFileAgainstTheKernel) {
  if (shared().empty()) GTEST_SKIP() << "TOPOLAUNCH_SHARED has no fixtures/nccl-xml";
  // Azure/azhpc-images#283: the file of 2021 against the one that was right, taken as the kernel.
  const auto load = [](const std::string& file) {
    const auto path =
        std::filesystem::absolute(shared() + "/fixtures/nccl-xml/azure/" + file).lexically_normal();
    return *facts_from_file(read(path.string()), file, "n1");
  };
  auto facts = load("history/ndv4-topo.6db46dfe.xml");
  for (auto entry : load("ndv4-topo.xml")) {
    entry.origin.source = "hwloc";
    facts.push_back(entry);
  }
  const auto topology = assembled(facts);
  EXPECT_EQ(topology.hosts.at(0).gpus.size(), 8U);
  EXPECT_EQ(count_of(topology, "numa-conflict"), 16);  // 8 GPUs and 8 NICs, each by its address
  for (const auto& gpu : topology.hosts[0].gpus) {
    const auto* node = topology.hosts[0].numa_node(*gpu.numa);
    EXPECT_TRUE(node->cpus.intersects(gpu.affinity));
  }
}

}  // namespace
}  // namespace topolaunch::topo
