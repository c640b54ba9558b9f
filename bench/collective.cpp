// SPDX-License-Identifier: Apache-2.0
#include "bench/collective.h"

#include <algorithm>

namespace topolaunch::bench {

const char* name_of(Collective collective) {
  switch (collective) {
    case Collective::allreduce:
      break;
    case Collective::allgather:
      return "allgather";
    case Collective::reduce_scatter:
      return "reduce_scatter";
    case Collective::broadcast:
      return "broadcast";
    case Collective::reduce:
      return "reduce";
    case Collective::alltoall:
      return "alltoall";
    case Collective::sendrecv:
      return "sendrecv";
  }
  return "allreduce";
}

std::optional<Collective> collective_named(std::string_view name) {
  if (name.ends_with("_perf")) name.remove_suffix(5);
  if (name == "all_reduce") return Collective::allreduce;
  if (name == "all_gather") return Collective::allgather;
  for (const Collective c : kCollectives) {
    if (name == name_of(c)) return c;
  }
  return std::nullopt;
}

Layout layout_of(Collective collective, std::int64_t bytes, std::int64_t element, int ranks) {
  const std::int64_t parts = has_parts(collective) ? ranks : 1;
  const std::int64_t count = std::max<std::int64_t>(bytes / element / parts, 1);
  Layout layout;
  layout.count = static_cast<std::uint64_t>(count);
  layout.send = layout.receive = static_cast<std::uint64_t>(count * parts);
  if (collective == Collective::allgather) layout.send = layout.count;
  if (collective == Collective::reduce_scatter) layout.receive = layout.count;
  layout.size = count * parts * element;
  return layout;
}

}  // namespace topolaunch::bench
