// SPDX-License-Identifier: Apache-2.0
//
// Two captures of one host under a resource manager, control groups of version 2 and 1.
#include <algorithm>
#include <map>

#include "tests/topo/source/capture.h"
#include "topo/source/hwloc.h"
#include "topo/source/sysfs.h"

namespace topolaunch::topo {
namespace {

using test::all;

class Capture : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    const std::string shared = test::shared_folder();
    const std::string name = "host-g07-cgroup" + std::to_string(GetParam());
    const std::string archive = shared + "/samples/sysfs/" + name + ".tar.gz";
    if (shared.empty() || !std::filesystem::exists(archive)) {
      GTEST_SKIP() << "no sample captures here (TOPOLAUNCH_SHARED)";
    }
    const auto out = SystemCommands().run({"tar", "xzf", archive, "-C", folder_.path()}, Seconds(60));
    ASSERT_TRUE(out && out->status == 0);
    root_ = folder_.path() + "/" + name;
    files_ = std::make_unique<RootedFiles>(root_);
    outside_ = std::make_unique<test::TestOutside>(*files_, Environment{{"TOPOLAUNCH_FSROOT", root_}});
  }
  test::TemporaryFolder folder_;
  std::string root_;
  std::unique_ptr<RootedFiles> files_;
  std::unique_ptr<test::TestOutside> outside_;
};

TEST_P(Capture, GivesTheCpusThatTheJobMayUse) {
  const auto facts = HwlocSource("g07").look(outside_->get());
  ASSERT_TRUE(facts) << facts.error().text();
  const auto host = all<HostFact>(*facts).at(0);
  EXPECT_EQ(host.packages, 2);
  EXPECT_EQ(host.cpus.to_list(), "0-15");
  EXPECT_EQ(host.smt.size(), 8U);
  EXPECT_EQ(host.cpu_vendor, "GenuineIntel");
  EXPECT_EQ(host.cpu_family, 6);
  EXPECT_EQ(host.cpu_model, 143);
  const auto numa = all<NumaFact>(*facts);
  ASSERT_EQ(numa.size(), 2U);
  EXPECT_EQ(numa[0].node.cpus.to_list(), "0-3,8-11");
  EXPECT_EQ(numa[1].node.cpus.to_list(), "4-7,12-15");
  if (GetParam() == 2) {
    EXPECT_EQ(host.allowed_cpus.to_list(), "0-1,8-9");
    EXPECT_EQ(host.allowed_memory.to_list(), "0");
    ASSERT_TRUE(host.cpu_quota);
    EXPECT_DOUBLE_EQ(*host.cpu_quota, 3.0);
    EXPECT_EQ(host.memory_limit, Bytes::gib(64));
  } else {
    EXPECT_EQ(host.allowed_cpus.to_list(), "5-6,13-14");
    EXPECT_EQ(host.allowed_memory.to_list(), "1");
    EXPECT_FALSE(host.cpu_quota);
    EXPECT_EQ(host.memory_limit, Bytes::gib(32));
  }
}

TEST_P(Capture, GivesGpusThatTheDriverVouchesForAndNoScreen) {
  const auto gpus = gpus_of_sysfs(*files_, false);
  ASSERT_EQ(gpus.size(), 4U);
  std::map<std::string, GpuFact> by_pci;
  for (const auto& gpu : gpus) by_pci[gpu.pci->text()] = gpu;
  EXPECT_EQ(by_pci.at("0000:18:00.0").numa, 0);
  EXPECT_EQ(by_pci.at("0000:1a:00.0").numa, 0);
  EXPECT_EQ(by_pci.at("0000:9a:00.0").numa, 1);
  const GpuFact& slow = by_pci.at("0000:9c:00.0");
  EXPECT_EQ(slow.numa, 1);
  EXPECT_EQ(slow.pcie_generation, 3);
  EXPECT_EQ(slow.pcie_width, 8);
  EXPECT_EQ(slow.pcie_generation_max, 5);
  EXPECT_EQ(slow.pcie_width_max, 16);
  EXPECT_EQ(by_pci.at("0000:18:00.0").uuid, "GPU-0f3a1100-1c2d-4e5f-8091-a2b3c4d5e600");
  EXPECT_EQ(by_pci.at("0000:18:00.0").model, "NVIDIA H100 PCIe");
  // Two GPUs of a socket hang below one switch.
  EXPECT_EQ(by_pci.at("0000:18:00.0").pcie_path.at(1), by_pci.at("0000:1a:00.0").pcie_path.at(1));
  EXPECT_NE(by_pci.at("0000:18:00.0").pcie_path.at(1), slow.pcie_path.at(1));
  // In a container /sys shows them though /dev doesn't.
  EXPECT_TRUE(gpus_of_sysfs(*files_, true).empty());
}

TEST_P(Capture, GivesEachNicWithRateStateAndPlace) {
  std::map<std::string, Nic> nics;
  for (auto& nic : nics_of_sysfs(*files_)) nics[nic.name] = nic;
  ASSERT_EQ(nics.size(), 6U);  // five RDMA devices and eno1; ib0, ib1, ens2np0 belong to theirs, lo to none
  for (const char* name : {"mlx5_0", "mlx5_1"}) {
    EXPECT_EQ(nics.at(name).rate, Bandwidth::gigabits_per_second(400));
    EXPECT_EQ(nics.at(name).layer, Nic::Layer::infiniband);
    EXPECT_EQ(nics.at(name).numa, 0);
    EXPECT_TRUE(nics.at(name).up && nics.at(name).rdma);
  }
  EXPECT_EQ(nics.at("mlx5_0").netdev, "ib0");
  EXPECT_EQ(nics.at("mlx5_0").guid, "a088:c203:0040:0000");
  EXPECT_EQ(nics.at("mlx5_2").rate, Bandwidth::gigabits_per_second(200));
  EXPECT_EQ(nics.at("mlx5_2").layer, Nic::Layer::ethernet);
  EXPECT_EQ(nics.at("mlx5_2").netdev, "ens2np0");
  EXPECT_EQ(nics.at("mlx5_2").numa, 1);
  EXPECT_FALSE(nics.at("mlx5_3").up);
  EXPECT_FALSE(nics.at("mlx5_3").rate.known());
  EXPECT_EQ(nics.at("rdmap199s27").layer, Nic::Layer::efa);
  EXPECT_EQ(nics.at("rdmap199s27").rate, Bandwidth::gigabits_per_second(100));
  EXPECT_FALSE(nics.at("rdmap199s27").numa);
  EXPECT_EQ(nics.at("rdmap199s27").pci->text(), "0000:c7:1b.0");
  EXPECT_TRUE(nics.at("rdmap199s27").pcie_path.empty());
  EXPECT_EQ(nics.at("eno1").rate, Bandwidth::gigabits_per_second(25));
  EXPECT_FALSE(nics.at("eno1").rdma);
}

TEST_P(Capture, IsSaidToBeNoneOfThisMachine) {
  const auto facts = HwlocSource("g07").look(outside_->get());
  ASSERT_TRUE(facts);
  EXPECT_TRUE(test::warned(*facts, "not-this-machine"));
}

INSTANTIATE_TEST_SUITE_P(OfVersion, Capture, testing::Values(1, 2),
                         [](const auto& version) { return std::to_string(version.param); });

}  // namespace
}  // namespace topolaunch::topo
