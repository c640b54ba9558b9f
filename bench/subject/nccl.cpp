// SPDX-License-Identifier: Apache-2.0
#include "bench/subject/nccl.h"

#include <cuda_runtime_api.h>
#include <mpi.h>
#include <nccl.h>

#include "bench/device/cuda.h"

namespace topolaunch::bench {
namespace {

Status nccl_status(ncclResult_t code, const char* call, ncclComm_t comm = nullptr) {
  if (code == ncclSuccess) return {};
  std::string why = std::string(call) + ": " + ncclGetErrorString(code);
  if (const char* last = ncclGetLastError(comm); last != nullptr && *last != '\0') {
    why += std::string(": ") + last;
  }
  return fail(Code::unavailable, std::move(why), "NCCL_DEBUG=INFO says more");
}

ncclRedOp_t nccl_operation(kernels::Reduction reduction) {
  switch (reduction) {
    case kernels::Reduction::minimum: return ncclMin;
    case kernels::Reduction::maximum: return ncclMax;
    case kernels::Reduction::sum: break;
  }
  return ncclSum;
}

class NcclAllreduce final : public Subject {
 public:
  static Result<std::unique_ptr<Subject>> make(CudaDevice& gpu) {
    std::unique_ptr<NcclAllreduce> subject(new NcclAllreduce(gpu));
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    ncclUniqueId id{};
    auto status = rank == 0 ? nccl_status(ncclGetUniqueId(&id), "ncclGetUniqueId") : Status{};
    int ok = status ? 1 : 0;
    MPI_Bcast(&ok, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (ok == 0) {
      return fail(status ? Error{Code::unavailable, "rank 0 could not make an NCCL id", {}, {}, 0}
                         : std::move(status).error());
    }
    MPI_Bcast(&id, static_cast<int>(sizeof id), MPI_BYTE, 0, MPI_COMM_WORLD);
    status = nccl_status(ncclCommInitRank(&subject->comm_, ranks, id, rank), "ncclCommInitRank");
    for (cudaEvent_t* event : {&subject->start_, &subject->end_}) {
      if (status) status = cuda_status(cudaEventCreate(event), "cudaEventCreate");
    }
    if (!status) return fail(std::move(status).error());
    return subject;
  }
  ~NcclAllreduce() override {
    if (start_ != nullptr) static_cast<void>(cudaEventDestroy(start_));
    if (end_ != nullptr) static_cast<void>(cudaEventDestroy(end_));
    if (comm_ != nullptr) static_cast<void>(ncclCommDestroy(comm_));
  }
  NcclAllreduce(const NcclAllreduce&) = delete;
  NcclAllreduce& operator=(const NcclAllreduce&) = delete;

  std::string backend() const override { return "nccl"; }
  std::string version() const override {
    int v = 0;
    if (ncclGetVersion(&v) != ncclSuccess) return "unknown";
    return std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." +
           std::to_string(v % 100);
  }
  DevicePort& device() override { return gpu_; }
  Status prepare(const Work& work) override {
    work_ = work;
    return {};
  }
  Result<Seconds> run() override {
    // The time between the events holds the launch of NCCL's kernel too, some microseconds.
    if (auto s = cuda_status(cudaEventRecord(start_, gpu_.stream()), "cudaEventRecord"); !s) {
      return fail(std::move(s).error());
    }
    const auto type = work_.type == kernels::ElementType::float32 ? ncclFloat32 : ncclInt32;
    if (auto s = nccl_status(ncclAllReduce(work_.send, work_.receive, work_.count, type,
                                           nccl_operation(work_.reduction), comm_, gpu_.stream()),
                             "ncclAllReduce", comm_);
        !s) {
      return fail(std::move(s).error());
    }
    auto status = cuda_status(cudaEventRecord(end_, gpu_.stream()), "cudaEventRecord");
    if (status) status = cuda_status(cudaEventSynchronize(end_), "cudaEventSynchronize");
    float milliseconds = 0;
    if (status) {
      status = cuda_status(cudaEventElapsedTime(&milliseconds, start_, end_), "cudaEventElapsedTime");
    }
    ncclResult_t later = ncclSuccess;
    if (status) status = nccl_status(ncclCommGetAsyncError(comm_, &later), "ncclCommGetAsyncError");
    if (status) status = nccl_status(later, "ncclAllReduce", comm_);
    if (!status) return fail(std::move(status).error());
    return Seconds(static_cast<double>(milliseconds) / 1e3);
  }

 private:
  explicit NcclAllreduce(CudaDevice& gpu) : gpu_(gpu) {}
  CudaDevice& gpu_;
  ncclComm_t comm_ = nullptr;
  cudaEvent_t start_ = nullptr, end_ = nullptr;
  Work work_;
};

}  // namespace

NcclSight look_for_nccl() {
  CudaSight sight = look_for_gpus();
  if (sight.count > 0) return {sight.count, {}};
  return {0, sight.asked ? sight.why : "could not look for GPUs: " + sight.why};
}

Result<std::unique_ptr<DevicePort>> open_gpu(int index) {
  auto gpu = CudaDevice::open(index);
  if (!gpu) return fail(std::move(gpu).error());
  return std::unique_ptr<DevicePort>(std::move(*gpu));
}

Result<std::unique_ptr<Subject>> make_nccl_subject(DevicePort& gpu) {
  auto* cuda = dynamic_cast<CudaDevice*>(&gpu);
  if (cuda == nullptr) return fail(Code::internal, "NCCL was given memory that isn't a GPU's");
  return NcclAllreduce::make(*cuda);
}

}  // namespace topolaunch::bench
