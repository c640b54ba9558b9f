// SPDX-License-Identifier: Apache-2.0
//
// Samples of nvidia-smi's texts and captured /sys trees, which lie outside the project: what each
// holds is stated by their README, and held here against what is read.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/files.h"
#include "tests/topo/facts.h"
#include "tests/topo/source/capture.h"
#include "topo/given.h"
#include "topo/render.h"
#include "topo/survey.h"

namespace topolaunch::topo {
namespace {

struct Counts {
  const char* file;
  std::size_t gpus, nics;
  int nodes_with_cpus;
  int links;  ///< link ends of all GPUs, active
  std::size_t mig;
  const char*
      warning;  ///< a code that must be among the warnings; "" = there must be none but notes
};

// nvlink ends: a link between two GPUs has two, one into a switch has one.
const std::vector<Counts> kCounts{
    {"smi/topo-m-8xh100-nvswitch-10nic.txt", 8, 10, 2, 144, 0, ""},
    {"smi/topo-m-4xpcie-2bridges.txt", 4, 1, 2, 16, 0, ""},
    {"smi/topo-m-dgx1v-old-driver.txt", 8, 4, 0, 48, 0, ""},
    {"smi/topo-m-8xpcie-affinity-na.txt", 8, 0, 0, 0, 0, ""},
    {"smi/topo-m-4xgh200-gpu-numa.txt", 4, 4, 4, 72, 0, ""},
    {"smi/topo-m-4xgb200-gpu-numa.txt", 4, 0, 2, 72, 0, ""},
    {"smi/topo-m-header-shifted.txt", 4, 2, 2, 48, 0, ""},
    {"smi/topo-m-header-on-prompt-line.txt", 4, 2, 2, 48, 0, ""},
    {"smi/topo-m-cells-run-together.txt", 8, 0, 0, 144, 0, "smi-affinity-unreadable"},
    {"smi/topo-m-truncated.txt", 8, 0, 2, 96, 0, "smi-partial"},
    {"smi/L-mig.txt", 4, 0, 0, 0, 5, ""},
    {"smi/L-mig-old-driver.txt", 2, 0, 0, 0, 3, ""},
    {"smi/topo-p2p-r-4gpu-pairs.txt", 4, 0, 0, 0, 0, ""},
    {"smi/topo-p2p-r-8gpu-old-legend.txt", 8, 0, 0, 0, 0, ""},
    {"smi/nvlink-s-8xh100.txt", 8, 0, 0, 144, 0, ""},
    {"smi/nvlink-s-8xv100-inactive.txt", 8, 0, 0, 44, 0, "nvlink-inactive"},
    {"smi/nvlink-s-2gpu-all-inactive.txt", 4, 0, 0, 24, 0, "nvlink-all-down"},
    {"smi/query-gpu-8xh100.csv", 8, 0, 0, 0, 0, ""},
    {"smi/query-gpu-4xa4000-na.csv", 4, 0, 0, 0, 0, ""},
    {"smi/query-gpu-lost.csv", 7, 0, 0, 0, 0, "gpu-lost"},
    {"smi/query-gpu-fabric-gb200.csv", 4, 0, 0, 0, 0, ""},
    {"smi/query-gpu-fabric-h100-zero-uuid.csv", 8, 0, 0, 0, 0, ""},
    {"smi/query-gpu-fabric-na.csv", 4, 0, 0, 0, 0, ""},
    {"smi/query-gpu-noheader-fabric.csv", 4, 0, 0, 0, 0, ""},
    {"../fixtures/smi-topo/p2p-4gpu-pkb-ns.txt", 4, 0, 0, 0, 0, ""},
};

std::string samples() {
  const char* folder = std::getenv("TOPOLAUNCH_SHARED");
  const std::string path = folder == nullptr ? "" : std::string(folder) + "/samples";
  return !path.empty() && std::filesystem::exists(path + "/smi") ? path : "";
}

Topology topology_of(const std::string& file) {
  const auto path = std::filesystem::absolute(samples() + "/" + file).lexically_normal();
  const auto text = RootedFiles("/").read(path.string(), 64 << 20);
  EXPECT_TRUE(text.has_value()) << path;
  auto facts = facts_from_file(*text, file, "n1");
  EXPECT_TRUE(facts.has_value()) << facts.error().text();
  return facts ? assembled(std::move(*facts)) : Topology();
}

TEST(HostSamples, GiveTheCountsOfTheirReadme) {
  if (samples().empty()) GTEST_SKIP() << "TOPOLAUNCH_SHARED has no samples/smi";
  for (const auto& want : kCounts) {
    const auto topology = topology_of(want.file);
    ASSERT_EQ(topology.hosts.size(), 1U) << want.file;
    const Host& host = topology.hosts[0];
    EXPECT_EQ(host.gpus.size(), want.gpus) << want.file;
    EXPECT_EQ(host.nics.size(), want.nics) << want.file;
    EXPECT_EQ(std::count_if(host.numa.begin(), host.numa.end(),
                            [](const NumaNode& node) { return !node.cpus.empty(); }),
              want.nodes_with_cpus)
        << want.file;
    int links = 0;
    std::size_t mig = 0;
    for (const auto& gpu : host.gpus) {
      for (const auto& link : gpu.links) links += link.count;
      mig += gpu.mig.size();
    }
    EXPECT_EQ(links, want.links) << want.file;
    EXPECT_EQ(mig, want.mig) << want.file;
    const std::string code = want.warning;
    if (!code.empty()) {
      EXPECT_GE(count_of(topology, code), 1) << want.file;
    }
    for (const auto& warning : topology.warnings) {
      if (code.empty()) {
        EXPECT_EQ(warning.severity, Warning::Severity::note) << want.file << " " << warning.message;
      }
    }
    EXPECT_FALSE(render_tree(topology).empty());
  }
}

TEST(HostSamples, OfNvidiaSmiAreAllInTheTable) {
  if (samples().empty()) GTEST_SKIP() << "TOPOLAUNCH_SHARED has no samples/smi";
  std::set<std::string> known;
  for (const auto& counts : kCounts) known.insert(counts.file);
  for (const auto& entry : std::filesystem::directory_iterator(samples() + "/smi")) {
    EXPECT_TRUE(known.contains("smi/" + entry.path().filename().string())) << entry.path();
  }
}

TEST(HostSamples, SayWhichDevicesAreNextToEachOther) {
  if (samples().empty()) GTEST_SKIP() << "TOPOLAUNCH_SHARED has no samples/smi";
  const auto big = topology_of("smi/topo-m-8xh100-nvswitch-10nic.txt").hosts.at(0);
  const auto nic = [](const Host& host, const std::string& name) {
    return *std::find_if(host.nics.begin(), host.nics.end(),
                         [&](const Nic& n) { return n.name == name; });
  };
  for (std::size_t i = 0; i < 8; ++i) {
    const auto name = "mlx5_" + std::to_string(i < 4 ? i : i + 2);
    EXPECT_EQ(big.relation(big.gpus[i], nic(big, name)), PciRelation::pix) << name;
    EXPECT_EQ(big.gpus[i].links.at(0).to, GpuLink::To::nvswitch);
    EXPECT_EQ(big.gpus[i].numa, i < 4 ? 0 : 1);
  }
  EXPECT_EQ(big.relation(big.gpus[0], nic(big, "mlx5_4")), PciRelation::node);
  EXPECT_EQ(big.relation(big.gpus[7], nic(big, "mlx5_4")), PciRelation::sys);
  EXPECT_EQ(nic(big, "mlx5_4").pcie_path, nic(big, "mlx5_5").pcie_path);  // two ports of one card
  const auto old = topology_of("smi/topo-m-dgx1v-old-driver.txt").hosts.at(0);
  for (int pair = 0; pair < 4; ++pair) {
    const auto& card = nic(old, "mlx5_" + std::to_string(pair));
    for (const int gpu : {2 * pair, 2 * pair + 1}) {
      EXPECT_EQ(old.relation(old.gpus[static_cast<std::size_t>(gpu)], card), PciRelation::pix);
      EXPECT_FALSE(old.gpus[static_cast<std::size_t>(gpu)].numa.has_value());
    }
  }
  const auto pcie = topology_of("smi/topo-m-8xpcie-affinity-na.txt").hosts.at(0);
  EXPECT_EQ(pcie.relation(pcie.gpus[0], pcie.gpus[1]), PciRelation::pix);
  EXPECT_EQ(pcie.relation(pcie.gpus[0], pcie.gpus[2]), PciRelation::node);
  EXPECT_EQ(pcie.relation(pcie.gpus[0], pcie.gpus[4]), PciRelation::sys);
  for (const std::string file :
       {"smi/topo-m-header-shifted.txt", "smi/topo-m-header-on-prompt-line.txt"}) {
    const auto host = topology_of(file).hosts.at(0);
    const std::string first = file.find("shifted") != std::string::npos ? "mlx5_0" : "NIC0";
    EXPECT_EQ(host.relation(host.gpus[1], nic(host, first)), PciRelation::pxb) << file;
    EXPECT_EQ(host.relation(host.gpus[2], nic(host, first)), PciRelation::sys) << file;
  }
}

TEST(HostSamples, SayWhichPairsReachEachOther) {
  if (samples().empty()) GTEST_SKIP() << "TOPOLAUNCH_SHARED has no samples/smi";
  const auto pairs = [](const std::string& file) {
    const auto host = topology_of(file).hosts.at(0);
    int ok = 0;
    for (std::size_t a = 0; a < host.gpus.size(); ++a) {
      for (std::size_t b = a + 1; b < host.gpus.size(); ++b) {
        EXPECT_NE(host.p2p[a][b], P2pStatus::unknown);
        ok += host.p2p[a][b] == P2pStatus::ok ? 1 : 0;
      }
    }
    return ok;
  };
  EXPECT_EQ(pairs("smi/topo-p2p-r-4gpu-pairs.txt"), 2);
  EXPECT_EQ(pairs("smi/topo-p2p-r-8gpu-old-legend.txt"), 16);
  EXPECT_EQ(pairs("../fixtures/smi-topo/p2p-4gpu-pkb-ns.txt"), 2);
}

TEST(HostSamples, OfSysAreReadFromTheirFolder) {
  if (samples().empty()) GTEST_SKIP() << "TOPOLAUNCH_SHARED has no samples/smi";
  for (const bool second : {true, false}) {
    const test::TemporaryFolder folder;
    const auto archive = std::filesystem::absolute(samples() + "/sysfs/host-g07-cgroup" +
                                                   (second ? "2" : "1") + ".tar.gz");
    ASSERT_EQ(std::system(("tar xzf " + archive.string() + " -C " + folder.path()).c_str()), 0);
    const RootedFiles files("/");
    const test::TestOutside outside(files, Environment());
    const auto sources = given_sources({folder.path() + "/host-g07-cgroup" + (second ? "2" : "1")},
                                       {}, outside.get(), "g07");
    ASSERT_TRUE(sources.has_value()) << sources.error().text();
    const auto topology = *assemble(*discover(*sources, outside.get()));
    ASSERT_EQ(topology.hosts.size(), 1U);
    EXPECT_FALSE(topology.live);
    const Host& host = topology.hosts[0];
    EXPECT_EQ(host.packages, 2);
    EXPECT_EQ(host.cpus, cpus("0-15"));
    EXPECT_EQ(host.numa.size(), 2U);
    EXPECT_EQ(host.allowed_cpus, cpus(second ? "0-1,8-9" : "5-6,13-14"));
    EXPECT_EQ(host.allowed_memory, CpuSet{second ? 0 : 1});
    EXPECT_EQ(host.memory_limit, Bytes::gib(second ? 64 : 32));
    if (second) {
      EXPECT_EQ(host.cpu_quota, 3);
    }
    ASSERT_EQ(host.gpus.size(), 4U);
    EXPECT_EQ(host.gpus[3].pcie_width, 8);
    EXPECT_EQ(host.gpus[3].numa, 1);
    EXPECT_EQ(host.relation(host.gpus[0], host.gpus[1]), PciRelation::pix);
    EXPECT_EQ(host.nics.size(), 6U);
    const auto efa = std::find_if(host.nics.begin(), host.nics.end(),
                                  [](const Nic& nic) { return nic.name == "rdmap199s27"; });
    ASSERT_NE(efa, host.nics.end());
    EXPECT_FALSE(efa->numa.has_value());
  }
}

TEST(HostSamples, TellNvlinkDomainsApart) {
  if (samples().empty()) GTEST_SKIP() << "TOPOLAUNCH_SHARED has no samples/smi";
  const auto first = [](const std::string& file) {
    return topology_of(file).hosts.at(0).gpus.at(0);
  };
  EXPECT_EQ(first("smi/query-gpu-fabric-gb200.csv").fabric_clique, 32766);
  EXPECT_EQ(first("smi/query-gpu-noheader-fabric.csv").fabric_clique, 2);
  EXPECT_EQ(first("smi/query-gpu-fabric-gb200.csv").fabric_cluster,
            first("smi/query-gpu-noheader-fabric.csv").fabric_cluster);
  EXPECT_TRUE(first("smi/query-gpu-fabric-h100-zero-uuid.csv").fabric_cluster.empty());
  EXPECT_FALSE(first("smi/query-gpu-fabric-h100-zero-uuid.csv").fabric_pending);
  EXPECT_TRUE(first("smi/query-gpu-fabric-na.csv").fabric_pending);
}

}  // namespace
}  // namespace topolaunch::topo
