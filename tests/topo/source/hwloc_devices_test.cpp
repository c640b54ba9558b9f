// SPDX-License-Identifier: Apache-2.0
#include "topo/source/hwloc_devices.h"

#include <set>

#include "tests/topo/source/capture.h"
#include "topo/source/hwloc.h"

namespace topolaunch::topo {
namespace {

using test::all;

std::string machine(const std::string& name) {
  return std::string(MACHINE_SOURCE_DIR) + "/" + name + "/hwloc.xml";
}

Result<std::vector<Fact>> facts_of_file(const std::string& path) {
  return facts_from_hwloc_xml(test::read_text(path), path);
}

TEST(HwlocDevices, GivesPlacesPathsAndNames) {
  const auto facts = facts_of_file(machine("pcie-4-bridge"));
  ASSERT_TRUE(facts) << facts.error().text();
  const auto gpus = all<GpuFact>(*facts);
  ASSERT_EQ(gpus.size(), 4U);  // the BMC's screen is none
  EXPECT_EQ(gpus[0].pci->text(), "0000:01:00.0");
  EXPECT_EQ(gpus[0].uuid, "GPU-00000003-7a11-4b0c-9d2e-000000000000");
  EXPECT_EQ(gpus[0].model, "NVIDIA RTX A6000");
  EXPECT_EQ(gpus[0].index, 0);
  EXPECT_EQ(gpus[0].numa, 0);
  EXPECT_EQ(gpus[3].numa, 1);
  ASSERT_EQ(gpus[0].pcie_path.size(), 1U);
  EXPECT_EQ(gpus[0].pcie_path[0].text(), "0000:00:01.1");
  const auto nics = all<NicFact>(*facts);
  ASSERT_EQ(nics.size(), 1U);
  EXPECT_EQ(nics[0].nic.name, "rocep65s0");
  EXPECT_EQ(nics[0].nic.netdev, "enp65s0np0");
  EXPECT_EQ(facts->front().host, "pcie-4-bridge");
  EXPECT_EQ(facts->front().origin.source, "hwloc-xml");
}

TEST(HwlocDevices, NeedsMoreThanAClassOfADisplayToCallItAGpu) {
  std::string text = test::read_text(machine("pcie-4-bridge"));
  for (std::size_t at; (at = text.find("name=\"nvml")) != std::string::npos;) {
    text.replace(at, 10, "name=\"card");  // what the kernel alone shows, also for a screen
  }
  const auto facts = facts_from_hwloc_xml(text, "x.xml");
  ASSERT_TRUE(facts);
  EXPECT_TRUE(all<GpuFact>(*facts).empty());
}

// --- files of others

class SharedXml : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = test::shared_folder() + "/fixtures/hwloc-xml";
    if (test::shared_folder().empty() || !std::filesystem::exists(folder_)) {
      GTEST_SKIP() << "no hwloc files of others here (TOPOLAUNCH_SHARED)";
    }
  }
  std::string folder_;
};

TEST_F(SharedXml, NvswitchesOfAFileOfVersion3) {
  const auto facts = facts_of_file(folder_ + "/hwloc-tests/xml__nvidiaDGX2.xml");
  ASSERT_TRUE(facts) << facts.error().text();
  EXPECT_EQ(all<GpuFact>(*facts).size(), 16U);
  EXPECT_TRUE(test::warned(*facts, "hwloc-xml-version"));
  const auto links = all<GpuLinkFact>(*facts);
  ASSERT_EQ(links.size(), 16U);
  for (const auto& link : links) {
    EXPECT_EQ(link.to, GpuLink::To::nvswitch);
    EXPECT_EQ(link.count, 6);
    EXPECT_EQ(link.bandwidth, Bandwidth::gigabytes_per_second(150));
  }
  EXPECT_EQ(all<HostFact>(*facts).at(0).arch, "x86_64");  // stands behind the objects in version 3
}

TEST_F(SharedXml, LinksBetweenGpusAndIntoTheCpu) {
  const auto facts = facts_of_file(folder_ + "/hwloc-tests/xml__power8gpudistances.xml");
  ASSERT_TRUE(facts) << facts.error().text();
  EXPECT_EQ(all<GpuFact>(*facts).size(), 4U);
  int to_gpu = 0, to_cpu = 0;
  for (const auto& link : all<GpuLinkFact>(*facts)) {
    EXPECT_EQ(link.count, 2);  // 40000 MB/s by NVLink 1
    to_gpu += link.to == GpuLink::To::gpu ? 1 : 0;
    to_cpu += link.to == GpuLink::To::cpu ? 1 : 0;
  }
  EXPECT_EQ(to_gpu, 4);
  EXPECT_EQ(to_cpu, 4);
}

TEST_F(SharedXml, GpusThatShareBusNumbers) {
  const auto facts = facts_of_file(folder_ + "/mpibind/coral-lassen.xml");
  ASSERT_TRUE(facts) << facts.error().text();
  std::set<std::string> gpus;
  for (const auto& gpu : all<GpuFact>(*facts)) gpus.insert(gpu.pci->text());
  EXPECT_EQ(gpus, (std::set<std::string>{"0004:04:00.0", "0004:05:00.0", "0035:03:00.0", "0035:04:00.0"}));
}

TEST_F(SharedXml, OneGpuForAllNamesOfACard) {
  const auto aws = facts_of_file(folder_ + "/mpibind/g4dnmetal.xml");
  ASSERT_TRUE(aws) << aws.error().text();
  EXPECT_EQ(all<GpuFact>(*aws).size(), 8U);
  const auto amd = facts_of_file(folder_ + "/mpibind/eas-tioga.xml");
  ASSERT_TRUE(amd) << amd.error().text();
  EXPECT_EQ(all<GpuFact>(*amd).size(), 8U);
  EXPECT_EQ(all<GpuFact>(*amd)[0].uuid.substr(0, 4), "GPU-");
  int xgmi = 0;
  for (const auto& link : all<GpuLinkFact>(*amd)) xgmi += link.type == LinkType::xgmi ? 1 : 0;
  EXPECT_EQ(xgmi, 8 * 7);
  const auto turin = facts_of_file(folder_ + "/prrte/turin-4gpu.xml");
  ASSERT_TRUE(turin) << turin.error().text();
  EXPECT_EQ(all<GpuFact>(*turin).size(), 4U);
}

TEST_F(SharedXml, EveryFileIsReadOrRefused) {
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
    if (entry.path().extension() != ".xml") continue;
    SCOPED_TRACE(entry.path().string());
    const auto facts = facts_of_file(entry.path().string());
    ++count;
    EXPECT_TRUE(facts) << facts.error().text();
    if (facts) {
      EXPECT_FALSE(all<HostFact>(*facts).at(0).cpus.empty());
    }
  }
  EXPECT_GT(count, 40);
}

}  // namespace
}  // namespace topolaunch::topo
