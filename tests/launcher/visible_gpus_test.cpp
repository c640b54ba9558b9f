// SPDX-License-Identifier: Apache-2.0
#include "launcher/visible_gpus.h"

#include <gmock/gmock.h>

#include "tests/launcher/example_host.h"

namespace topolaunch::launcher {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<int> gpus_of(const VisibleGpus& visible) {
  std::vector<int> out;
  for (const VisibleDevice& device : visible.devices) out.push_back(device.gpu);
  return out;
}

std::vector<std::string> entries_of(const VisibleGpus& visible) {
  std::vector<std::string> out;
  for (const VisibleDevice& device : visible.devices) out.push_back(device.entry);
  return out;
}

std::vector<int> seen(const std::string& list, int gpus = 8) {
  return gpus_of(visible_gpus(example_host(gpus), {{"CUDA_VISIBLE_DEVICES", list}}));
}

TEST(VisibleGpus, AreAllInPciOrderWhenNothingIsSaid) {
  const VisibleGpus visible = visible_gpus(example_host(4), {});
  EXPECT_THAT(gpus_of(visible), ElementsAre(0, 1, 2, 3));
  EXPECT_TRUE(visible.indices);
  EXPECT_FALSE(visible.given);
}

TEST(VisibleGpus, KeepTheOrderThatRayShuffled) {
  EXPECT_THAT(seen("3,6,5,4,0,7,1,2"), ElementsAre(3, 6, 5, 4, 0, 7, 1, 2));
}

TEST(VisibleGpus, EndAtTheFirstEntryThatIsNotValid) {
  EXPECT_THAT(seen("2,-1,3"), ElementsAre(2));
  EXPECT_THAT(seen("2,8,3"), ElementsAre(2));
  EXPECT_THAT(seen("2,x,3"), ElementsAre(2));
  EXPECT_THAT(seen("0,1,0"), ElementsAre(0, 1));
  EXPECT_THAT(seen("1,,2"), ElementsAre(1));
  EXPECT_THAT(seen("99999999999999999999,1"), IsEmpty());
}

TEST(VisibleGpus, AreNoneForAnEmptyListAndMinusOne) {
  EXPECT_THAT(seen(""), IsEmpty());
  EXPECT_THAT(seen("-1"), IsEmpty());
  EXPECT_THAT(seen("NoDevFiles"), IsEmpty());
}

TEST(VisibleGpus, SayWhatWasIgnored) {
  const auto visible = visible_gpus(example_host(2), {{"CUDA_VISIBLE_DEVICES", "1,7"}});
  ASSERT_EQ(visible.notes.size(), 1U);
  EXPECT_THAT(visible.notes[0], testing::HasSubstr("'7'"));
}

TEST(VisibleGpus, AreFoundByUniqueBeginningsOfUuids) {
  EXPECT_THAT(seen("GPU-00000005,GPU-00000002-aaaa"), ElementsAre(5, 2));
  EXPECT_THAT(seen("GPU-0000"), IsEmpty()) << "it means eight GPUs";
}

TEST(VisibleGpus, KeepUuidEntriesAsTheyWereGiven) {
  const auto visible =
      visible_gpus(example_host(4), {{"CUDA_VISIBLE_DEVICES", "GPU-00000003,GPU-00000001"}});
  EXPECT_FALSE(visible.indices);
  EXPECT_THAT(entries_of(visible), ElementsAre("GPU-00000003", "GPU-00000001"));
}

TEST(VisibleGpus, NumbersCountInPciOrderWhenAskedTo) {
  topo::Host host = example_host(2);
  host.gpus[0].compute_capability = 75;  // slow and first in PCI order
  host.gpus[0].model = "T4";
  EXPECT_THAT(gpus_of(visible_gpus(host, {{"CUDA_VISIBLE_DEVICES", "0"},
                                          {"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}})),
              ElementsAre(0));
  const VisibleGpus fastest = visible_gpus(host, {{"CUDA_VISIBLE_DEVICES", "0"}});
  EXPECT_THAT(gpus_of(fastest), ElementsAre(1));
  EXPECT_EQ(fastest.notes.size(), 1U) << "a guess is said";
}

TEST(VisibleGpus, OfSeveralKindsAreFastestFirstAsCudaCountsAndThatIsSaid) {
  topo::Host host = example_host(3);
  host.gpus[0].compute_capability = 75;
  host.gpus[0].model = "Tesla T4";
  const auto visible = visible_gpus(host, {});
  EXPECT_THAT(gpus_of(visible), ElementsAre(1, 2, 0));
  EXPECT_THAT(
      visible.notes,
      ElementsAre(testing::HasSubstr("1 x Tesla T4, 2 x NVIDIA H100 80GB HBM3): fastest first")));
  EXPECT_THAT(gpus_of(visible_gpus(host, {{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}})),
              ElementsAre(0, 1, 2));
}

TEST(VisibleGpus, UseUuidsWhereTheUserWantsAnotherOrderOfNumbers) {
  const auto visible = visible_gpus(
      example_host(2), {{"CUDA_VISIBLE_DEVICES", "1,0"}, {"CUDA_DEVICE_ORDER", "FASTEST_FIRST"}});
  EXPECT_FALSE(visible.indices);
  EXPECT_THAT(entries_of(visible), ElementsAre("GPU-00000001-aaaa", "GPU-00000000-aaaa"));
}

TEST(VisibleGpus, TellWhichOnesAreHidden) {
  const topo::Host host = example_host(4);
  EXPECT_THAT(visible_gpus(host, {{"CUDA_VISIBLE_DEVICES", "2,0"}}).hidden(host), ElementsAre(1, 3));
}

topo::Host with_instances() {
  topo::Host host = example_host(2);
  host.gpus[0].mig_enabled = true;
  host.gpus[0].mig = {{"MIG-aaaa-1", "1g.10gb", Bytes(0)}, {"MIG-bbbb-2", "1g.10gb", Bytes(0)}};
  return host;
}

TEST(VisibleGpus, AreTheInstancesOfAGpuInMigMode) {
  const auto all = visible_gpus(with_instances(), {});
  EXPECT_THAT(entries_of(all), ElementsAre("MIG-aaaa-1", "MIG-bbbb-2", "GPU-00000001-aaaa"));
  EXPECT_FALSE(all.indices) << "what number a GPU has beside one in MIG mode isn't documented";
  const auto seen = [](const char* list) {
    return entries_of(visible_gpus(with_instances(), {{"CUDA_VISIBLE_DEVICES", list}}));
  };
  EXPECT_THAT(seen("MIG-bbbb"), ElementsAre("MIG-bbbb-2"));
  EXPECT_THAT(seen("MIG-bbbb-2,MIG-aaaa-1"), ElementsAre("MIG-bbbb-2", "MIG-aaaa-1"));
  EXPECT_THAT(seen("0"), ElementsAre("MIG-aaaa-1", "MIG-bbbb-2"));
  EXPECT_THAT(seen("GPU-00000000"), ElementsAre("MIG-aaaa-1", "MIG-bbbb-2"));
  EXPECT_THAT(seen("1"), ElementsAre("GPU-00000001-aaaa"));
  EXPECT_THAT(seen("MIG-GPU-00000000-aaaa/1/0"), ElementsAre("MIG-GPU-00000000-aaaa/1/0"));
}

TEST(VisibleGpus, AreNoneInMigModeWithoutAnInstance) {
  topo::Host host = with_instances();
  host.gpus[0].mig.clear();
  const auto visible = visible_gpus(host, {});
  EXPECT_THAT(entries_of(visible), ElementsAre("GPU-00000001-aaaa"));
  EXPECT_THAT(visible.hidden(host), ElementsAre(0));
  EXPECT_THAT(visible.notes,
              ElementsAre(testing::HasSubstr("GPU 0 at 0000:10:00.0 is in MIG mode")));
}

}  // namespace
}  // namespace topolaunch::launcher
