// SPDX-License-Identifier: Apache-2.0
#include "topo/smi/device_list.h"

#include <gmock/gmock.h>

#include "tests/topo/smi/texts.h"

namespace topolaunch::topo {
namespace {

TEST(SmiDeviceList, GivesGpusAndMigDevicesOfBothForms) {
  const auto topology = read_smi(
      "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-0a)\n"
      "  MIG 3g.40gb     Device  0: (UUID: MIG-1a)\n"
      "  MIG 1g.10gb+me  Device  1: (UUID: MIG-GPU-0a/11/0)\n"
      "GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-0b)\n");
  const Host& host = topology.hosts.at(0);
  ASSERT_EQ(host.gpus.size(), 2U);
  EXPECT_EQ(host.gpus[0].model, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(host.gpus[0].uuid, "GPU-0a");
  ASSERT_EQ(host.gpus[0].mig.size(), 2U);
  EXPECT_EQ(host.gpus[0].mig[1].profile, "1g.10gb+me");
  EXPECT_EQ(host.gpus[0].mig[1].uuid, "MIG-GPU-0a/11/0");
  EXPECT_TRUE(host.gpus[0].mig_enabled);
  EXPECT_FALSE(host.gpus[1].mig_enabled);
  EXPECT_EQ(host.gpus[0].compute_capability, 90);
}

TEST(SmiDeviceList, CountsLinksAndThoseThatAreDown) {
  const auto topology = read_smi(
      "GPU 0: Tesla V100-SXM2-32GB (UUID: GPU-0a)\n"
      "\t Link 0: 25.781 GB/s\n\t Link 1: <inactive>\n\t Link 2: 25.781 GB/s\n"
      "GPU 1: Tesla V100-SXM2-32GB (UUID: GPU-0b)\n"
      "NVML: Unable to retrieve NVLink information as all links are inActive\n");
  const Host& host = topology.hosts.at(0);
  ASSERT_EQ(host.gpus[0].links.size(), 1U);
  EXPECT_EQ(host.gpus[0].links[0].count, 2);
  EXPECT_EQ(host.gpus[0].links[0].inactive, 1);
  EXPECT_DOUBLE_EQ(host.gpus[0].links[0].bandwidth.gigabytes_per_second(), 51.562);
  EXPECT_TRUE(host.gpus[1].links.empty());
  EXPECT_EQ(count_of(topology, "nvlink-inactive"), 1);
  EXPECT_EQ(count_of(topology, "nvlink-all-down"), 1);
}

TEST(SmiDeviceList, CountsTheLinksOfRemoteListsOnce) {
  const std::string remote =
      "GPU 0: NVIDIA H100 PCIe (UUID: GPU-0a)\n"
      "\t Link 0: Remote Device 00000000:D5:00.0: Link 0\n"
      "\t Link 1: Remote Device 00000000:D5:00.0: Link 1\n";
  const std::string addresses =
      "GPU 0: NVIDIA H100 PCIe (UUID: GPU-0a)\n\t Link 0: 00000000:D5:00.0\n\t Link 1: 00000000:D5:00.0\n";
  const std::string status =
      "GPU 0: NVIDIA H100 PCIe (UUID: GPU-0a)\n\t Link 0: 26.562 GB/s\n\t Link 1: 26.562 GB/s\n";
  for (const auto& text : {remote, addresses, status + remote, remote + addresses}) {
    const auto topology = read_smi(text);
    ASSERT_EQ(topology.hosts.at(0).gpus.at(0).links.size(), 1U) << text;
    EXPECT_EQ(topology.hosts[0].gpus[0].links[0].count, 2) << text;
  }
  EXPECT_EQ(refused_smi("GPU 0: A (UUID: GPU-0a)\n Link 0: Remote Device nowhere\n").line, 2);
}

TEST(SmiDeviceList, ReadsWhatIsWholeAndRefusesWhatIsNot) {
  EXPECT_EQ(read_smi("GPU 0: A (UUID: GPU-0a)\n Link 0: 25 GB/s\n Link 1: 2")
                .hosts.at(0)
                .gpus.at(0)
                .links.at(0)
                .count,
            1);
  EXPECT_EQ(refused_smi("GPU 0: A (UUID: GPU-0a)\n Link 0: fast enough\n").line, 2);
  EXPECT_EQ(refused_smi("GPU 0: A (UUID: GPU-0a)\n MIG 1g.5gb Device 0:\n").line, 2);
}

}  // namespace
}  // namespace topolaunch::topo
