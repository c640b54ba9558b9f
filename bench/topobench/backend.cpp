// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/backend.h"

#include "bench/subject/nccl.h"

namespace topolaunch::bench {

Result<BackendChoice> choose_backend(const World& world, const std::string& asked) {
  if (asked != "auto" && asked != "nccl") return BackendChoice{false, "asked for by --subject"};
  const NcclSight mine = look_for_nccl();
  const auto answers = world.gather(mine.gpus > 0 ? "" : mine.why_not);
  int without = 0, first = -1;
  for (std::size_t rank = 0; rank < answers.size(); ++rank) {
    if (answers[rank].empty()) continue;
    if (without++ == 0) first = static_cast<int>(rank);
  }
  if (without == 0) return BackendChoice{true, "every rank sees a GPU"};
  std::string why = answers[static_cast<std::size_t>(first)];
  if (without < world.size()) {
    why = std::to_string(without) + " of " + std::to_string(world.size()) +
          " ranks can't use a GPU, the first of them rank " + std::to_string(first) + ": " + why;
  }
  if (asked == "nccl") return fail(Code::unavailable, "NCCL can't be used: " + why);
  return BackendChoice{false, "host memory: " + why};
}

Result<int> gpu_of_rank(int visible, const Environment& environment) {
  if (visible == 1) return 0;
  for (const char* name : {"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "MPI_LOCALRANKID"}) {
    const auto local = environment.get_int(name);
    if (!local) continue;
    if (*local < 0 || *local >= visible) {
      return fail(Code::validation_failed,
                  std::string(name) + " is " + std::to_string(*local) + ", and this rank sees " +
                      std::to_string(visible) + " GPUs",
                  "one rank a GPU");
    }
    return static_cast<int>(*local);
  }
  return fail(Code::unavailable,
              std::to_string(visible) + " GPUs are visible and nothing says which is this rank's",
              "set LOCAL_RANK");
}

}  // namespace topolaunch::bench
