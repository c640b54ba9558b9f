// SPDX-License-Identifier: Apache-2.0
#include "launcher/join.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "base/files.h"

namespace topolaunch::launcher {
namespace {

std::string text_of(const std::optional<JoinedRank>& j) {
  if (!j) return "none";
  std::ostringstream out;
  out << j->source << ": " << j->rank << "/" << j->world << " local " << j->local_rank << "/"
      << j->local_world << " host " << j->group_rank;
  return out.str();
}

const Environment kTorchrun{{"RANK", "9"},        {"LOCAL_RANK", "1"},
                            {"WORLD_SIZE", "16"}, {"LOCAL_WORLD_SIZE", "8"},
                            {"GROUP_RANK", "1"},  {"TORCHELASTIC_RUN_ID", "none"}};

TEST(Join, KnowsTheRanksOfEveryLauncher) {
  EXPECT_EQ(text_of(joined_rank(kTorchrun)), "torchrun: 9/16 local 1/8 host 1");
  EXPECT_EQ(text_of(joined_rank({{"OMPI_COMM_WORLD_RANK", "3"},
                                 {"OMPI_COMM_WORLD_SIZE", "4"},
                                 {"OMPI_COMM_WORLD_LOCAL_RANK", "3"},
                                 {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}})),
            "Open MPI: 3/4 local 3/4 host 0");
  EXPECT_EQ(text_of(joined_rank({{"OMPI_COMM_WORLD_RANK", "3"},
                                 {"OMPI_COMM_WORLD_SIZE", "8"},
                                 {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                 {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}})),
            "Open MPI: 3/8 local 1/2 host -1");
  EXPECT_EQ(text_of(joined_rank({{"PMI_RANK", "2"},
                                 {"PMI_SIZE", "4"},
                                 {"MPI_LOCALRANKID", "0"},
                                 {"MPI_LOCALNRANKS", "2"}})),
            "MPICH: 2/4 local 0/2 host -1");
  EXPECT_EQ(text_of(joined_rank({{"PMI_RANK", "2"}, {"PMI_SIZE", "4"}})),
            "MPICH: 2/4 local -1/-1 host -1");
  EXPECT_EQ(text_of(joined_rank({{"SLURM_STEP_ID", "0"},
                                 {"SLURM_PROCID", "5"},
                                 {"SLURM_STEP_NUM_TASKS", "6"},
                                 {"SLURM_LOCALID", "1"},
                                 {"SLURM_NODEID", "2"},
                                 {"SLURM_STEP_TASKS_PER_NODE", "2(x3)"}})),
            "Slurm step: 5/6 local 1/2 host 2");
}

TEST(Join, IsNotARankWhereNobodyStartedRanks) {
  EXPECT_FALSE(joined_rank({}));
  // A PyTorchJob pod, and a user's own RANK
  EXPECT_FALSE(joined_rank({{"RANK", "1"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "w"}}));
  // A batch script, an interactive step (0xfffffffa), the extern step
  EXPECT_FALSE(
      joined_rank({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "16"}, {"SLURM_LOCALID", "0"}}));
  EXPECT_FALSE(
      joined_rank({{"SLURM_STEP_ID", "4294967290"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}}));
  // Numbers that contradict each other, or are none
  EXPECT_FALSE(joined_rank({{"OMPI_COMM_WORLD_RANK", "4"}, {"OMPI_COMM_WORLD_SIZE", "4"}}));
  EXPECT_FALSE(joined_rank({{"OMPI_COMM_WORLD_RANK", "x"}, {"OMPI_COMM_WORLD_SIZE", "4"}}));
  EXPECT_FALSE(joined_rank({{"PMI_RANK", "-1"}, {"PMI_SIZE", "4"}}));
}

TEST(Join, TakesTheInnermostLauncher) {
  Environment both = kTorchrun;
  both.set("OMPI_COMM_WORLD_RANK", "1");
  both.set("OMPI_COMM_WORLD_SIZE", "2");
  EXPECT_EQ(text_of(joined_rank(both)), "torchrun: 9/16 local 1/8 host 1");
  EXPECT_EQ(text_of(joined_rank({{"SLURM_STEP_ID", "0"},
                                 {"SLURM_PROCID", "1"},
                                 {"SLURM_NTASKS", "2"},
                                 {"OMPI_COMM_WORLD_RANK", "3"},
                                 {"OMPI_COMM_WORLD_SIZE", "4"}})),
            "Open MPI: 3/4 local -1/-1 host -1");
  // srun --mpi=pmi2 sets PMI_RANK as well
  EXPECT_EQ(text_of(joined_rank({{"SLURM_STEP_ID", "0"},
                                 {"SLURM_PROCID", "1"},
                                 {"SLURM_NTASKS", "2"},
                                 {"PMI_RANK", "1"},
                                 {"PMI_SIZE", "2"}})),
            "Slurm step: 1/2 local -1/-1 host -1");
}

TEST(Join, ReadsCapturedSlurmEnvironments) {
  const char* const shared = std::getenv("TOPOLAUNCH_SHARED");
  const std::string folder = std::string(shared != nullptr ? shared : "") + "/samples/slurm/";
  if (!RootedFiles().exists(folder)) GTEST_SKIP() << "no captures: TOPOLAUNCH_SHARED";
  const auto of = [&](const std::string& name) {
    Environment environment;
    std::istringstream lines(RootedFiles().read(folder + name, 1 << 20).value());
    for (std::string line; std::getline(lines, line);) {
      if (const auto at = line.find('='); at != std::string::npos) {
        environment.set(line.substr(0, at), line.substr(at + 1));
      }
    }
    return text_of(joined_rank(environment));
  };
  EXPECT_EQ(of("env-srun-2x8-rank0.txt"), "Slurm step: 0/16 local 0/8 host 0");
  EXPECT_EQ(of("env-srun-2x8-rank9.txt"), "Slurm step: 9/16 local 1/8 host 1");
  EXPECT_EQ(of("env-gpus-per-task-rank9.txt"), "Slurm step: 9/16 local 1/8 host 1");
  EXPECT_EQ(of("env-plane-3-hosts-rank19.txt"), "Slurm step: 19/20 local 15/16 host 0");
  // SLURM_NODEID is 2 for rank 0 here: the list of hosts is sorted, the ranks are not.
  EXPECT_EQ(of("env-arbitrary-rank0.txt"), "Slurm step: 0/4 local 0/2 host -1");
  EXPECT_EQ(of("env-batch-script-2x8.txt"), "none");
}

}  // namespace
}  // namespace topolaunch::launcher
