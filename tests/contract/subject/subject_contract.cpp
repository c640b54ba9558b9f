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

#include "bench/checked_data.h"
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
  s.subject = make_mpi_subject(way, *s.device, world->comm());
  return s;
}

Enrolled on_gpus(NcclOptions options) {
  Enrolled s;
  const NcclSight sight = look_for_nccl();
  if (world->minimum(sight.gpus) < world->size()) {
    s.missing = sight.gpus == 0 ? sight.why_not : "fewer GPUs than ranks";
    return s;
  }
  auto gpu = open_gpu(world->rank());
  s.device = std::move(gpu.value());
  s.subject = std::move(make_nccl_subject(*s.device, world->comm(), options).value());
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
    {"Nccl", [] { return on_gpus({}); }},
    {"NcclGraph", [] { return on_gpus({.graph = true}); }},
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

  Seat seat() const { return {world->rank(), world->size()}; }

  /// A work of `count` elements a part, with memory that lives as long as the test.
  Work work_of(Collective collective, std::uint64_t count, bool in_place, kernels::ElementType type,
               kernels::Reduction reduction) {
    const std::uint64_t parts =
        has_parts(collective) ? static_cast<std::uint64_t>(world->size()) : 1;
    send_ = DeviceBuffer::allocate(*setup_.device, count * parts * 4).value();
    receive_ = DeviceBuffer::allocate(*setup_.device, count * parts * 4).value();
    Work work{type, reduction, count, in_place ? receive_.data() : send_.data(), receive_.data()};
    work.collective = collective;
    work.root = world->size() - 1;
    if (collective == Collective::sendrecv) {
      work.to = (world->rank() + 1) % world->size();
      work.from = (world->rank() + world->size() - 1) % world->size();
    }
    return work;
  }

  /// Fills, prepares, runs; wrong elements of this rank.
  std::int64_t wrong_after_run(const Work& work, std::uint32_t iteration) {
    DevicePort& device = *setup_.device;
    const auto p = kernels::make_pattern(static_cast<std::uint32_t>(world->size()), iteration);
    EXPECT_TRUE(fill_input(device, p, work, seat()));
    std::string before;
    const bool look = !work.in_place() && device.address() == "cpu";
    const auto given = [&] {
      return std::string(static_cast<const char*>(work.send), work.count * 4);
    };
    if (look) before = given();
    EXPECT_TRUE(setup_.subject->prepare(work));
    const auto took = setup_.subject->run();
    EXPECT_TRUE(took);
    EXPECT_GE(took ? took->count() : 0, 0) << "a negative time";
    if (look) {
      EXPECT_EQ(given(), before) << "the input is left as it was";
    }
    return count_wrong(device, p, work, seat()).value();
  }
  Enrolled setup_;
  DeviceBuffer send_, receive_;  // of setup_'s device, which has to outlive them
};

TEST_P(SubjectContract, ResultsAreExactForEveryCountAroundTheRanksAndPowersOfTwo) {
  for (const Collective collective : kCollectives) {
    if (!setup_.subject->does(collective)) continue;
    for (const bool in_place : {false, true}) {
      if (in_place && !setup_.subject->defines_in_place(collective)) continue;
      for (const std::uint64_t count : {1UL, 2UL, 3UL, 4UL, 5UL, 7UL, 8UL, 63UL, 64UL, 65UL, 1023UL,
                                        1024UL, 1025UL, 100'003UL}) {
        const Work work = work_of(collective, count, in_place, kernels::ElementType::float32,
                                  kernels::Reduction::sum);
        EXPECT_EQ(wrong_after_run(work, 1), 0)
            << name_of(collective) << ' ' << count << (in_place ? " in place" : " out of place");
      }
    }
  }
}

TEST_P(SubjectContract, EveryTypeAndReductionIsExact) {
  std::uint32_t iteration = 0;
  for (const Collective collective : kCollectives) {
    if (!reduces(collective) || !setup_.subject->does(collective)) continue;
    for (const auto type : {kernels::ElementType::float32, kernels::ElementType::int32}) {
      for (const auto reduction :
           {kernels::Reduction::sum, kernels::Reduction::minimum, kernels::Reduction::maximum}) {
        for (const bool in_place : {false, true}) {
          EXPECT_EQ(
              wrong_after_run(work_of(collective, 777, in_place, type, reduction), ++iteration), 0);
        }
      }
    }
  }
}

TEST_P(SubjectContract, WhatItDoesNotDoIsRefusedBeforeAnythingMoves) {
  for (const Collective collective : kCollectives) {
    if (setup_.subject->does(collective)) continue;
    const auto refused = setup_.subject->prepare(
        work_of(collective, 8, false, kernels::ElementType::float32, kernels::Reduction::sum));
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find(name_of(collective)), std::string::npos);
  }
}

TEST_P(SubjectContract, SendsToOneWhileNobodySendsToIt) {
  // Half a sendrecv each: what a matrix of pairs is made of.
  if (!setup_.subject->does(Collective::sendrecv) || world->size() < 2 || world->rank() > 1) return;
  Work work = work_of(Collective::sendrecv, 1000, false, kernels::ElementType::float32,
                      kernels::Reduction::sum);
  work.to = world->rank() == 0 ? 1 : kNobody;
  work.from = world->rank() == 1 ? 0 : kNobody;
  EXPECT_EQ(wrong_after_run(work, 3), 0);
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
    ASSERT_TRUE(
        device.fill(p, static_cast<std::uint32_t>(world->rank()), work.type, send.data(), 1000, 0));
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
