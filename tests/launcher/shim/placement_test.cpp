// SPDX-License-Identifier: Apache-2.0
#include "launcher/shim/placement.h"

#include <gtest/gtest.h>

#include "base/own_cpus.h"

namespace topolaunch::launcher {
namespace {

TEST(Placement, SaysWhyItCannotBind) {
  EXPECT_FALSE(bind_cpus({}));
  EXPECT_FALSE(bind_cpus(own_cpus()));
  const auto problem = bind_cpus({5000});
  ASSERT_TRUE(problem);
  EXPECT_NE(problem->find("5000"), std::string::npos);
  EXPECT_FALSE(memory_policy().empty());
}

}  // namespace
}  // namespace topolaunch::launcher
