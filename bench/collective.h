// SPDX-License-Identifier: Apache-2.0
//
// The collectives that can be measured, and how many elements each moves at a message size. Sizes
// and counts are nccl-tests' (2.19): `size` is the larger of what a rank gives and gets, `count`
// what NCCL calls count: for allgather, reduce_scatter and alltoall one rank's part.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topolaunch::bench {

enum class Collective {
  allreduce,
  allgather,
  reduce_scatter,
  broadcast,
  reduce,
  alltoall,
  sendrecv
};

inline constexpr Collective kCollectives[] = {
    Collective::allreduce, Collective::allgather, Collective::reduce_scatter, Collective::broadcast,
    Collective::reduce,    Collective::alltoall,  Collective::sendrecv};

const char* name_of(Collective collective);  ///< "reduce_scatter"
/// By our name or nccl-tests' ("all_reduce", "all_reduce_perf").
std::optional<Collective> collective_named(std::string_view name);

/// Whether elements are added up, so that there is an operation.
constexpr bool reduces(Collective c) {
  return c == Collective::allreduce || c == Collective::reduce_scatter || c == Collective::reduce;
}
/// Whether one rank is special.
constexpr bool has_root(Collective c) {
  return c == Collective::broadcast || c == Collective::reduce;
}
/// Whether a buffer holds a part for, or of, each rank.
constexpr bool has_parts(Collective c) {
  return c == Collective::allgather || c == Collective::reduce_scatter || c == Collective::alltoall;
}

/// Elements of one size on one rank.
struct Layout {
  std::uint64_t count = 0;    ///< as NCCL counts
  std::uint64_t send = 0;     ///< given by each rank
  std::uint64_t receive = 0;  ///< got by each rank
  std::int64_t size = 0;      ///< bytes, of the larger of the two
};
/// The layout nearest below `bytes`, at least one element a part.
Layout layout_of(Collective collective, std::int64_t bytes, std::int64_t element, int ranks);

}  // namespace topolaunch::bench
