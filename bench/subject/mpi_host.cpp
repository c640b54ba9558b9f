// SPDX-License-Identifier: Apache-2.0
#include "bench/subject/mpi_host.h"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/reference_allreduce.h"

namespace topolaunch::bench {
namespace {

using Steady = std::chrono::steady_clock;
using kernels::ElementType;
using kernels::Reduction;

constexpr std::uint64_t kMostAtOnce = std::numeric_limits<int>::max();  // MPI 3 counts in int

MPI_Datatype mpi_type(ElementType type) {
  return type == ElementType::float32 ? MPI_FLOAT : MPI_INT32_T;
}

MPI_Op mpi_operation(Reduction reduction) {
  switch (reduction) {
    case Reduction::minimum: return MPI_MIN;
    case Reduction::maximum: return MPI_MAX;
    case Reduction::sum: break;
  }
  return MPI_SUM;
}

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

class MpiSubject : public Subject {
 public:
  explicit MpiSubject(DevicePort& host) : host_(host) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }
  std::string version() const override { return mpi_library_version(); }
  DevicePort& device() override { return host_; }
  Status prepare(const Work& work) override {
    work_ = work;
    return {};
  }
  Result<Seconds> run() override {
    const auto start = Steady::now();
    const int code = allreduce();
    const Seconds took = Steady::now() - start;
    if (code != MPI_SUCCESS) return fail(Code::unavailable, "MPI error " + std::to_string(code));
    return took;
  }

 protected:
  virtual int allreduce() = 0;
  int rank_ = 0, ranks_ = 1;
  Work work_;

 private:
  DevicePort& host_;
};

class LibraryAllreduce final : public MpiSubject {
 public:
  using MpiSubject::MpiSubject;
  std::string backend() const override { return "mpi host memory"; }

 private:
  int allreduce() override {
    const auto* send = static_cast<const std::byte*>(work_.send);
    auto* receive = static_cast<std::byte*>(work_.receive);
    for (std::uint64_t done = 0; done < work_.count; done += kMostAtOnce) {
      const std::uint64_t now = std::min(work_.count - done, kMostAtOnce);
      const std::size_t at = done * element_bytes(work_.type);
      const int code =
          MPI_Allreduce(work_.in_place() ? MPI_IN_PLACE : send + at, receive + at,
                        static_cast<int>(now), mpi_type(work_.type), mpi_operation(work_.reduction),
                        MPI_COMM_WORLD);
      if (code != MPI_SUCCESS) return code;
    }
    return MPI_SUCCESS;
  }
};

/// Reduce-scatter, then allgather, each ranks - 1 steps round the ring. Every rank sends
/// 2 (n-1)/n of the data, which is where busbw's factor comes from.
class RingAllreduce final : public MpiSubject {
 public:
  using MpiSubject::MpiSubject;
  std::string backend() const override { return "own ring over mpi, host memory"; }

  Status prepare(const Work& work) override {
    if (work.count / static_cast<std::uint64_t>(ranks_) >= kMostAtOnce) {
      return fail(Code::wrong_usage, "more elements in a rank's part than MPI counts",
                  "a smaller largest size (-e)");
    }
    landing_.resize((work.count / static_cast<std::uint64_t>(ranks_) + 1) * element_bytes(work.type));
    return MpiSubject::prepare(work);
  }

 private:
  std::uint64_t first_of(int part) const {
    // Parts differ by one element at most; product kept below 2^64 by splitting the division.
    const auto n = static_cast<std::uint64_t>(ranks_), p = static_cast<std::uint64_t>(part);
    return work_.count / n * p + std::min(work_.count % n, p);
  }
  int allreduce() override {
    return work_.type == ElementType::float32 ? ring<float>() : ring<std::int32_t>();
  }

