// SPDX-License-Identifier: Apache-2.0
#include "topo/smi/query.h"

#include <gmock/gmock.h>

#include "tests/topo/smi/texts.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

const std::string kCluster = "20918fa7-7405-7241-9f45-2c075f27ff08";

TEST(SmiQuery, ReadsTheColumnsThatItsHeaderNames) {
  const auto topology = read_smi(
      "index, name, uuid, pci.bus_id, memory.total [MiB], compute_cap, mig.mode.current, "
      "pcie.link.gen.current, pcie.link.gen.max, pcie.link.width.current, pcie.link.width.max\n"
      "0, NVIDIA H100 80GB HBM3, GPU-0a, 00000000:18:00.0, 81559 MiB, 9.0, Disabled, 5, 5, 8, 16\n"
      "1, NVIDIA H100 80GB HBM3, GPU-0b, 00010000:18:00.0, 81559 MiB, 9.0, [N/A], 5, 5, 16, 16\n");
  const Host& host = topology.hosts.at(0);
  ASSERT_EQ(host.gpus.size(), 2U);
  const Gpu& gpu = host.gpus[0];
  EXPECT_EQ(gpu.pci->text(), "0000:18:00.0");
  EXPECT_EQ(gpu.memory, Bytes::mib(81559));
  EXPECT_EQ(gpu.compute_capability, 90);
  EXPECT_EQ(gpu.pcie_width, 8);
  EXPECT_EQ(gpu.pcie_width_max, 16);
  EXPECT_EQ(host.gpus[1].pci->text(), "10000:18:00.0");
}

TEST(SmiQuery, TellsAnNvlinkDomainFromNoneAndFromNotYet) {
  const auto text = [](const std::string& row) {
    return "name, uuid, fabric.state, fabric.status, fabric.cliqueId, fabric.clusterUuid\n"
           "NVIDIA GB200, GPU-0a, " +
           row + "\n";
  };
  const auto in = read_smi(text("Completed, Success, 32766, " + kCluster)).hosts.at(0).gpus.at(0);
  EXPECT_EQ(in.fabric_cluster, kCluster);
  EXPECT_EQ(in.fabric_clique, 32766);
  const auto none = read_smi(text("Completed, Success, 0, 00000000-0000-0000-0000-000000000000"))
                        .hosts.at(0)
                        .gpus.at(0);
  EXPECT_TRUE(none.fabric_cluster.empty());
  EXPECT_FALSE(none.fabric_pending);
  const auto starting = read_smi(text("In Progress, N/A, N/A, N/A")).hosts.at(0).gpus.at(0);
  EXPECT_TRUE(starting.fabric_pending);
}

TEST(SmiQuery, KnowsColumnsWithoutAHeaderByWhatStandsInThem) {
  const auto domain = read_smi(kCluster + ", 2\n" + kCluster + ", 2\n");
  ASSERT_EQ(domain.hosts.at(0).gpus.size(), 2U);
  EXPECT_EQ(domain.hosts[0].gpus[1].fabric_clique, 2);
  const auto gpus =
      read_smi("3, NVIDIA A100-SXM4-40GB, GPU-" + kCluster + ", 00000000:07:00.0, 40960 MiB\n");
  const Gpu& gpu = gpus.hosts.at(0).gpus.at(0);
  EXPECT_EQ(gpu.uuid, "GPU-" + kCluster);
  EXPECT_EQ(gpu.pci->text(), "0000:07:00.0");
  EXPECT_EQ(gpu.memory, Bytes::mib(40960));
}

TEST(SmiQuery, NamesAGpuThatTheDriverLost) {
  for (const std::string which :
       {"GPU0000:AB:00.0: Unknown Error", "GPU5: 0000:AB:00.0: Unknown Error"}) {
    const auto topology = read_smi("Unable to determine the device handle for " + which +
                                   "\nindex, uuid, pci.bus_id\n0, GPU-0a, 00000000:18:00.0\n");
    EXPECT_EQ(topology.hosts.at(0).gpus.size(), 1U);
    EXPECT_THAT(message_of(topology, "gpu-lost"), HasSubstr("0000:ab:00.0"));
  }
}

TEST(SmiQuery, RefusesARowOfAnotherWidthUnlessTheTextIsCutThere) {
  const std::string head = "index, uuid, pci.bus_id\n0, GPU-0a, 00000000:18:00.0\n";
  EXPECT_EQ(refused_smi(head + "1, GPU-0b\n").line, 3);
  const auto topology = read_smi(head + "1, GPU-0b");
  EXPECT_EQ(topology.hosts.at(0).gpus.size(), 1U);
  EXPECT_EQ(count_of(topology, "smi-partial"), 1);
}

}  // namespace
}  // namespace topolaunch::topo
