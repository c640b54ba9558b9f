// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/gpu_watch.h"

#include <gmock/gmock.h>

#include <atomic>

namespace topolaunch::bench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

topo::GpuHealth busy(int percent) {
  topo::GpuHealth health;
  health.busy = percent;
  return health;
}

TEST(GpuWatch, WaitsUntilNobodyElseComputes) {
  int looks = 0;
  GpuWatch watch([&] { return busy(90 - 30 * looks++); }, Seconds(0.001));
  watch.wait_until_idle(Seconds(60));
  EXPECT_EQ(looks, 4) << "90, 60, 30, 0 %";
  EXPECT_EQ(watch.end().busy_before, 0);
}

TEST(GpuWatch, GoesOnWhenPatienceIsOverAndSaysSo) {
  GpuWatch watch([] { return busy(87); }, Seconds(0.001));
  watch.wait_until_idle(Seconds(0.01));
  GpuRecord record = watch.end();
  EXPECT_EQ(record.busy_before, 87);
  EXPECT_GE(record.waited, Seconds(0.01));
  record.rank = 3;
  EXPECT_THAT(notes_on(record, "0000:18:00.0 on g1"),
              ElementsAre("rank 3: GPU 0000:18:00.0 on g1 was 87 % busy with something else"));
}

TEST(GpuWatch, ADriverThatTellsNothingIsNotWaitedFor) {
  GpuWatch watch([] { return topo::GpuHealth(); });
  watch.wait_until_idle(Seconds(60));
  watch.begin();
  const GpuRecord record = watch.end();
  EXPECT_EQ(record.busy_before, std::nullopt);
  EXPECT_EQ(record.sm_clock_lowest, std::nullopt);
  EXPECT_THAT(notes_on(record, "x"), IsEmpty());
}

TEST(GpuWatch, KeepsTheExtremesAndEachReasonOnce) {
  std::atomic<int> looks{0};
  const topo::GpuHealth seen[] = {{5, 1980, 1980, 60, {"SW power cap"}},
                                  {99, 1005, 1980, 91, {"SW power cap", "HW thermal slowdown"}},
                                  {99, 1500, 1980, 88, {"HW thermal slowdown"}}};
  GpuWatch watch([&] { return seen[std::min(looks++, 2)]; }, Seconds(0.001));
  watch.begin();
  while (looks < 4) std::this_thread::yield();
  const GpuRecord record = watch.end();
  EXPECT_EQ(record.sm_clock_lowest, 1005);
  EXPECT_EQ(record.sm_clock_highest, 1980);
  EXPECT_EQ(record.temperature_highest, 91);
  EXPECT_THAT(record.held_back, ElementsAre("SW power cap", "HW thermal slowdown"));
  // A power cap is how the GPU is set; heat is not.
  EXPECT_THAT(notes_on(record, "0000:18:00.0 on g1"),
              ElementsAre("rank 0: GPU 0000:18:00.0 on g1 was held back: HW thermal slowdown, SM clock down to 1005 of "
                          "1980 MHz, 91 C"));
}

}  // namespace
}  // namespace topolaunch::bench
