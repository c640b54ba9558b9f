// SPDX-License-Identifier: Apache-2.0
//
// A libnccl of ours over MPI: the calls that topobench makes, on the fake streams of fake_cuda.h.
// Calls between ncclGroupStart and ncclGroupEnd run together, as sends and receives have to.
#include <mpi.h>
#include <nccl.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/fake_gpu/fake_cuda.h"

struct ncclComm {
  MPI_Comm ranks = MPI_COMM_NULL;
  int rank = 0, size = 1;
  bool failed = false;
};

namespace {

using topolaunch::fake_gpu::fault;

/// One call: what it starts, and what is left for when all of its group have started.
struct Call {
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;
  std::function<void(std::vector<MPI_Request>&)> run;
  double microseconds = 0;  ///< the model's; 0 = it has none for such a call
};

int depth = 0;
std::vector<Call> group;

MPI_Datatype mpi(ncclDataType_t type) { return type == ncclFloat32 ? MPI_FLOAT : MPI_INT32_T; }
MPI_Op mpi(ncclRedOp_t op) { return op == ncclMin ? MPI_MIN : op == ncclMax ? MPI_MAX : MPI_SUM; }

void enqueue_group() {
  if (group.empty()) return;
  const auto calls = std::make_shared<std::vector<Call>>(std::exchange(group, {}));
  calls->front().stream->enqueue([calls] {
    std::vector<MPI_Request> requests;
    for (const Call& call : *calls) call.run(requests);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  });
}

ncclResult_t add(Call call) {
  if (fault("async_error")) call.comm->failed = true;
  group.push_back(std::move(call));
  if (depth == 0) enqueue_group();
  return ncclSuccess;
}

/// A collective: ten microseconds, and a gigabyte a second.
Call collective(ncclComm_t comm, cudaStream_t stream, std::size_t count,
                std::function<void()> run) {
  return {comm, stream, [run = std::move(run)](std::vector<MPI_Request>&) { run(); },
          10 + static_cast<double>(count) * 4 / 1e3};
}

const std::byte* bytes(const void* memory) { return static_cast<const std::byte*>(memory); }

}  // namespace

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}
ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  static std::mt19937 random(std::random_device{}());
  for (char& c : id->internal) c = static_cast<char>(random());
  return ncclSuccess;
}
const char* ncclGetErrorString(ncclResult_t) { return "fake system error"; }
const char* ncclGetLastError(ncclComm_t) { return "the fake library was told to fail"; }

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int size, ncclUniqueId id, int rank) {
  if (fault("nccl_init")) return ncclSystemError;
  // All ranks of the job make their communicators at once, each its own group's.
  int color = 0;
  std::memcpy(&color, id.internal, sizeof color);
  auto* made = new ncclComm;
  MPI_Comm_split(MPI_COMM_WORLD, color & 0x7fffffff, rank, &made->ranks);
  MPI_Comm_rank(made->ranks, &made->rank);
  MPI_Comm_size(made->ranks, &made->size);
  // As NCCL's rank 0 of a communicator does when it has looked at the machine.
  if (const char* dump = std::getenv("NCCL_TOPO_DUMP_FILE"); dump != nullptr && rank == 0) {
    std::ofstream(dump) << "<system version=\"1\">\n</system>\n";
  }
  *comm = made;
  return made->size == size && made->rank == rank ? ncclSuccess : ncclInvalidUsage;
}
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  MPI_Comm_free(&comm->ranks);
  delete comm;
  return ncclSuccess;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
  *error = comm->failed ? ncclRemoteError : ncclSuccess;
  return ncclSuccess;
}

ncclResult_t ncclGroupStart(void) {
  ++depth;
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd(void) {
  if (--depth == 0) enqueue_group();
  return ncclSuccess;
}
ncclResult_t ncclGroupSimulateEnd(ncclSimInfo_t* info) {
  --depth;
  double all = 0;
  for (const Call& call : std::exchange(group, {})) all += call.microseconds;
  if (all > 0) info->estimatedTime = static_cast<float>(all);
  return ncclSuccess;
}

ncclResult_t ncclAllReduce(const void* send, void* receive, size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return add(collective(comm, stream, count, [=] {
    MPI_Allreduce(send == receive ? MPI_IN_PLACE : send, receive, static_cast<int>(count),
                  mpi(type), mpi(op), comm->ranks);
    if (fault("corrupt") && comm->rank == comm->size - 1) {
      static_cast<unsigned char*>(receive)[count / 2 * 4] ^= 1;
    }
  }));
}
ncclResult_t ncclBroadcast(const void* send, void* receive, size_t count, ncclDataType_t type,
                           int root, ncclComm_t comm, cudaStream_t stream) {
  return add(collective(comm, stream, count, [=] {
    if (comm->rank == root && send != receive) std::memcpy(receive, send, count * 4);
    MPI_Bcast(receive, static_cast<int>(count), mpi(type), root, comm->ranks);
  }));
}
ncclResult_t ncclReduce(const void* send, void* receive, size_t count, ncclDataType_t type,
                        ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream) {
  return add(collective(comm, stream, count, [=] {
    MPI_Reduce(send == receive && comm->rank == root ? MPI_IN_PLACE : send, receive,
               static_cast<int>(count), mpi(type), mpi(op), root, comm->ranks);
  }));
}
ncclResult_t ncclAllGather(const void* send, void* receive, size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
  return add(collective(comm, stream, count, [=] {
    const bool in_place = send == bytes(receive) + static_cast<std::size_t>(comm->rank) * count * 4;
    MPI_Allgather(in_place ? MPI_IN_PLACE : send, static_cast<int>(count), mpi(type), receive,
                  static_cast<int>(count), mpi(type), comm->ranks);
  }));
}
ncclResult_t ncclReduceScatter(const void* send, void* receive, size_t count, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return add(collective(comm, stream, count, [=] {
    std::vector<std::byte> landing(count * 4);
    MPI_Reduce_scatter_block(send, landing.data(), static_cast<int>(count), mpi(type), mpi(op),
                             comm->ranks);
    std::memcpy(receive, landing.data(), landing.size());
  }));
}
ncclResult_t ncclSend(const void* send, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  return add({comm, stream, [=](std::vector<MPI_Request>& requests) {
                MPI_Isend(send, static_cast<int>(count), mpi(type), peer, 0, comm->ranks,
                          &requests.emplace_back());
              }});
}
ncclResult_t ncclRecv(void* receive, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return add({comm, stream, [=](std::vector<MPI_Request>& requests) {
                MPI_Irecv(receive, static_cast<int>(count), mpi(type), peer, 0, comm->ranks,
                          &requests.emplace_back());
              }});
}

}  // extern "C"
