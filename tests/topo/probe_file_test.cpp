// SPDX-License-Identifier: Apache-2.0
#include "topo/probe_file.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/topo/facts.h"
#include "topo/assemble.h"

namespace topolaunch::topo {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kHosts{"h0", "h1", "h2", "h3"};

/// h0 and h2 share a leaf, h1 and h3 do.
Json a_probe(bool sure) {
  ProbeResult result;
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < 4; ++b) {
      if (a == b) continue;
      result.pairs.push_back({kHosts[static_cast<std::size_t>(a)], kHosts[static_cast<std::size_t>(b)],
                              PairFact::Of::bandwidth, a % 2 == b % 2 ? 25e6 : 6.25e6, true});
    }
  }
  result.leaves.sure = sure;
  result.leaves.pairs = 6;
  result.leaves.ratio = 4;
  if (sure) {
    result.leaves.leaf = {0, 1, 0, 1};
    result.leaves.leaves = 2;
  } else {
    result.leaves.why = "near and far pairs overlap";
  }
  result.rounds = 12;
  result.tournaments = 2;
  ProbeCost cost{Seconds(1.5), Bytes(24 << 20), Bytes(1 << 20), "2026-01-02T03:04:05Z",
                 "mpi host memory"};
  return probe_json(kHosts, result, cost);
}

Result<Topology> topology_of(const Json& json) {
  const std::string text = to_line(json);
  auto facts = facts_from_file(text, "probe.json", "");
  if (!facts) return fail(std::move(facts).error());
  Survey survey;
  survey.facts = std::move(*facts);
  return assemble(std::move(survey));
}

TEST(ProbeFile, ACertainProbeIsANetworkWithItsCostAndCertainty) {
  const auto topology = topology_of(a_probe(true));
  ASSERT_TRUE(topology) << topology.error().text();
  ASSERT_EQ(topology->hosts.size(), 4U);
  const auto& leaf = topology->fabric.leaf_of_host;
  ASSERT_EQ(leaf.size(), 4U);
  EXPECT_EQ(leaf[0], leaf[2]);
  EXPECT_EQ(leaf[1], leaf[3]);
  EXPECT_NE(leaf[0], leaf[1]);
  ASSERT_EQ(topology->warnings.size(), 1U);
  EXPECT_EQ(topology->warnings[0].code, "measured-leaves");
  EXPECT_EQ(topology->warnings[0].message,
            "2 leaves by bandwidth: 6 of 6 pairs fit, pairs between leaves are 4 times as far as within "
            "(4 hosts probed in 1.5 s: 12 rounds, 24 MiB sent, mpi host memory, 2026-01-02T03:04:05Z)");
}

TEST(ProbeFile, AnUncertainProbeSaysWhyAndPlacesNobody) {
  const auto topology = topology_of(a_probe(false));
  ASSERT_TRUE(topology) << topology.error().text();
  EXPECT_EQ(topology->hosts.size(), 4U);
  EXPECT_TRUE(topology->fabric.switches.empty());
  ASSERT_EQ(topology->warnings.size(), 1U);
  EXPECT_EQ(topology->warnings[0].code, "measured-unsure");
  EXPECT_THAT(topology->warnings[0].message,
              HasSubstr("leaves unsure: near and far pairs overlap (4 hosts probed in 1.5 s"));
  EXPECT_FALSE(probe_is_sure(a_probe(false)));
  EXPECT_TRUE(probe_is_sure(a_probe(true)));
}

TEST(ProbeFile, KeepsWhatEachPairReached) {
  const Json json = a_probe(true);
  EXPECT_TRUE(json["bytes_per_second"][0][0].is_null());
  EXPECT_DOUBLE_EQ(json["bytes_per_second"][0][1].get<double>(), 6.25e6);
  EXPECT_DOUBLE_EQ(json["bytes_per_second"][0][2].get<double>(), 25e6);
  EXPECT_TRUE(json["latency_seconds"].empty());
}

TEST(ProbeFile, RefusesOneThatIsNotWhole) {
  const auto fault = [](const auto& change) {
    Json json = a_probe(true);
    change(json);
    const auto topology = topology_of(json);
    return topology ? std::string("taken") : topology.error().text();
  };
  EXPECT_THAT(fault([](Json& j) { j["leaves"][0].push_back("h1"); }), HasSubstr("h1 is on two leaves"));
  EXPECT_THAT(fault([](Json& j) { j["leaves"][0].push_back("h9"); }), HasSubstr("h9 is on two leaves, or"));
  EXPECT_THAT(fault([](Json& j) { j["leaves"].erase(1); }), HasSubstr("h1 is on no leaf"));
  EXPECT_THAT(fault([](Json& j) { j["hosts"].push_back("h1"); }), HasSubstr("missing or named twice"));
  EXPECT_THAT(fault([](Json& j) { j.erase("seconds"); }), HasSubstr("probe.json:1: the probe is not whole"));
  EXPECT_THAT(fault([](Json& j) { j["rounds"] = "many"; }), HasSubstr("not whole"));
}

}  // namespace
}  // namespace topolaunch::topo
