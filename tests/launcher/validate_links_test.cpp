// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "launcher/validate.h"

namespace topolaunch::launcher {
namespace {

topo::Topology eight(const std::string& model, int links) {
  topo::Topology topology;
  topo::Host host;
  host.name = "h07";
  for (int i = 0; i < 8; ++i) {
    topo::Gpu gpu;
    gpu.index = i;
    gpu.model = model;
    if (links > 0) {
      topo::GpuLink link;
      link.to = topo::GpuLink::To::nvswitch;
      link.count = links;
      gpu.links.push_back(link);
    }
    host.gpus.push_back(gpu);
  }
  topology.hosts.push_back(host);
  return topology;
}

TEST(CheckLinks, OneMissingLinkNamesItsGpu) {
  auto topology = eight("NVIDIA H100 80GB HBM3", 18);
  topology.hosts[0].gpus[3].links[0].count = 17;
  const auto checks = check_links(topology);
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].verdict, Outcome::fail);
  EXPECT_EQ(checks[0].measured, "17 links up");
  EXPECT_EQ(checks[0].expected, "18");
  EXPECT_THAT(checks[0].suspect, testing::HasSubstr("GPU 3"));
  EXPECT_THAT(checks[0].suspect, testing::HasSubstr("h07"));
  topology.hosts[0].gpus[3].links.clear();  // none at all is no other kind of machine either
  EXPECT_EQ(check_links(topology)[0].measured, "0 links up");
}

TEST(CheckLinks, AllOnesThatLackTheSameAreHeldAgainstTheModel) {
  const auto checks = check_links(eight("NVIDIA H100 80GB HBM3", 17));
  ASSERT_EQ(checks.size(), 8u);
  EXPECT_EQ(checks[0].expected, "18");
}

TEST(CheckLinks, ACardWithTwelveOfEighteenLinksIsSoldThatWay) {
  EXPECT_EQ(check_links(eight("NVIDIA H100 NVL", 12)).at(0).verdict, Outcome::pass);
  EXPECT_EQ(check_links(eight("NVIDIA H100 PCIe", 12)).at(0).verdict, Outcome::pass);
  EXPECT_EQ(check_links(eight("NVIDIA A100-SXM4-80GB", 12)).at(0).verdict, Outcome::pass);
}

TEST(CheckLinks, NoLinksAnywhereAndNobodyToSayAreNoFaults) {
  EXPECT_EQ(check_links(eight("NVIDIA L40S", 0)).at(0).verdict, Outcome::not_applicable);
  EXPECT_EQ(check_links(eight("NVIDIA H100 80GB HBM3", 0)).at(0).verdict, Outcome::could_not_test);
  EXPECT_EQ(check_links(topo::Topology{}).at(0).verdict, Outcome::not_applicable);
}

}  // namespace
}  // namespace topolaunch::launcher
