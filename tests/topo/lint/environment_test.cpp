// SPDX-License-Identifier: Apache-2.0
#include "topo/lint/environment.h"

#include <gmock/gmock.h>

#include "tests/topo/facts.h"

namespace topolaunch::topo {
namespace {

TEST(LintEnvironment, ReadsVariablesOfListsAndScripts) {
  const auto all = variables_of(
      "A=1\n  export B='x y' # c\nexport C=\"\"\nD=e # f\n# E=1\nif [ $A = 1 ]\n1F=2\nG==h\n");
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[1].value, "x y");
  EXPECT_EQ(all[1].line, 2);
  EXPECT_EQ(all[2].value, "");
  EXPECT_EQ(all[3].value, "e");
  EXPECT_EQ(all[4].value, "=h");
}

TEST(LintEnvironment, TakesAMigInstanceForWhatCudaShows) {
  // One instance a process is all that CUDA can show.
  EXPECT_TRUE(
      check_environment(
          {{"CUDA_VISIBLE_DEVICES", "MIG-73ab4876-7734", 1}, {"LOCAL_WORLD_SIZE", "4", 2}}, {})
          .empty());
}

TEST(LintEnvironment, SeesSeveralRanksInWhateverStartedThem) {
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"LOCAL_WORLD_SIZE", "8"},
                                                        {"SLURM_TASKS_PER_NODE", "8(x2)"},
                                                        {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                                                        {"SLURM_STEP_TASKS_PER_NODE", "16,3,1"}}) {
    EXPECT_EQ(count_of(check_environment({{"CUDA_VISIBLE_DEVICES", "1", 1}, {name, value, 2}}, {}),
                       "env-one-gpu-mask"),
              1)
        << name;
  }
  EXPECT_TRUE(check_environment({{"CUDA_VISIBLE_DEVICES", "1", 1}}, {}).empty());
}

}  // namespace
}  // namespace topolaunch::topo
