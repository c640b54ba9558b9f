// SPDX-License-Identifier: Apache-2.0
#include "bench/subject/nccl.h"

#include <cuda_runtime_api.h>
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
    case kernels::Reduction::minimum:
      return ncclMin;
    case kernels::Reduction::maximum:
      return ncclMax;
    case kernels::Reduction::sum:
      break;
  }
  return ncclSum;
}

class NcclCollectives final : public Subject {
 public:
  static Result<std::unique_ptr<Subject>> make(CudaDevice& gpu, MPI_Comm comm,
                                               const NcclOptions& options) {
    std::unique_ptr<NcclCollectives> subject(new NcclCollectives(gpu, options));
    MPI_Comm_rank(comm, &subject->rank_);
    MPI_Comm_size(comm, &subject->ranks_);
    ncclUniqueId id{};
    auto status =
        subject->rank_ == 0 ? nccl_status(ncclGetUniqueId(&id), "ncclGetUniqueId") : Status{};
    int ok = status ? 1 : 0;
    MPI_Bcast(&ok, 1, MPI_INT, 0, comm);
    if (ok == 0) {
      return fail(status ? Error{Code::unavailable, "rank 0 could not make an NCCL id", {}, {}, 0}
                         : std::move(status).error());
    }
    MPI_Bcast(&id, static_cast<int>(sizeof id), MPI_BYTE, 0, comm);
    status = nccl_status(ncclCommInitRank(&subject->comm_, subject->ranks_, id, subject->rank_),
                         "ncclCommInitRank");
    for (cudaEvent_t* event : {&subject->start_, &subject->end_}) {
      if (status) status = cuda_status(cudaEventCreate(event), "cudaEventCreate");
    }
    if (!status) return fail(std::move(status).error());
    return subject;
  }
  ~NcclCollectives() override {
    drop_graph();
    if (start_ != nullptr) static_cast<void>(cudaEventDestroy(start_));
    if (end_ != nullptr) static_cast<void>(cudaEventDestroy(end_));
    if (comm_ != nullptr) static_cast<void>(ncclCommDestroy(comm_));
  }
  NcclCollectives(const NcclCollectives&) = delete;
  NcclCollectives& operator=(const NcclCollectives&) = delete;

  std::string backend() const override { return options_.graph ? "nccl, cuda graph" : "nccl"; }
  std::string version() const override {
    int v = 0;
    if (ncclGetVersion(&v) != ncclSuccess) return "unknown";
    return std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." +
           std::to_string(v % 100);
  }
  DevicePort& device() override { return gpu_; }
  bool does(Collective) const override { return true; }
  bool defines_in_place(Collective collective) const override {
    // Sends and receives of one group run at once: what is sent may be overwritten already.
    return collective != Collective::alltoall && collective != Collective::sendrecv;
  }

  Status prepare(const Work& work) override {
    work_ = work;
    drop_graph();
    return options_.graph ? capture() : Status{};
  }

  Result<Seconds> run() override {
    // The time between the events holds the launch of NCCL's kernel too, some microseconds.
    auto status = cuda_status(cudaEventRecord(start_, gpu_.stream()), "cudaEventRecord");
    if (status) {
      status = graph_ != nullptr
                   ? cuda_status(cudaGraphLaunch(graph_, gpu_.stream()), "cudaGraphLaunch")
                   : enqueue();
    }
    if (status) status = cuda_status(cudaEventRecord(end_, gpu_.stream()), "cudaEventRecord");
    if (status) status = cuda_status(cudaEventSynchronize(end_), "cudaEventSynchronize");
    float milliseconds = 0;
    if (status) {
      status =
          cuda_status(cudaEventElapsedTime(&milliseconds, start_, end_), "cudaEventElapsedTime");
    }
    ncclResult_t later = ncclSuccess;
    if (status) status = nccl_status(ncclCommGetAsyncError(comm_, &later), "ncclCommGetAsyncError");
    if (status) status = nccl_status(later, name_of(work_.collective), comm_);
    if (!status) return fail(std::move(status).error());
    return Seconds(static_cast<double>(milliseconds) / 1e3);
  }

