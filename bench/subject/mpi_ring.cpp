// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "bench/subject/mpi_subject.h"

namespace topolaunch::bench {
namespace {

using kernels::ElementType;
using kernels::Reduction;

template <class T>
void reduce_into(Reduction reduction, T* into, const T* from, std::size_t count) {
  switch (reduction) {
    case Reduction::sum:
      for (std::size_t i = 0; i < count; ++i) {
        if constexpr (std::is_integral_v<T>) {
          // Timed runs in place add up again and again: wrap, as the hardware does.
          into[i] = static_cast<T>(static_cast<std::uint32_t>(into[i]) +
                                   static_cast<std::uint32_t>(from[i]));
        } else {
          into[i] += from[i];
        }
      }
      break;
    case Reduction::minimum:
      for (std::size_t i = 0; i < count; ++i) into[i] = std::min(into[i], from[i]);
      break;
    case Reduction::maximum:
      for (std::size_t i = 0; i < count; ++i) into[i] = std::max(into[i], from[i]);
      break;
  }
}

/// Reduce-scatter, then allgather, each ranks - 1 steps round the ring. Every rank sends
/// 2 (n-1)/n of the data, which is where busbw's factor comes from.
class RingAllreduce final : public MpiSubject {
 public:
  using MpiSubject::MpiSubject;
  std::string backend() const override { return "own ring over mpi, host memory"; }

  Status prepare(const Work& work) override {
    if (Status ready = MpiSubject::prepare(work); !ready) return ready;
    landing_.resize((work.count / static_cast<std::uint64_t>(ranks_) + 1) *
                    element_bytes(work.type));
    return {};
  }

 private:
  std::uint64_t first_of(int part) const {
    // Parts differ by one element at most; product kept below 2^64 by splitting the division.
    const auto n = static_cast<std::uint64_t>(ranks_), p = static_cast<std::uint64_t>(part);
    return work_.count / n * p + std::min(work_.count % n, p);
  }
  int exchange() override {
    return work_.type == ElementType::float32 ? ring<float>() : ring<std::int32_t>();
  }

  template <class T>
  int ring() {
    auto* data = static_cast<T*>(work_.receive);
    if (!work_.in_place()) std::memcpy(data, work_.send, work_.count * sizeof(T));
    const int next = (rank_ + 1) % ranks_, previous = (rank_ + ranks_ - 1) % ranks_;
    const auto part = [&](int number) { return (number % ranks_ + ranks_) % ranks_; };
    const auto swap = [&](int sent, int received, T* into) {
      return MPI_Sendrecv(data + first_of(sent),
                          static_cast<int>(first_of(sent + 1) - first_of(sent)),
                          mpi_type(work_.type), next, 0, into,
                          static_cast<int>(first_of(received + 1) - first_of(received)),
                          mpi_type(work_.type), previous, 0, comm_, MPI_STATUS_IGNORE);
    };
    for (int step = 0; step < ranks_ - 1; ++step) {
      const int received = part(rank_ - step - 1);
      auto* landing = reinterpret_cast<T*>(landing_.data());
      if (const int code = swap(part(rank_ - step), received, landing); code != MPI_SUCCESS) {
        return code;
      }
      reduce_into(work_.reduction, data + first_of(received), landing,
                  first_of(received + 1) - first_of(received));
    }
    for (int step = 0; step < ranks_ - 1; ++step) {
      const int received = part(rank_ - step);
      const int code = swap(part(rank_ + 1 - step), received, data + first_of(received));
      if (code != MPI_SUCCESS) return code;
    }
    return MPI_SUCCESS;
  }

  std::vector<std::byte> landing_;
};

}  // namespace

std::unique_ptr<Subject> make_mpi_ring(DevicePort& host, MPI_Comm comm) {
  return std::make_unique<RingAllreduce>(MpiWay::ring, host, comm);
}

}  // namespace topolaunch::bench
