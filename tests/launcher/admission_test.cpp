// SPDX-License-Identifier: Apache-2.0
#include "launcher/admission.h"

#include <gmock/gmock.h>

#include "tests/launcher/example_host.h"

namespace topolaunch::launcher {
namespace {

mapping::Solution ranks_on(const std::vector<int>& gpus) {
  mapping::Solution solution;
  for (const int gpu : gpus) {
    mapping::RankPlace place;
    place.seat = {0, gpu, 0};
    solution.placement.push_back(place);
  }
  return solution;
}

quota::AdmitRequest request(const RunOptions& options, const std::vector<int>& gpus) {
  const TemporaryWorld world;
  topo::Topology topology;
  topology.hosts = {example_host(4)};
  return admit_request(options, "id", topology, ranks_on(gpus), world.outside());
}

TEST(AdmitRequest, CountsDistinctGpus) {
  EXPECT_EQ(request({}, {0, 1, 1, 3}).demand.count, 3);
  EXPECT_EQ(request({}, {-1, -1}).demand.count, 0);
  EXPECT_THAT(request({}, {0}).demand.gpu_models, testing::ElementsAre("NVIDIA H100 80GB HBM3"));
}

TEST(AdmitRequest, CountsRanksWhereTheSiteSaysSo) {
  RunOptions options;
  options.quota.count = "ranks";
  const auto r = request(options, {-1, -1, -1});
  EXPECT_EQ(r.demand.count, 3);
  EXPECT_EQ(r.demand.unit, "rank");
}

TEST(AdmitRequest, RoundsTheTimeLimitUp) {
  RunOptions options;
  options.time_limit = Seconds(1.5);
  EXPECT_EQ(request(options, {0}).demand.wall_seconds, 2);
}

TEST(QuotaStory, SaysTheTextWithoutItsLabel) {
  quota::Admission admission;
  admission.text = "quota: none configured";
  EXPECT_EQ(quota_story(admission, {}).words, "none configured");
  EXPECT_FALSE(quota_story(admission, {}).active);
}

TEST(Shorter, TakesWhatThereIs) {
  EXPECT_EQ(shorter({}, {}), std::nullopt);
  EXPECT_EQ(shorter(Seconds(2), {}), Seconds(2));
  EXPECT_EQ(shorter(Seconds(2), Seconds(1)), Seconds(1));
}

}  // namespace
}  // namespace topolaunch::launcher
