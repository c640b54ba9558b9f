// SPDX-License-Identifier: Apache-2.0
//
// Published hwloc files, which lie outside the project. CPUs and NUMA nodes are those that
// hwloc-calc and lstopo (2.9) count; for files of hwloc 3, which they refuse, those that ElementTree
// counts in the XML. GPUs and NICs were counted by a Python script over the PCI classes and OS
// devices of the XML; a VGA device that drives the server's own display is no GPU.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/files.h"
#include "tests/topo/facts.h"
#include "topo/given.h"
#include "topo/render.h"

namespace topolaunch::topo {
namespace {

struct Counts {
  const char* file;
  int cpus;
  std::size_t numa, gpus, nics;
};

const std::vector<Counts> kCounts{
    {"hwloc-tests/doc-devel09-pci.xml", 4, 2, 0, 3},
    {"hwloc-tests/doc-dudley.xml", 16, 1, 0, 0},
    {"hwloc-tests/doc-emmett.xml", 8, 1, 0, 0},
    {"hwloc-tests/doc-ppc64-full-with-smt.xml", 16, 2, 0, 0},
    {"hwloc-tests/doc-ppc64-without-smt.xml", 8, 2, 0, 0},
    {"hwloc-tests/linux__16em64t-4s2c2t-offlines-xml.xml", 12, 1, 0, 0},
    {"hwloc-tests/linux__16em64t-4s2c2t-xml.xml", 16, 1, 0, 0},
    {"hwloc-tests/linux__2i386-2c-nohugepage.xml", 2, 1, 0, 0},
    {"hwloc-tests/linux__2i386-2t-hugepagesizecount.xml", 2, 1, 0, 0},
    {"hwloc-tests/linux__32amd64-4s2n4c-cgroup2.xml", 6, 6, 0, 0},
    {"hwloc-tests/linux__32em64t-2n8c+dax+nvme+mic+dimms.xml", 16, 2, 0, 3},
    {"hwloc-tests/linux__allowed__test1.xml", 10, 2, 0, 0},
    {"hwloc-tests/linux__fakepcilocalities.xml", 40, 4, 0, 5},
    {"hwloc-tests/linux__nvidia-dgx-gb10.xml", 20, 1, 0, 0},
    {"hwloc-tests/x86+linux__64amd64-4p2n4ca2co.xml", 64, 8, 0, 0},
    {"hwloc-tests/x86__AMD-17h-Zen-2xEpyc-7451.xml", 96, 1, 0, 0},
    {"hwloc-tests/x86__AMD-K8-SantaRosa-2xOpteron-2218.xml", 4, 1, 0, 0},
    {"hwloc-tests/x86__Intel-CPUID.1A-1p2co2t.xml", 4, 1, 0, 0},
    {"hwloc-tests/x86__Intel-CPUID.1F-Qemu-2p3d3c2t.xml", 36, 1, 0, 0},
    {"hwloc-tests/x86__Intel-Core-2xXeon-E5345.xml", 8, 1, 0, 0},
    {"hwloc-tests/x86__Intel-IvyBridge-12xXeon-E5-4620v2.xml", 192, 1, 0, 0},
    {"hwloc-tests/x86__Intel-KnightsCorner-XeonPhi-SE10P.xml", 244, 1, 0, 0},
    {"hwloc-tests/x86__Intel-KnightsLanding-XeonPhi-7210.xml", 256, 1, 0, 0},
    {"hwloc-tests/x86__Intel-Nehalem-2xXeon-X5550.xml", 16, 1, 0, 0},
    {"hwloc-tests/x86__Intel-Penryn-4xXeon-X7460.xml", 24, 1, 0, 0},
    {"hwloc-tests/x86__Intel-Skylake-2xXeon6140.xml", 72, 1, 0, 0},
    {"hwloc-tests/x86__Intel-Westmere-2xXeon-X5650.xml", 24, 1, 0, 0},
    {"hwloc-tests/x86__Zhaoxin-2xCentaurHauls-KaiSheng-KH-40000.xml", 64, 1, 0, 0},
    {"hwloc-tests/x86__Zhaoxin-CentaurHauls-ZXD-4600.xml", 8, 1, 0, 0},
    {"hwloc-tests/x86__Zhaoxin-Shanghai-KaiSheng-ZXC+-FC1081.xml", 8, 1, 0, 0},
    {"hwloc-tests/xml__16-2gr2gr2n2c+misc.xml", 16, 8, 0, 0},
    {"hwloc-tests/xml__16em64t-4s2c2t.xml", 16, 1, 0, 0},
    {"hwloc-tests/xml__192em64t-12gr2n8c2t.xml", 384, 24, 0, 7},
    {"hwloc-tests/xml__24em64t-2n6c2t-pci.xml", 24, 2, 3, 3},
    {"hwloc-tests/xml__32em64t-2n8c2t-pci-noio.xml", 32, 2, 0, 0},
    {"hwloc-tests/xml__32em64t-2n8c2t-pci-normalio.xml", 32, 2, 4, 3},
    {"hwloc-tests/xml__32em64t-2n8c2t-pci-wholeio.xml", 32, 2, 4, 3},
    {"hwloc-tests/xml__64intel64-heteromem.xml", 64, 8, 0, 0},
    {"hwloc-tests/xml__8intel64-4n2t-memattrs.xml", 8, 4, 0, 0},
    {"hwloc-tests/xml__96em64t-4n4d3ca2co-pci.xml", 96, 4, 0, 8},
    {"hwloc-tests/xml__cxlmem+dax.v3.xml", 4, 1, 0, 1},
    {"hwloc-tests/xml__fakeheterodistances.xml", 8, 8, 0, 0},
    {"hwloc-tests/xml__nvidiaDGX2.xml", 4, 2, 16, 0},
    {"hwloc-tests/xml__power8gpudistances.xml", 16, 2, 4, 0},
    {"mpibind/coral-butte-hwloc1.xml", 176, 6, 4, 6},
    {"mpibind/coral-ea-hwloc1.xml", 160, 2, 4, 4},
    {"mpibind/coral-lassen-hwloc1.xml", 160, 6, 4, 6},
    {"mpibind/coral-lassen.xml", 160, 2, 4, 6},
    {"mpibind/coral-rzansel-hwloc1.xml", 176, 6, 4, 6},
    {"mpibind/eas-tioga.xml", 128, 4, 8, 5},
    {"mpibind/epyc-corona-hwloc1.xml", 96, 8, 4, 3},
    {"mpibind/epyc-dual-sock-hwloc1.xml", 128, 8, 0, 5},
    {"mpibind/g4dnmetal.xml", 96, 2, 8, 2},
    {"mpibind/knl-quad-cache-hwloc1.xml", 272, 1, 0, 3},
    {"mpibind/knl-quad-flat-hwloc1.xml", 272, 2, 0, 3},
    {"mpibind/knl-snc4-cache-hwloc1.xml", 272, 4, 0, 3},
    {"prrte/turin-4gpu.xml", 256, 8, 4, 7},
};

std::string folder() {
  const char* shared = std::getenv("TOPOLAUNCH_SHARED");
  const std::string path = shared == nullptr ? "" : std::string(shared) + "/fixtures/hwloc-xml";
  return !path.empty() && std::filesystem::exists(path) ? path : "";
}

std::string read(const std::string& path) {
  return *RootedFiles("/").read(std::filesystem::absolute(path).lexically_normal().string(),
                                64 << 20);
}

TEST(HwlocFiles, GiveTheCountsThatOtherProgramsFound) {
  if (folder().empty()) GTEST_SKIP() << "TOPOLAUNCH_SHARED has no fixtures/hwloc-xml";
  for (const auto& want : kCounts) {
    const auto facts = facts_from_file(read(folder() + "/" + want.file), want.file, "");
    ASSERT_TRUE(facts.has_value()) << facts.error().text();
    const auto topology = assembled(*facts);
    ASSERT_EQ(topology.hosts.size(), 1U) << want.file;
    const Host& host = topology.hosts[0];
    EXPECT_EQ(host.cpus.size(), want.cpus) << want.file;
    EXPECT_EQ(host.numa.size(), want.numa) << want.file;
    EXPECT_EQ(host.gpus.size(), want.gpus) << want.file;
    EXPECT_EQ(host.nics.size(), want.nics) << want.file;
    EXPECT_FALSE(render_tree(topology).empty());
  }
}

TEST(HwlocFiles, AreAllInTheTable) {
  if (folder().empty()) GTEST_SKIP() << "TOPOLAUNCH_SHARED has no fixtures/hwloc-xml";
  std::set<std::string> known;
  for (const auto& counts : kCounts) known.insert(counts.file);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder())) {
    if (!entry.is_regular_file()) continue;
    const auto name = std::filesystem::relative(entry.path(), folder()).string();
    if (known.contains(name)) continue;
    // Archives of /sys, expected texts and notes: none of them is a topology, and each is refused
    // so.
    const auto facts = facts_from_file(read(entry.path().string()), name, "");
    ASSERT_FALSE(facts.has_value()) << name << " is not in the table";
    EXPECT_EQ(facts.error().code, Code::invalid_input) << name;
    EXPECT_EQ(facts.error().text().find('\n'), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace topolaunch::topo
