// SPDX-License-Identifier: Apache-2.0
#include "launcher/device_share.h"

#include <gmock/gmock.h>

#include "tests/launcher/example_host.h"

namespace topolaunch::launcher {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// "group/size local_rank devices" a rank.
std::vector<std::string> shares(const VisibleGpus& visible, const std::vector<int>& planned) {
  std::vector<std::string> out;
  for (const DeviceShare& share : share_devices(visible, planned)) {
    out.push_back(std::to_string(share.group) + "/" + std::to_string(share.group_size) + " " +
                  std::to_string(share.local_rank) + " " + share.devices);
  }
  return out;
}

topo::Host with_instances(int gpus) {
  topo::Host host = example_host(gpus);
  host.gpus[0].mig_enabled = true;
  host.gpus[0].mig = {{"MIG-aaaa-1", "3g.20gb", Bytes(0)}, {"MIG-bbbb-2", "1g.5gb", Bytes(0)}};
  return host;
}

TEST(DeviceShare, GivesEachRankItsGpuAsLocalRankAndHidesNone) {
  const auto visible = visible_gpus(example_host(4), {});
  EXPECT_THAT(shares(visible, {2, 0}), ElementsAre("0/2 0 2,0,1,3", "0/2 1 2,0,1,3"));
}

TEST(DeviceShare, KeepsTheEntriesAsTheyWereGiven) {
  const auto visible =
      visible_gpus(example_host(4), {{"CUDA_VISIBLE_DEVICES", "GPU-00000003,GPU-00000001"}});
  EXPECT_THAT(shares(visible, {1, 3}),
              ElementsAre("0/2 0 GPU-00000001,GPU-00000003", "0/2 1 GPU-00000001,GPU-00000003"));
}

TEST(DeviceShare, RanksThatShareGpusAreGroupsSoThatLocalRankIsADevice) {
  const auto visible = visible_gpus(example_host(2), {});
  EXPECT_THAT(shares(visible, {0, 1, 0, 1}),
              ElementsAre("0/2 0 0,1", "0/2 1 0,1", "1/2 0 0,1", "1/2 1 0,1"));
  EXPECT_THAT(shares(visible, {1, 1, 0}), ElementsAre("0/2 0 1,0", "1/1 0 1,0", "0/2 1 1,0"))
      << "every list begins with its own group's GPUs";
}

TEST(DeviceShare, AMigInstanceIsSeenAlone) {
  const auto visible = visible_gpus(with_instances(1), {});
  EXPECT_THAT(shares(visible, {0, 0}), ElementsAre("0/1 0 MIG-aaaa-1", "1/1 0 MIG-bbbb-2"));
  EXPECT_EQ(share_devices(visible, {0, 0})[1].instance, "MIG-bbbb-2");
  EXPECT_THAT(shares(visible, {0, 0, 0}),
              ElementsAre("0/1 0 MIG-aaaa-1", "1/1 0 MIG-bbbb-2", "2/1 0 MIG-aaaa-1"));
}

TEST(DeviceShare, WholeGpusBesideInstancesDoNotListThem) {
  const auto visible = visible_gpus(with_instances(3), {});
  EXPECT_THAT(shares(visible, {0, 0, 1, 2}),
              ElementsAre("0/1 0 MIG-aaaa-1", "1/1 0 MIG-bbbb-2",
                          "2/2 0 GPU-00000001-aaaa,GPU-00000002-aaaa",
                          "2/2 1 GPU-00000001-aaaa,GPU-00000002-aaaa"))
      << "CUDA shows whole GPUs to nobody who sees an instance";
}

Plan plan_of(const std::vector<std::pair<int, std::string>>& devices) {
  Plan plan;
  for (const auto& [gpu, instance] : devices) {
    RankPlan rank;
    rank.host = "box";
    rank.gpu_index = gpu;
    rank.gpu_instance = instance;
    plan.ranks.push_back(rank);
  }
  return plan;
}

TEST(SharingWords, AreSaidWhereRanksShareOrHaveInstances) {
  EXPECT_EQ(sharing_words(plan_of({{0, ""}, {1, ""}})), "");
  EXPECT_EQ(sharing_words(plan_of({{-1, ""}, {-1, ""}})), "") << "ranks without GPUs share none";
  EXPECT_THAT(sharing_words(plan_of({{0, ""}, {1, ""}, {0, ""}})),
              HasSubstr("3 ranks share 2 GPUs, up to 2 on one: LOCAL_RANK"));
  EXPECT_THAT(sharing_words(plan_of({{0, "MIG-a"}, {0, "MIG-b"}, {1, ""}})),
              HasSubstr("2 of 3 ranks on MIG instances"));
}

}  // namespace
}  // namespace topolaunch::launcher
