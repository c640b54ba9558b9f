// SPDX-License-Identifier: Apache-2.0
//
// What the subjects over MPI on host memory have in common: the ranks, the time, the failures.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "bench/subject.h"
#include "bench/subject/mpi_host.h"

namespace topolaunch::bench {

inline constexpr std::uint64_t kMostAtOnce =
    std::numeric_limits<int>::max();  // MPI 3 counts in int

inline MPI_Datatype mpi_type(kernels::ElementType type) {
  return type == kernels::ElementType::float32 ? MPI_FLOAT : MPI_INT32_T;
}

/// Elements that a rank gives to a collective whose Layout::count is `count`.
std::uint64_t given_elements(Collective collective, std::uint64_t count, int ranks);

class MpiSubject : public Subject {
 public:
  MpiSubject(MpiWay way, DevicePort& host, MPI_Comm comm) : comm_(comm), way_(way), host_(host) {
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &ranks_);
  }
  std::string version() const override { return mpi_library_version(); }
  DevicePort& device() override { return host_; }
  bool does(Collective collective) const override { return bench::does(way_, collective); }
  Status prepare(const Work& work) override {
    if (Status can = can_do(way_, work.collective, work.count, ranks_); !can) return can;
    work_ = work;
    return {};
  }
  Result<Seconds> run() override {
    const auto start = std::chrono::steady_clock::now();
    const int code = exchange();
    const Seconds took = std::chrono::steady_clock::now() - start;
    if (code != MPI_SUCCESS) return fail(Code::unavailable, "MPI error " + std::to_string(code));
    put_in_place();
    return took;
  }

 protected:
  virtual int exchange() = 0;  ///< MPI's number of an error
  virtual void put_in_place() {}  ///< what NCCL would have done; not timed
  std::size_t part_bytes() const { return work_.count * element_bytes(work_.type); }

  const MPI_Comm comm_;
  int rank_ = 0, ranks_ = 1;
  Work work_;

 private:
  const MpiWay way_;
  DevicePort& host_;
};

std::unique_ptr<Subject> make_mpi_library(DevicePort& host, MPI_Comm comm);
std::unique_ptr<Subject> make_mpi_ring(DevicePort& host, MPI_Comm comm);
std::unique_ptr<Subject> make_mpi_reference(DevicePort& host, MPI_Comm comm);

}  // namespace topolaunch::bench
