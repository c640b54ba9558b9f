// SPDX-License-Identifier: Apache-2.0
#include "launcher/shim/order.h"

#include <gtest/gtest.h>

namespace topolaunch::launcher {
namespace {

TEST(Order, TakesSecretsOutAndPutsTheRanksVariablesIn) {
  Order order;
  order.unset = {"TOKEN"};
  order.place.environment = {{"RANK", "1"}};
  const Environment variables = rank_variables(order, {{"TOKEN", "s"},
                                                       {kControlSecret, "s"},
                                                       {kControlAddress, "a"},
                                                       {kControlRank, "1"},
                                                       {"HOME", "/"}});
  EXPECT_EQ(variables.entries(), (std::vector<std::string>{"HOME=/", "RANK=1"}));
}

}  // namespace
}  // namespace topolaunch::launcher