  template <class T>
  int ring() {
    auto* data = static_cast<T*>(work_.receive);
    if (!work_.in_place()) std::memcpy(data, work_.send, work_.count * sizeof(T));
    const int next = (rank_ + 1) % ranks_, previous = (rank_ + ranks_ - 1) % ranks_;
    const auto part = [&](int number) { return (number % ranks_ + ranks_) % ranks_; };
    const auto exchange = [&](int sent, int received, T* into) {
      return MPI_Sendrecv(data + first_of(sent), static_cast<int>(first_of(sent + 1) - first_of(sent)),
                          mpi_type(work_.type), next, 0, into,
                          static_cast<int>(first_of(received + 1) - first_of(received)),
                          mpi_type(work_.type), previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    };
    for (int step = 0; step < ranks_ - 1; ++step) {
      const int received = part(rank_ - step - 1);
      auto* landing = reinterpret_cast<T*>(landing_.data());
      if (const int code = exchange(part(rank_ - step), received, landing); code != MPI_SUCCESS) {
        return code;
      }
      reduce_into(work_.reduction, data + first_of(received), landing,
                  first_of(received + 1) - first_of(received));
    }
    for (int step = 0; step < ranks_ - 1; ++step) {
      const int received = part(rank_ - step);
      const int code = exchange(part(rank_ + 1 - step), received, data + first_of(received));
      if (code != MPI_SUCCESS) return code;
    }
    return MPI_SUCCESS;
  }

  std::vector<std::byte> landing_;
};

class ReferenceAllreduce final : public MpiSubject {
 public:
  using MpiSubject::MpiSubject;
  std::string backend() const override { return "reference, host memory"; }

  Status prepare(const Work& work) override {
    if (work.count > (std::uint64_t{1} << 28) / static_cast<std::uint64_t>(ranks_)) {
      return fail(Code::wrong_usage, "too large for the reference, which holds all ranks' inputs",
                  "a smaller largest size (-e)");
    }
    all_.resize(work.count * element_bytes(work.type) * static_cast<std::uint64_t>(ranks_));
    return MpiSubject::prepare(work);
  }

 private:
  int allreduce() override {
    const int count = static_cast<int>(work_.count);
    const int code = MPI_Allgather(work_.send, count, mpi_type(work_.type), all_.data(), count,
                                   mpi_type(work_.type), MPI_COMM_WORLD);
    if (code != MPI_SUCCESS) return code;
    if (work_.type == ElementType::float32) {
      add_up<float>();
    } else {
      add_up<std::int32_t>();
    }
    return MPI_SUCCESS;
  }
  template <class T>
  void add_up() {
    // Unsigned, so that repeated sums in place wrap instead of overflowing; min and max need signs.
    const auto go = [&](auto zero) {
      using U = decltype(zero);
      const auto* all = reinterpret_cast<const U*>(all_.data());
      std::vector<std::span<const U>> inputs;
      for (int rank = 0; rank < ranks_; ++rank) {
        inputs.emplace_back(all + work_.count * static_cast<std::uint64_t>(rank), work_.count);
      }
      const auto result = kernels::reference_allreduce<U>(work_.reduction, inputs);
      std::memcpy(work_.receive, result.data(), result.size() * sizeof(U));
    };
    if constexpr (std::is_same_v<T, std::int32_t>) {
      if (work_.reduction == Reduction::sum) return go(std::uint32_t{});
    }
    go(T{});
  }
  std::vector<std::byte> all_;
};

}  // namespace

std::unique_ptr<Subject> make_mpi_subject(MpiWay way, DevicePort& host) {
  switch (way) {
    case MpiWay::ring: return std::make_unique<RingAllreduce>(host);
    case MpiWay::reference: return std::make_unique<ReferenceAllreduce>(host);
    case MpiWay::library: break;
  }
  return std::make_unique<LibraryAllreduce>(host);
}

std::string mpi_library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string version(text.data());
  // "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, ..." and similar from MPICH
  version.erase(std::min(version.find_first_of(",\n"), version.size()));
  if (const auto v = version.find(" v"); v != std::string::npos) version.erase(v + 1, 1);
  return version;
}

}  // namespace topolaunch::bench
