// SPDX-License-Identifier: Apache-2.0
//
// Collectives over NCCL on GPU memory, timed by events on the stream. nccl.cpp is built where CUDA
// and NCCL are; nccl_absent.cpp takes its place elsewhere and says what is missing.
#pragma once

#include <mpi.h>

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

/// unavailable where this program is built without it.
Status nccl_is_built_in();

/// Takes GPU number `index`. No communication.
Result<std::unique_ptr<DevicePort>> open_gpu(int index);
struct NcclOptions {
  bool graph = false;  ///< each run launches a CUDA graph that was captured from the collective
};
/// Makes a communicator of the ranks of `comm`; all of them call it, each with its own `gpu` from
/// open_gpu(), after it is known that no two ranks share one.
Result<std::unique_ptr<Subject>> make_nccl_subject(DevicePort& gpu, MPI_Comm comm,
                                                   const NcclOptions& options = {});

}  // namespace topolaunch::bench
