// SPDX-License-Identifier: Apache-2.0
//
// Which devices each rank of a host sees, and under which number. Ranks with a GPU each see one
// list, in which `cuda:LOCAL_RANK` is the planned GPU and none is hidden. Where that can't be,
// ranks of a host fall into groups, as under several agents of torchrun on one host, so that
// LOCAL_RANK stays a device that exists:
//
//   4 ranks on GPUs 0, 1, 0, 1  ->  ranks 0, 1 and ranks 2, 3: two groups with LOCAL_RANK 0 and 1
//   a MIG instance              ->  a group of its own: CUDA shows a process one instance
#pragma once

#include <string>
#include <vector>

#include "launcher/plan.h"
#include "launcher/visible_gpus.h"

namespace topolaunch::launcher {

struct DeviceShare {
  int group = 0;         ///< number within the host
  int group_size = 1;    ///< ranks in it
  int local_rank = 0;    ///< within the group
  std::string devices;   ///< CUDA_VISIBLE_DEVICES
  std::string instance;  ///< "MIG-..."; empty = a whole GPU
};

/// By local rank on the host. `planned`: the GPU (index in Host::gpus) of each; -1 = none.
std::vector<DeviceShare> share_devices(const VisibleGpus& visible, const std::vector<int>& planned);

/// In words, what a user must know where ranks share GPUs or have MIG instances; empty = neither.
std::string sharing_words(const Plan& plan);

}  // namespace topolaunch::launcher
