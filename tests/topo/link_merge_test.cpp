// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/topo/facts.h"
#include "topo/gpu_merge.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

GpuLinkFact link(const std::string& from, GpuLink::To to, int count, const std::string& peer = "") {
  GpuLinkFact fact;
  fact.from.pci = pci(from);
  fact.to = to;
  fact.count = count;
  if (!peer.empty()) fact.peer.pci = pci(peer);
  return fact;
}

std::string address(int i) { return "0000:" + std::to_string(10 + i) + ":00.0"; }

/// `n` H100s with 18 links into switches, one of them with `odd` links.
std::vector<Fact> switched(int n, int odd) {
  std::vector<Fact> facts;
  for (int i = 0; i < n; ++i) {
    auto gpu = gpu_at(address(i));
    gpu.compute_capability = 90;
    facts.push_back(fact(kNvml, gpu));
    const int count = i == n - 1 ? odd : 18;
    if (count > 0) facts.push_back(fact(kNvml, link(address(i), GpuLink::To::nvswitch, count)));
  }
  return facts;
}

TEST(LinkMerge, NamesTheGpuThatHasFewerLinksThanItsEquals) {
  const auto topology = assembled(switched(8, 0));
  EXPECT_EQ(count_of(topology, "nvlink-odd-gpu"), 1);
  EXPECT_THAT(message_of(topology, "nvlink-odd-gpu"), HasSubstr("gpu7 (0000:17:00.0) has 0"));
  EXPECT_EQ(count_of(assembled(switched(8, 18)), "nvlink-odd-gpu"), 0);
}

TEST(LinkMerge, AddsUpTheLinksIntoSeveralSwitches) {
  auto facts = switched(2, 9);
  facts.push_back(fact(kNvml, link(address(1), GpuLink::To::nvswitch, 9)));
  const auto topology = assembled(facts);
  ASSERT_EQ(topology.hosts[0].gpus[1].links.size(), 1U);
  EXPECT_EQ(topology.hosts[0].gpus[1].links[0].count, 18);
  EXPECT_DOUBLE_EQ(topology.hosts[0].gpus[1].links[0].bandwidth.gigabytes_per_second(), 450);
}

TEST(LinkMerge, ReadsTheSameLinksToEveryPeerAsSwitches) {
  std::vector<Fact> facts;
  for (int i = 0; i < 8; ++i) {
    auto gpu = gpu_at(address(i));
    gpu.compute_capability = 90;
    facts.push_back(fact(kNccl, gpu));
    for (int peer = 0; peer < 8; ++peer) {
      if (peer != i) {
        facts.push_back(fact(kNccl, link(address(i), GpuLink::To::gpu, 18, address(peer))));
      }
    }
  }
  const auto topology = assembled(facts);
  ASSERT_EQ(topology.hosts[0].gpus[0].links.size(), 1U);
  EXPECT_EQ(topology.hosts[0].gpus[0].links[0].to, GpuLink::To::nvswitch);
  EXPECT_EQ(topology.hosts[0].gpus[0].links[0].count, 18);
  EXPECT_EQ(count_of(topology, "nvlink-impossible-count"), 8);
}

TEST(LinkMerge, LeavesACubeMeshAlone) {
  std::vector<Fact> facts;
  for (int i = 0; i < 4; ++i) {
    auto gpu = gpu_at(address(i));
    gpu.compute_capability = 70;
    facts.push_back(fact(kNvml, gpu));
    for (int peer = 0; peer < 4; ++peer) {
      if (peer == i) continue;
      facts.push_back(fact(kNvml, link(address(i), GpuLink::To::gpu, 2, address(peer))));
    }
  }
  const auto topology = assembled(facts);
  EXPECT_EQ(topology.hosts[0].gpus[0].links.size(), 3U);
  EXPECT_TRUE(topology.warnings.empty());
}

TEST(LinkMerge, SaysThatALinkLeadsToItselfOrNowhere) {
  const auto topology =
      assembled({fact(kNccl, gpu_at(address(0))),
                 fact(kNccl, link(address(0), GpuLink::To::gpu, 12, address(0))),
                 fact(kNccl, link(address(0), GpuLink::To::gpu, 1, "0000:77:00.0"))});
  EXPECT_EQ(count_of(topology, "nvlink-to-itself"), 1);
  EXPECT_EQ(count_of(topology, "nvlink-unknown-target"), 1);
  EXPECT_EQ(topology.hosts[0].gpus[0].links.at(0).to, GpuLink::To::unknown);
}

TEST(LinkMerge, SaysThatAPeerHasNoLinksBack) {
  const auto topology =
      assembled({fact(kNccl, gpu_at(address(0))), fact(kNccl, gpu_at(address(1))),
                 fact(kNccl, link(address(0), GpuLink::To::gpu, 4, address(1)))});
  EXPECT_EQ(count_of(topology, "nvlink-asymmetric"), 1);
}

TEST(LinkMerge, TakesThePictureOfTheDriverWholeAndComparesTheFile) {
  auto facts = switched(1, 18);
  facts.push_back(fact(kNccl, link(address(0), GpuLink::To::nvswitch, 12)));
  const auto topology = assembled(facts);
  EXPECT_EQ(topology.hosts[0].gpus[0].links.at(0).count, 18);
  EXPECT_EQ(count_of(topology, "nvlink-conflict"), 1);
}

TEST(LinkMerge, KeepsC2cApartFromNvlinks) {
  auto c2c = link(address(0), GpuLink::To::cpu, 1);
  c2c.type = LinkType::c2c;
  auto facts = switched(1, 18);
  facts.push_back(fact(kNvml, c2c));
  const auto topology = assembled(facts);
  EXPECT_TRUE(topology.warnings.empty());
  EXPECT_EQ(topology.hosts[0].gpus[0].links.size(), 2U);
}

TEST(LinkMerge, CountsLinksFromBandwidths) {
  auto facts = switched(2, 18);
  for (int i = 0; i < 2; ++i) {
    auto bandwidth = link(address(i), GpuLink::To::gpu, 0, address(1 - i));
    bandwidth.bandwidth = Bandwidth::gigabytes_per_second(100);
    facts.push_back(fact(kHwloc, bandwidth));
  }
  std::erase_if(facts, [](const Fact& f) {
    const auto* l = std::get_if<GpuLinkFact>(&f.what);
    return l != nullptr && l->count > 0;
  });
  EXPECT_EQ(assembled(facts).hosts[0].gpus[0].links.at(0).count, 4);
}

TEST(LinkMerge, MirrorsAP2pStatusThatIsGivenOnce) {
  P2pFact p2p;
  p2p.a.pci = pci(address(0));
  p2p.b.pci = pci(address(1));
  p2p.status = P2pStatus::not_supported;
  const auto topology = assembled(
      {fact(kNvml, gpu_at(address(0))), fact(kNvml, gpu_at(address(1))), fact(kNvml, p2p)});
  EXPECT_EQ(topology.hosts[0].p2p.at(1).at(0), P2pStatus::not_supported);
}

}  // namespace
}  // namespace topolaunch::topo