  std::optional<Seconds> estimate() override {
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 22, 0)
    // Asked between group start and end, the library says what it expects, in microseconds, in
    // place of doing it (NCCL 2.22 and newer). 0 or the initial -1 is "doesn't know".
    if (ncclGroupStart() != ncclSuccess) return std::nullopt;
    const bool enqueued = enqueue_one().has_value();
    ncclSimInfo_t info = NCCL_SIM_INFO_INITIALIZER;
    if (ncclGroupSimulateEnd(&info) != ncclSuccess || !enqueued) return std::nullopt;
    if (!(info.estimatedTime > 0)) return std::nullopt;
    return Seconds(static_cast<double>(info.estimatedTime) / 1e6);
#else
    return std::nullopt;
#endif
  }

 private:
  NcclCollectives(CudaDevice& gpu, const NcclOptions& options) : gpu_(gpu), options_(options) {}

  /// One collective, or the sends and receives that it consists of as one group.
  Status enqueue() {
    const bool group =
        work_.collective == Collective::alltoall || work_.collective == Collective::sendrecv;
    if (!group) return enqueue_one();
    if (auto s = nccl_status(ncclGroupStart(), "ncclGroupStart"); !s) return s;
    const Status each = enqueue_one();
    const Status all = nccl_status(ncclGroupEnd(), "ncclGroupEnd", comm_);
    return each ? all : each;
  }

  Status enqueue_one() {
    const auto type = work_.type == kernels::ElementType::float32 ? ncclFloat32 : ncclInt32;
    const auto operation = nccl_operation(work_.reduction);
    const std::size_t part = work_.count * element_bytes(work_.type);
    const auto* send = static_cast<const std::byte*>(work_.send);
    auto* receive = static_cast<std::byte*>(work_.receive);
    const std::size_t own = work_.in_place() ? static_cast<std::size_t>(rank_) * part : 0;
    cudaStream_t stream = gpu_.stream();
    const auto sent = [&](std::size_t at, int to) {
      return nccl_status(ncclSend(send + at, work_.count, type, to, comm_, stream), "ncclSend",
                         comm_);
    };
    const auto received = [&](std::size_t at, int from) {
      return nccl_status(ncclRecv(receive + at, work_.count, type, from, comm_, stream), "ncclRecv",
                         comm_);
    };
    switch (work_.collective) {
      case Collective::allreduce:
        break;
      case Collective::allgather:
        return nccl_status(ncclAllGather(send + own, receive, work_.count, type, comm_, stream),
                           "ncclAllGather", comm_);
      case Collective::reduce_scatter:
        return nccl_status(
            ncclReduceScatter(send, receive + own, work_.count, type, operation, comm_, stream),
            "ncclReduceScatter", comm_);
      case Collective::broadcast:
        return nccl_status(
            ncclBroadcast(send, receive, work_.count, type, work_.root, comm_, stream),
            "ncclBroadcast", comm_);
      case Collective::reduce:
        return nccl_status(
            ncclReduce(send, receive, work_.count, type, operation, work_.root, comm_, stream),
            "ncclReduce", comm_);
      case Collective::alltoall:
        for (int peer = 0; peer < ranks_; ++peer) {
          const std::size_t at = static_cast<std::size_t>(peer) * part;
          if (auto s = sent(at, peer); !s) return s;
          if (auto s = received(at, peer); !s) return s;
        }
        return {};
      case Collective::sendrecv:
        if (work_.to != kNobody) {
          if (auto s = sent(0, work_.to); !s) return s;
        }
        return work_.from == kNobody ? Status{} : received(0, work_.from);
    }
    return nccl_status(ncclAllReduce(send, receive, work_.count, type, operation, comm_, stream),
                       "ncclAllReduce", comm_);
  }

  Status capture() {
    auto status =
        cuda_status(cudaStreamBeginCapture(gpu_.stream(), cudaStreamCaptureModeThreadLocal),
                    "cudaStreamBeginCapture");
    if (!status) return status;
    const Status enqueued = enqueue();
    cudaGraph_t captured = nullptr;
    // Ended in any case: a stream left capturing refuses everything.
    status = cuda_status(cudaStreamEndCapture(gpu_.stream(), &captured), "cudaStreamEndCapture");
    if (!enqueued) status = enqueued;
    if (status)
      status = cuda_status(cudaGraphInstantiate(&graph_, captured, 0), "cudaGraphInstantiate");
    if (captured != nullptr) static_cast<void>(cudaGraphDestroy(captured));
    return status;
  }
  void drop_graph() {
    if (graph_ != nullptr) static_cast<void>(cudaGraphExecDestroy(graph_));
    graph_ = nullptr;
  }

  CudaDevice& gpu_;
  const NcclOptions options_;
  int rank_ = 0, ranks_ = 1;
  ncclComm_t comm_ = nullptr;
  cudaEvent_t start_ = nullptr, end_ = nullptr;
  cudaGraphExec_t graph_ = nullptr;
  Work work_;
};

}  // namespace

NcclSight look_for_nccl() {
  CudaSight sight = look_for_gpus();
  if (sight.count > 0) return {sight.count, {}};
  return {0, sight.asked ? sight.why : "could not look for GPUs: " + sight.why};
}

Status nccl_is_built_in() { return {}; }

Result<std::unique_ptr<DevicePort>> open_gpu(int index) {
  auto gpu = CudaDevice::open(index);
  if (!gpu) return fail(std::move(gpu).error());
  return std::unique_ptr<DevicePort>(std::move(*gpu));
}

Result<std::unique_ptr<Subject>> make_nccl_subject(DevicePort& gpu, MPI_Comm comm,
                                                   const NcclOptions& options) {
  auto* cuda = dynamic_cast<CudaDevice*>(&gpu);
  if (cuda == nullptr) return fail(Code::internal, "NCCL was given memory that isn't a GPU's");
  return NcclCollectives::make(*cuda, comm, options);
}

}  // namespace topolaunch::bench
