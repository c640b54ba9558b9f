// SPDX-License-Identifier: Apache-2.0
#include "bench/checked_data.h"

#include <cstddef>

namespace topolaunch::bench {
namespace {

std::byte* element(void* memory, std::uint64_t index, kernels::ElementType type) {
  return static_cast<std::byte*>(memory) + index * element_bytes(type);
}

Layout layout_of(const Work& work, int ranks) {
  const auto size = static_cast<std::int64_t>(element_bytes(work.type));
  const std::int64_t parts = has_parts(work.collective) ? ranks : 1;
  return layout_of(work.collective, static_cast<std::int64_t>(work.count) * parts * size, size,
                   ranks);
}

}  // namespace

Status fill_input(DevicePort& device, const kernels::Pattern& pattern, const Work& work,
                  Seat seat) {
  const Layout layout = layout_of(work, seat.ranks);
  const auto rank = static_cast<std::uint32_t>(seat.rank);
  const std::uint64_t whole =
      work.in_place() && layout.send > layout.receive ? layout.send : layout.receive;
  if (auto s = device.poison(work.receive, whole * element_bytes(work.type)); !s) return s;
  if (work.collective == Collective::broadcast && seat.rank != work.root) return {};
  if (work.collective == Collective::sendrecv && work.to == kNobody) return {};
  // The seam's `send` is what the subject may not write; what is in it comes from here.
  void* const into = work.in_place() ? work.receive : const_cast<void*>(work.send);
  if (work.collective == Collective::allgather) {
    const std::uint64_t first = rank * work.count;
    return device.fill(pattern, rank, work.type,
                       element(into, work.in_place() ? first : 0, work.type), work.count, first);
  }
  return device.fill(pattern, rank, work.type, into, layout.send, 0);
}

Result<std::int64_t> count_wrong(DevicePort& device, const kernels::Pattern& pattern,
                                 const Work& work, Seat seat) {
  using kernels::Expected;
  const auto rank = static_cast<std::uint64_t>(seat.rank);
  const auto part = [&](std::uint64_t at, const Expected& expected) {
    return device.count_wrong(pattern, expected, work.type, element(work.receive, at, work.type),
                              work.count);
  };
  switch (work.collective) {
    case Collective::allreduce:
      break;
    case Collective::reduce:
      if (seat.rank != work.root) return 0;
      break;
    case Collective::reduce_scatter:
      return part(work.in_place() ? rank * work.count : 0,
                  Expected(work.reduction, rank * work.count));
    case Collective::broadcast:
      return part(0, Expected::of_rank(static_cast<std::uint32_t>(work.root)));
    case Collective::sendrecv:
      if (work.from == kNobody) return 0;
      return part(0, Expected::of_rank(static_cast<std::uint32_t>(work.from)));
    case Collective::allgather:
    case Collective::alltoall: {
      std::int64_t wrong = 0;
      for (std::uint32_t sender = 0; sender < static_cast<std::uint32_t>(seat.ranks); ++sender) {
        const std::uint64_t at = sender * work.count;
        // To an alltoall a sender gives each receiver another part of its data.
        const std::uint64_t first =
            work.collective == Collective::allgather ? at : rank * work.count;
        auto more = part(at, Expected::of_rank(sender, first));
        if (!more) return more;
        wrong += *more;
      }
      return wrong;
    }
  }
  return part(0, work.reduction);
}

}  // namespace topolaunch::bench
