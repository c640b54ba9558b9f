// SPDX-License-Identifier: Apache-2.0
#include "topo/nvlink_domain.h"

#include <gmock/gmock.h>

#include "tests/topo/facts.h"

namespace topolaunch::topo {
namespace {

const Origin kKube{"kubernetes", "nodes.json", 7};
const Origin kEc2{"ec2", "t.json", 3};

TEST(NvlinkDomain, JoinsTheGpusOfTheHost) {
  const auto topology =
      assembled({fact(kKube, GpuCountFact{4, "gb200"}), fact(kKube, NvlinkDomainFact{"c", 2})});
  for (const auto& gpu : topology.hosts.at(0).gpus) {
    EXPECT_EQ(gpu.fabric_cluster, "c");
    EXPECT_EQ(gpu.fabric_clique, 2);
  }
}

TEST(NvlinkDomain, BelievesTheDriverAndHearsTheLabel) {
  auto gpu = gpu_at("18:00.0");
  gpu.fabric_cluster = "real";
  gpu.fabric_clique = 1;
  const auto topology = assembled({fact(kNvml, gpu), fact(kKube, NvlinkDomainFact{"stale", 1})});
  EXPECT_EQ(topology.hosts.at(0).gpus.at(0).fabric_cluster, "real");
  EXPECT_THAT(message_of(topology, "nvlink-domain-conflict"),
              ::testing::HasSubstr("stale.1 by kubernetes"));
}

TEST(NvlinkDomain, NamesBothOfTwoThatDiffer) {
  const auto topology =
      assembled({fact(kKube, GpuCountFact{1, ""}), fact(kKube, NvlinkDomainFact{"a", 0}),
                 fact(kEc2, NvlinkDomainFact{"b", 0})});
  EXPECT_EQ(topology.hosts.at(0).gpus.at(0).fabric_cluster, "a");
  EXPECT_EQ(count_of(topology, "nvlink-domain-conflict"), 1);
}

}  // namespace
}  // namespace topolaunch::topo
