// SPDX-License-Identifier: Apache-2.0
//
// The trial under mpirun with a subject that does one thing wrong (faulty.cpp): 1,024 floats, two
// checked runs in each placement and the last timed one out of place.
#include "bench/topobench/trial.h"

#include <gmock/gmock.h>

#include "tests/bench/topobench/mpirun.h"

namespace topolaunch::bench {
namespace {

using testing::HasSubstr;
using testing::Not;

CommandOutput faulty(const std::string& fault, int ranks = 2) {
  return mpirun(ranks, "tests/bench/faulty", {fault});
}

TEST(Trial, ARightSubjectHasNoWrongElements) {
  NEEDS_MPIRUN();
  for (const int ranks : {1, 2, 3}) {
    const auto run = faulty("right", ranks);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out, "wrong 0 0\n");
  }
}

TEST(Trial, ARunsTimeIsOneOfItsRanksOrTheirMean) {
  NEEDS_MPIRUN();
  // Ranks say 1, 2, 3 and 4 seconds. -a 0: rank 0, 1: mean, 2: fastest, 3: slowest.
  const char* const took[] = {"took 1\n", "took 2.5\n", "took 1\n", "took 4\n"};
  for (int how = 0; how < 4; ++how) {
    const auto run = mpirun(4, "tests/bench/faulty", {"seconds", std::to_string(how)});
    EXPECT_EQ(run.out, std::string("wrong 0 0\n") + took[how]) << run.err;
  }
}

TEST(Trial, OneWrongBitInOneElementOfOneRankIsCountedInEveryCheckedRun) {
  NEEDS_MPIRUN();
  EXPECT_EQ(faulty("element").out, "wrong 3 2\n");
}

TEST(Trial, TheResultOfTheRunBeforeIsWrong) {
  NEEDS_MPIRUN();
  // Both ranks, 1,024 elements, two checked runs; the last timed run repeats the one before it,
  // which is right out of place.
  EXPECT_EQ(faulty("stale").out, "wrong 4096 4096\n");
}

TEST(Trial, ARankCountedTwiceIsWrongAtEveryElement) {
  NEEDS_MPIRUN();
  EXPECT_EQ(faulty("twice").out, "wrong 3072 0\n");
}

TEST(Trial, HalfOfTheResultLeftOutIsCounted) {
  NEEDS_MPIRUN();
  EXPECT_EQ(faulty("lazy").out, "wrong 1536 1024\n");
}

TEST(Trial, ARunThatHangsIsEndedWithItsNameAndStatus81) {
  NEEDS_MPIRUN();
  const auto run = faulty("hang");
  EXPECT_EQ(run.status, 81) << run.err;
  EXPECT_THAT(run.err, HasSubstr("no end: timed run 0 of 4 KiB, out of place"));
}

TEST(Trial, AFailureOfOneRankInsideACollectiveIsSaidByThatRankAndEndsAll) {
  NEEDS_MPIRUN();
  const auto run = faulty("fail");
  EXPECT_EQ(run.status, 69) << run.err;
  EXPECT_THAT(run.err, HasSubstr("failed: timed run 0 of 4 KiB, out of place: the cable is out"));
}

TEST(Trial, AFailureBeforeTheCollectiveIsEverybodysAndNamesTheRank) {
  NEEDS_MPIRUN();
  const auto run = faulty("unprepared");
  EXPECT_EQ(run.status, 69) << run.err;
  EXPECT_THAT(run.err, HasSubstr("failed: rank 1: not ready"));
}

TEST(Trial, NamesAreNcclTests) {
  EXPECT_STREQ(name_of(kernels::ElementType::float32), "float");
  EXPECT_STREQ(name_of(kernels::Reduction::maximum), "max");
}

}  // namespace
}  // namespace topolaunch::bench
