// SPDX-License-Identifier: Apache-2.0
//
// Seam: something that does a collective and can be timed. Subjects are MPI on host memory, a ring
// of our own over MPI's point-to-point calls, a reference, and NCCL; the tests have a corrupting
// one. tests/contract/subject holds each of them to this file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "bench/collective.h"
#include "bench/device_port.h"
#include "kernels/pattern.h"

namespace topolaunch::bench {

inline constexpr int kNobody = -1;

/// One collective. `send` equals `receive` where it is to be done in place: in the one buffer a
/// rank's own part (what it gives to an allgather, what it gets of a reduce_scatter) stands at
/// rank * count.
struct Work {
  kernels::ElementType type = kernels::ElementType::float32;
  kernels::Reduction reduction = kernels::Reduction::sum;
  std::uint64_t count = 0;     ///< elements, as Layout::count
  const void* send = nullptr;  ///< memory of the subject's device
  void* receive = nullptr;
  Collective collective = Collective::allreduce;
  int root = 0;  ///< of broadcast and reduce
  int to = kNobody,
      from = kNobody;  ///< sendrecv: this rank's peers; kNobody = that half is left out
  bool in_place() const { return send == receive; }
};

class Subject {
 public:
  virtual ~Subject() = default;
  virtual std::string backend() const = 0;  ///< "mpi host memory", "nccl"
  virtual std::string version() const = 0;  ///< of the library underneath
  virtual DevicePort& device() = 0;
  virtual bool does(Collective collective) const = 0;
  /// False where the result in place is left undefined by the library; it is timed then, as
  /// nccl-tests does, and not checked.
  virtual bool defines_in_place(Collective) const { return true; }

  /// Makes ready for `work`, untimed; its memory stays until the next prepare(). All ranks call it
  /// with the same count, type and reduction; for sendrecv those alone that take part.
  virtual Status prepare(const Work& work) = 0;

  /// Does the prepared work once; the result is in `receive` when it returns. Returns the time it
  /// took on this rank, by the best clock that the subject has (steady clock, or events on the
  /// stream). All ranks that prepared call it; it may wait for them.
  virtual Result<Seconds> run() = 0;

  /// What the library itself expects the prepared work to take, where it can be asked.
  virtual std::optional<Seconds> estimate() { return std::nullopt; }
};

}  // namespace topolaunch::bench
