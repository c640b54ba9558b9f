// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference_allreduce.h"

#include <gmock/gmock.h>

#include <vector>

namespace topolaunch::kernels {
namespace {

using testing::ElementsAre;

std::vector<int> reduce(Reduction reduction, const std::vector<std::vector<int>>& inputs) {
  std::vector<std::span<const int>> views(inputs.begin(), inputs.end());
  return reference_allreduce<int>(reduction, views);
}

TEST(ReferenceAllreduce, ReducesElementByElement) {
  const std::vector<std::vector<int>> inputs{{1, -5, 7}, {10, 20, 3}, {4, 4, 4}};
  EXPECT_THAT(reduce(Reduction::sum, inputs), ElementsAre(15, 19, 14));
  EXPECT_THAT(reduce(Reduction::minimum, inputs), ElementsAre(1, -5, 3));
  EXPECT_THAT(reduce(Reduction::maximum, inputs), ElementsAre(10, 20, 7));
}

TEST(ReferenceAllreduce, OfOneIsTheInputAndOfNobodyIsEmpty) {
  EXPECT_THAT(reduce(Reduction::sum, {{3, 4}}), ElementsAre(3, 4));
  EXPECT_TRUE(reduce(Reduction::sum, {}).empty());
}

}  // namespace
}  // namespace topolaunch::kernels
