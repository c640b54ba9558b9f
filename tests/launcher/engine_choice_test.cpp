// SPDX-License-Identifier: Apache-2.0
#include "launcher/engine_choice.h"

#include <gmock/gmock.h>

namespace topolaunch::launcher {
namespace {

EngineSituation situation() {
  EngineSituation s;
  s.command_line = "python train.py";
  return s;
}

TEST(EngineChoice, IsLocalOnOneHost) {
  const auto choice = choose_engine(situation(), {});
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->name, "local");
}

TEST(EngineChoice, JoinsInsideARankOfAnotherLauncher) {
  EngineSituation s = situation();
  s.joined = "Open MPI";
  const auto choice = choose_engine(s, {{"SLURM_JOB_ID", "1"}});
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->name, "join");
}

TEST(EngineChoice, TakesTheOneThatIsAskedForEvenInsideARank) {
  EngineSituation s = situation();
  s.joined = "Open MPI";
  s.wanted = "local";
  EXPECT_EQ(choose_engine(s, {})->name, "local");
  s.wanted = "mpirun";
  EXPECT_EQ(choose_engine(s, {})->name, "mpirun");
}

TEST(EngineChoice, SaysWhatToTypeInASlurmAllocation) {
  const auto choice = choose_engine(situation(), {{"SLURM_JOB_ID", "1"}});
  ASSERT_FALSE(choice);
  EXPECT_EQ(choice.error().code, Code::unavailable);
  EXPECT_THAT(choice.error().next, testing::HasSubstr("srun topolaunch -- python train.py"));
}

TEST(EngineChoice, NeverStartsNWorldsOfOneHost) {
  EXPECT_EQ(choose_engine(situation(), {{"SM_HOSTS", R"(["algo-1","algo-2"])"}}).error().code,
            Code::unavailable);
  EXPECT_EQ(choose_engine(situation(), {{"PET_NNODES", "2"}}).error().code, Code::unavailable);
  EXPECT_TRUE(choose_engine(situation(), {{"SM_HOSTS", R"(["algo-1"])"}}));
}

TEST(EngineChoice, OtherHostsNeedMpirun) {
  EngineSituation s = situation();
  s.other_hosts = true;
  EXPECT_EQ(choose_engine(s, {})->name, "mpirun");
  EXPECT_EQ(choose_engine(s, {{"SLURM_JOB_ID", "7"}})->name, "mpirun");
  s.wanted = "local";
  EXPECT_EQ(choose_engine(s, {}).error().code, Code::wrong_usage);
  s.wanted = "auto";
  s.joined = "Open MPI";
  EXPECT_EQ(choose_engine(s, {}).error().code, Code::wrong_usage);
}

}  // namespace
}  // namespace topolaunch::launcher
