// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/backend.h"

#include <gmock/gmock.h>

namespace topolaunch::bench {
namespace {

using testing::HasSubstr;

TEST(Backend, TheGpuOfARankIsTheOneThereIsElseItsLocalNumber) {
  EXPECT_EQ(*gpu_of_rank(1, {{"LOCAL_RANK", "5"}}), 0);
  EXPECT_EQ(*gpu_of_rank(8, {{"LOCAL_RANK", "5"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "2"}}), 5);
  EXPECT_EQ(*gpu_of_rank(8, {{"OMPI_COMM_WORLD_LOCAL_RANK", "2"}}), 2);
  EXPECT_EQ(*gpu_of_rank(8, {{"SLURM_LOCALID", "7"}}), 7);
}

TEST(Backend, MoreRanksThanGpusIsNotQuietlyTwoOnOne) {
  const auto gpu = gpu_of_rank(2, {{"LOCAL_RANK", "2"}});
  ASSERT_FALSE(gpu);
  EXPECT_EQ(gpu.error().code, Code::validation_failed);
  EXPECT_THAT(gpu.error().message, HasSubstr("sees 2 GPUs"));
}

TEST(Backend, ManyGpusAndNoNumberIsAnErrorAndNoGuess) {
  EXPECT_THAT(gpu_of_rank(4, {}).error().next, HasSubstr("LOCAL_RANK"));
}

}  // namespace
}  // namespace topolaunch::bench
