// SPDX-License-Identifier: Apache-2.0
#include "bench/subject/nccl.h"

namespace topolaunch::bench {
namespace {
constexpr const char* kWhy = "this topobench is built without NCCL";
constexpr const char* kNext = "build with the CUDA toolkit and NCCL (-DTOPOLAUNCH_WITH_NCCL=ON)";
}  // namespace

NcclSight look_for_nccl() { return {0, kWhy}; }

Status nccl_is_built_in() {
  return fail(Code::unavailable, std::string("NCCL can't be used: ") + kWhy, kNext);
}

Result<std::unique_ptr<DevicePort>> open_gpu(int) { return fail(Code::unavailable, kWhy, kNext); }

Result<std::unique_ptr<Subject>> make_nccl_subject(DevicePort&, MPI_Comm, const NcclOptions&) {
  return fail(Code::unavailable, kWhy, kNext);
}

}  // namespace topolaunch::bench
