// SPDX-License-Identifier: Apache-2.0
//
// Every rank gathers all inputs and works out its own result, one step after the other: slow, and
// easy to be sure of. What the others are held against.
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "bench/subject/mpi_subject.h"
#include "kernels/reference_allreduce.h"

namespace topolaunch::bench {
namespace {

using kernels::Reduction;

class Reference final : public MpiSubject {
 public:
  using MpiSubject::MpiSubject;
  std::string backend() const override { return "reference, host memory"; }

  Status prepare(const Work& work) override {
    if (Status ready = MpiSubject::prepare(work); !ready) return ready;
    given_ = given_elements(work.collective, work.count, ranks_);
    all_.resize(given_ * element_bytes(work.type) * static_cast<std::size_t>(ranks_));
    return {};
  }

 private:
  int exchange() override {
    const auto* input = static_cast<const std::byte*>(work_.send);
    const auto rank = static_cast<std::size_t>(rank_);
    const auto ranks = static_cast<std::size_t>(ranks_);
    auto* const result = static_cast<std::byte*>(work_.receive);
    const bool own_part = work_.in_place() && has_parts(work_.collective);
    if (work_.collective == Collective::allgather && own_part) input += rank * part_bytes();
    const int count = static_cast<int>(given_);
    const int code = MPI_Allgather(input, count, mpi_type(work_.type), all_.data(), count,
                                   mpi_type(work_.type), comm_);
    if (code != MPI_SUCCESS) return code;
    const std::size_t each = given_ * element_bytes(work_.type);
    switch (work_.collective) {
      case Collective::allgather:
        std::memcpy(result, all_.data(), all_.size());
        break;
      case Collective::broadcast:
        std::memcpy(result, all_.data() + static_cast<std::size_t>(work_.root) * each, each);
        break;
      case Collective::alltoall:
        for (std::size_t sender = 0; sender < ranks; ++sender) {
          std::memcpy(result + sender * part_bytes(),
                      all_.data() + sender * each + rank * part_bytes(), part_bytes());
        }
        break;
      case Collective::reduce:
        if (rank_ == work_.root) reduced(0, result);
        break;
      case Collective::reduce_scatter:
        reduced(rank * work_.count, result + (own_part ? rank * part_bytes() : 0));
        break;
      default:
        reduced(0, result);
    }
    return MPI_SUCCESS;
  }

  /// `count` elements of the reduction, from element `first` of the inputs on.
  void reduced(std::size_t first, std::byte* into) const {
    // Unsigned, so that repeated sums in place wrap instead of overflowing; min and max need signs.
    const auto go = [&](auto zero) {
      using U = decltype(zero);
      const auto* all = reinterpret_cast<const U*>(all_.data());
      std::vector<std::span<const U>> inputs;
      for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks_); ++rank) {
        inputs.emplace_back(all + given_ * rank + first, work_.count);
      }
      const auto result = kernels::reference_allreduce<U>(work_.reduction, inputs);
      std::memcpy(into, result.data(), result.size() * sizeof(U));
    };
    if (work_.type == kernels::ElementType::float32) return go(float{});
    if (work_.reduction == Reduction::sum) return go(std::uint32_t{});
    go(std::int32_t{});
  }

  std::uint64_t given_ = 0;  ///< elements that a rank gives
  std::vector<std::byte> all_;
};

}  // namespace

std::unique_ptr<Subject> make_mpi_reference(DevicePort& host, MPI_Comm comm) {
  return std::make_unique<Reference>(MpiWay::reference, host, comm);
}

}  // namespace topolaunch::bench
