// SPDX-License-Identifier: Apache-2.0
//
// What every bench::Subject has to do, whoever implements it. Runs under mpirun; each rank runs the
// same tests in the same order, and all of them must pass on all ranks. To enrol an implementation,
// add a row to kImplementations.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/device/host.h"
#include "bench/subject/mpi_host.h"
#include "bench/subject/nccl.h"
#include "bench/topobench/backend.h"
#include "bench/topobench/world.h"

namespace topolaunch::bench {
namespace {

const World* world = nullptr;  // made by main before the first test

struct Enrolled {
  std::unique_ptr<DevicePort> device;
  std::unique_ptr<Subject> subject;
  std::string missing;  ///< why it can't be tried here; the same on all ranks
};

Enrolled on_host(MpiWay way) {
  Enrolled s;
  s.device = std::make_unique<HostDevice>();
  s.subject = make_mpi_subject(way, *s.device);
  return s;
}

Enrolled on_gpus() {
  Enrolled s;
  const NcclSight sight = look_for_nccl();
  if (world->minimum(sight.gpus) < world->size()) {
    s.missing = sight.gpus == 0 ? sight.why_not : "fewer GPUs than ranks";
    return s;
  }
  auto gpu = open_gpu(world->rank());
  s.device = std::move(gpu.value());
  s.subject = std::move(make_nccl_subject(*s.device).value());
  return s;
}

struct Implementation {
  const char* name;
  std::function<Enrolled()> make;
};
const Implementation kImplementations[] = {
    {"MpiLibrary", [] { return on_host(MpiWay::library); }},
    {"OwnRing", [] { return on_host(MpiWay::ring); }},
    {"Reference", [] { return on_host(MpiWay::reference); }},
    {"Nccl", on_gpus},
};

class SubjectContract : public testing::TestWithParam<Implementation> {
 protected:
  void SetUp() override {
    setup_ = GetParam().make();
    if (setup_.missing.empty()) return;
    const char* required = std::getenv("TOPOLAUNCH_REQUIRE");
    if (required != nullptr && std::string_view(required).find("gpu") != std::string_view::npos) {
      FAIL() << setup_.missing;
    }
    GTEST_SKIP() << setup_.missing;
  }
  void TearDown() override { world->barrier(); }

  /// Fills, prepares, runs; wrong elements of this rank.
  std::int64_t wrong_after_run(std::uint64_t count, bool in_place, kernels::ElementType type,
                               kernels::Reduction reduction, std::uint32_t iteration) {
    DevicePort& device = *setup_.device;
    auto send = DeviceBuffer::allocate(device, count * 4).value();
    auto receive = DeviceBuffer::allocate(device, count * 4).value();
    const auto p = kernels::make_pattern(static_cast<std::uint32_t>(world->size()), iteration);
    const auto rank = static_cast<std::uint32_t>(world->rank());
    EXPECT_TRUE(device.poison(receive.data(), count * 4));
    EXPECT_TRUE(device.fill(p, rank, type, in_place ? receive.data() : send.data(), count));
    const Work work{type, reduction, count, in_place ? receive.data() : send.data(), receive.data()};
    EXPECT_TRUE(setup_.subject->prepare(work));
    const auto took = setup_.subject->run();
    EXPECT_TRUE(took);
    EXPECT_GE(took ? took->count() : 0, 0) << "a negative time";
    if (!in_place) {
      // The input is left as it was: the sum over this rank's data alone is what it sent.
      auto again = DeviceBuffer::allocate(device, count * 4).value();
      EXPECT_TRUE(device.fill(p, rank, type, again.data(), count));
      if (setup_.device->address() == "cpu") {
        EXPECT_EQ(std::string_view(static_cast<const char*>(send.data()), count * 4),
                  std::string_view(static_cast<const char*>(again.data()), count * 4));
      }
    }
    return device.count_wrong(p, reduction, type, receive.data(), count).value();
  }
  Enrolled setup_;
};

TEST_P(SubjectContract, ResultsAreExactForEveryCountAroundTheRanksAndPowersOfTwo) {
  for (const bool in_place : {false, true}) {
    for (const std::uint64_t count : {1UL, 2UL, 3UL, 4UL, 5UL, 7UL, 8UL, 63UL, 64UL, 65UL, 1023UL,
                                      1024UL, 1025UL, 100'003UL}) {
      EXPECT_EQ(wrong_after_run(count, in_place, kernels::ElementType::float32,
                                kernels::Reduction::sum, 1),
                0)
          << count << (in_place ? " in place" : " out of place");
    }
  }
}

TEST_P(SubjectContract, EveryTypeAndReductionIsExact) {
  std::uint32_t iteration = 0;
  for (const auto type : {kernels::ElementType::float32, kernels::ElementType::int32}) {
    for (const auto reduction : {kernels::Reduction::sum, kernels::Reduction::minimum,
                                 kernels::Reduction::maximum}) {
      for (const bool in_place : {false, true}) {
        EXPECT_EQ(wrong_after_run(777, in_place, type, reduction, ++iteration), 0);
      }
    }
  }
}

TEST_P(SubjectContract, OnePreparationServesManyRunsOutOfPlace) {
  DevicePort& device = *setup_.device;
  auto send = DeviceBuffer::allocate(device, 4000).value();
  auto receive = DeviceBuffer::allocate(device, 4000).value();
  const auto ranks = static_cast<std::uint32_t>(world->size());
  const Work work{kernels::ElementType::float32, kernels::Reduction::sum, 1000, send.data(),
                  receive.data()};
  ASSERT_TRUE(setup_.subject->prepare(work));
  for (std::uint32_t iteration = 0; iteration < 10; ++iteration) {
    const auto p = kernels::make_pattern(ranks, iteration);
    ASSERT_TRUE(device.fill(p, static_cast<std::uint32_t>(world->rank()), work.type, send.data(), 1000));
    ASSERT_TRUE(setup_.subject->run());
    EXPECT_EQ(device.count_wrong(p, work.reduction, work.type, receive.data(), 1000).value(), 0);
  }
}

TEST_P(SubjectContract, SaysWhatItIs) {
  EXPECT_FALSE(setup_.subject->backend().empty());
  EXPECT_FALSE(setup_.subject->version().empty());
  EXPECT_EQ(&setup_.subject->device(), setup_.device.get());
}

INSTANTIATE_TEST_SUITE_P(All, SubjectContract, testing::ValuesIn(kImplementations),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

}  // namespace
}  // namespace topolaunch::bench

int main(int argc, char** argv) {
  const topolaunch::bench::World world(&argc, &argv);
  topolaunch::bench::world = &world;
  testing::InitGoogleTest(&argc, argv);
  // One voice; a rank that fails is heard through the exit status and its own failure lines.
  if (!world.root()) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    static_cast<void>(listeners.Release(listeners.default_result_printer()));
  }
  const int mine = RUN_ALL_TESTS();
  const auto failed = world.sum(mine != 0 ? 1 : 0);
  if (mine != 0 && !world.root()) std::fprintf(stderr, "rank %d failed\n", world.rank());
  return failed > 0 ? 1 : 0;
}
