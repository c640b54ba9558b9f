// SPDX-License-Identifier: Apache-2.0
#include "bench/device/cuda.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <string_view>

namespace topolaunch::bench {
namespace {

/// Skips, or fails where TOPOLAUNCH_REQUIRE names "gpu".
#define NEEDS_A_GPU()                                                                       \
  if (const CudaSight sight = look_for_gpus(); sight.count == 0) {                          \
    const char* required = std::getenv("TOPOLAUNCH_REQUIRE");                               \
    if (required != nullptr && std::string_view(required).find("gpu") != std::string::npos) \
      FAIL() << "no GPU: " << sight.why;                                                    \
    GTEST_SKIP() << "no GPU: " << sight.why;                                                \
  }

TEST(CudaDevice, WithoutADriverThereAreNoGpusAndItIsSaidWhy) {
  const CudaSight sight = look_for_gpus();
  if (sight.count > 0) GTEST_SKIP() << "there is a GPU here";
  EXPECT_FALSE(sight.why.empty());
  if (!sight.asked) {
    EXPECT_THAT(sight.why, testing::HasSubstr("cudaGetDeviceCount: 35"));
  }
  const auto device = CudaDevice::open(0);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, Code::unavailable);
  EXPECT_THAT(device.error().message, testing::HasSubstr("cudaSetDevice"));
}

TEST(CudaDevice, FillsAndChecksAsTheHostDoes) {
  NEEDS_A_GPU();
  auto device = CudaDevice::open(0);
  ASSERT_TRUE(device) << device.error().text();
  const auto p = kernels::make_pattern(1, 4);
  for (const auto type : {kernels::ElementType::float32, kernels::ElementType::int32}) {
    auto memory = DeviceBuffer::allocate(**device, 4'000'000);
    ASSERT_TRUE(memory);
    ASSERT_TRUE((*device)->fill(p, 0, type, memory->data(), 1'000'000, 0));
    EXPECT_EQ(*(*device)->count_wrong(p, kernels::Reduction::sum, type, memory->data(), 1'000'000), 0);
    ASSERT_TRUE((*device)->poison(memory->data(), 4));
    EXPECT_EQ(*(*device)->count_wrong(p, kernels::Reduction::sum, type, memory->data(), 1'000'000), 1);
  }
}

}  // namespace
}  // namespace topolaunch::bench
