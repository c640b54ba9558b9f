// SPDX-License-Identifier: Apache-2.0
#include "launcher/workload.h"

#include <gmock/gmock.h>

namespace topolaunch::launcher {
namespace {

TEST(Workload, IsKeptAndTakenWhereNoneIsSaid) {
  JobOptions job;
  job.ranks = 8;
  EXPECT_THAT(workload_of(job), testing::IsEmpty());
  job.parallel = "tp=2,dp=4";
  job.bytes = "tp=64M";
  job.model = "model.toml";
  const Workload kept = workload_of(job);
  EXPECT_EQ(kept.at("parallel"), "tp=2,dp=4");
  EXPECT_TRUE(kept.at("model").starts_with('/')) << "found from another folder too";
  EXPECT_FALSE(kept.contains("order")) << "as it is where nobody says it";
  const JobOptions again = with_workload(JobOptions(), kept);
  EXPECT_EQ(again.bytes, "tp=64M");
  EXPECT_EQ(again.order, JobOptions().order);
  JobOptions other;
  other.pattern = "ring";
  EXPECT_EQ(with_workload(other, kept).parallel, "") << "what is said counts, whole";
}

}  // namespace
}  // namespace topolaunch::launcher
