// SPDX-License-Identifier: Apache-2.0
#include "topo/host_merge.h"

#include <gmock/gmock.h>

#include "tests/topo/facts.h"

namespace topolaunch::topo {
namespace {

TEST(HostMerge, CarriesTheWarningsOfItsSources) {
  const Fact said = fact(kNvml, WarningFact{{"gpu-lost", Warning::Severity::warning, "", 0, "x"}});
  const auto merged = merge_host("n1", {&said});
  EXPECT_EQ(merged.host.name, "n1");
  EXPECT_EQ(count_of(merged.warnings, "gpu-lost"), 1);
}

TEST(HostMerge, MakesAnEmptyHostOfNoFacts) {
  const auto merged = merge_host("n1", {});
  EXPECT_TRUE(merged.host.gpus.empty());
  EXPECT_TRUE(merged.host.cpus.empty());
}

}  // namespace
}  // namespace topolaunch::topo
