// SPDX-License-Identifier: Apache-2.0
#include "base/own_host.h"

#include <gtest/gtest.h>
#include <sys/utsname.h>

namespace topolaunch {
namespace {

TEST(OwnHostName, IsTheKernels) {
  utsname kernel{};
  ASSERT_EQ(::uname(&kernel), 0);
  EXPECT_EQ(own_host_name(), kernel.nodename);
}

}  // namespace
}  // namespace topolaunch
