// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/deadline.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace topolaunch::bench {
namespace {

TEST(Deadline, NamesTheStepThatDidNotEnd) {
  std::promise<std::string> named;
  Deadline deadline(Seconds(0.05), [&](const Step& step, Seconds) { named.set_value(to_text(step)); });
  deadline.step({"warm-up", 8, "in place", 0});
  deadline.step({"timed run", 1 << 20, "in place", 3});
  auto name = named.get_future();
  ASSERT_EQ(name.wait_for(std::chrono::seconds(30)), std::future_status::ready);
  EXPECT_EQ(name.get(), "timed run 3 of 1 MiB, in place");
}

TEST(Deadline, RestAndNoLimitAreNotWatched) {
  std::atomic<int> fired = 0;
  {
    Deadline none(Seconds(0), [&](const Step&, Seconds) { ++fired; });
    none.step({.phase = "anything"});
    Deadline resting(Seconds(0.01), [&](const Step&, Seconds) { ++fired; });
    resting.rest();
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
  }
  EXPECT_EQ(fired, 0);
}

TEST(Deadline, StepsSaySizeAndPlacementWhereTheyHaveThem) {
  EXPECT_EQ(to_text(Step{.phase = "starting MPI"}), "starting MPI");
  EXPECT_EQ(to_text(Step{"check", 4096, "out of place", -1}), "check of 4 KiB, out of place");
}

}  // namespace
}  // namespace topolaunch::bench
