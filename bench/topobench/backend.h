// SPDX-License-Identifier: Apache-2.0
//
// Which subject is measured: NCCL where every rank has a GPU that can be used, MPI on host memory
// elsewhere, and why, in words.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/result.h"
#include "bench/topobench/census.h"
#include "bench/topobench/world.h"

namespace topolaunch::bench {

struct BackendChoice {
  bool nccl = false;
  std::string why;
};
/// The same choice on every rank. `asked` is --subject; unavailable if NCCL is asked for and a rank
/// can't use it.
Result<BackendChoice> choose_backend(const World& world, const std::string& asked);

/// CUDA's number of this rank's GPU: the one there is, else number LOCAL_RANK (topolaunch permutes
/// the visible GPUs and masks none), else that of the rank on its host by MPI.
Result<int> gpu_of_rank(int visible, const Environment& environment);

}  // namespace topolaunch::bench
