// SPDX-License-Identifier: Apache-2.0
#include "base/own_cpus.h"

#include <gtest/gtest.h>
#include <sched.h>

namespace topolaunch {
namespace {

TEST(OwnCpus, AreThoseThatTheKernelWasTold) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(own_cpus().size(), CPU_COUNT(&before));
  const int last = own_cpus().last();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(last), &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(own_cpus(), CpuSet{last});
  ::sched_setaffinity(0, sizeof before, &before);
}

}  // namespace
}  // namespace topolaunch
