// SPDX-License-Identifier: Apache-2.0
//
// The MPI library's own collectives.
#include <algorithm>
#include <cstring>

#include "bench/subject/mpi_subject.h"

namespace topolaunch::bench {
namespace {

MPI_Op mpi_operation(kernels::Reduction reduction) {
  switch (reduction) {
    case kernels::Reduction::minimum:
      return MPI_MIN;
    case kernels::Reduction::maximum:
      return MPI_MAX;
    case kernels::Reduction::sum:
      break;
  }
  return MPI_SUM;
}

class LibraryCollectives final : public MpiSubject {
 public:
  using MpiSubject::MpiSubject;
  std::string backend() const override { return "mpi host memory"; }

 private:
  int exchange() override {
    if (has_parts(work_.collective)) return in_parts();
    // Element by element alike: more than MPI counts goes in pieces.
    for (std::uint64_t done = 0; done < work_.count; done += kMostAtOnce) {
      const int now = static_cast<int>(std::min(work_.count - done, kMostAtOnce));
      if (const int code = whole(done * element_bytes(work_.type), now); code != MPI_SUCCESS) {
        return code;
      }
    }
    return MPI_SUCCESS;
  }

  int whole(std::size_t at, int count) {
    const auto* send = static_cast<const std::byte*>(work_.send) + at;
    auto* receive = static_cast<std::byte*>(work_.receive) + at;
    const MPI_Datatype type = mpi_type(work_.type);
    const MPI_Op operation = mpi_operation(work_.reduction);
    switch (work_.collective) {
      case Collective::reduce: {
        const bool mine = work_.in_place() && rank_ == work_.root;
        return MPI_Reduce(mine ? MPI_IN_PLACE : send, receive, count, type, operation, work_.root,
                          comm_);
      }
      case Collective::broadcast:
        // MPI broadcasts in place only; out of place the root's copy is part of the work.
        if (rank_ == work_.root && !work_.in_place()) {
          std::memcpy(receive, send, static_cast<std::size_t>(count) * element_bytes(work_.type));
        }
        return MPI_Bcast(receive, count, type, work_.root, comm_);
      case Collective::sendrecv: {
        const int to = work_.to == kNobody ? MPI_PROC_NULL : work_.to;
        const int from = work_.from == kNobody ? MPI_PROC_NULL : work_.from;
        if (work_.in_place()) {
          return MPI_Sendrecv_replace(receive, count, type, to, 0, from, 0, comm_,
                                      MPI_STATUS_IGNORE);
        }
        return MPI_Sendrecv(send, count, type, to, 0, receive, count, type, from, 0, comm_,
                            MPI_STATUS_IGNORE);
      }
      default:
        break;
    }
    return MPI_Allreduce(work_.in_place() ? MPI_IN_PLACE : send, receive, count, type, operation,
                         comm_);
  }

  int in_parts() {
    const int count = static_cast<int>(work_.count);
    const MPI_Datatype type = mpi_type(work_.type);
    const void* const send = work_.in_place() ? MPI_IN_PLACE : work_.send;
    switch (work_.collective) {
      case Collective::allgather:
        return MPI_Allgather(send, count, type, work_.receive, count, type, comm_);
      case Collective::reduce_scatter:
        return MPI_Reduce_scatter_block(send, work_.receive, count, type,
                                        mpi_operation(work_.reduction), comm_);
      default:
        break;
    }
    return MPI_Alltoall(send, count, type, work_.receive, count, type, comm_);
  }

  void put_in_place() override {
    if (work_.collective != Collective::reduce_scatter || !work_.in_place()) return;
    // In place MPI leaves a rank's part at the front; its own place is where NCCL leaves it.
    auto* front = static_cast<std::byte*>(work_.receive);
    std::memmove(front + static_cast<std::size_t>(rank_) * part_bytes(), front, part_bytes());
  }
};

}  // namespace

std::unique_ptr<Subject> make_mpi_library(DevicePort& host, MPI_Comm comm) {
  return std::make_unique<LibraryCollectives>(MpiWay::library, host, comm);
}

}  // namespace topolaunch::bench
