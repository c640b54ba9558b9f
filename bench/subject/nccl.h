// SPDX-License-Identifier: Apache-2.0
//
// Allreduce over NCCL on GPU memory, timed by events on the stream. nccl.cpp is built where CUDA
// and NCCL are; nccl_absent.cpp takes its place elsewhere and says what is missing.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "bench/subject.h"

namespace topolaunch::bench {

/// Whether this rank could use NCCL: a GPU is visible and NCCL is compiled in.
struct NcclSight {
  int gpus = 0;
  std::string why_not;  ///< empty if gpus > 0
};
NcclSight look_for_nccl();

/// Takes GPU number `index`. No communication.
Result<std::unique_ptr<DevicePort>> open_gpu(int index);
/// Makes the communicator; all ranks call it, each with its own `gpu` from open_gpu(), after it is
/// known that no two ranks share one.
Result<std::unique_ptr<Subject>> make_nccl_subject(DevicePort& gpu);

}  // namespace topolaunch::bench
