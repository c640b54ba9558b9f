// SPDX-License-Identifier: Apache-2.0
#include "mapping/other_launchers.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/counted.h"
#include "mapping/cost.h"
#include "mapping/index.h"

namespace topolaunch::mapping {
namespace {

tl::unexpected<Error> cannot_say(const std::string& file, const std::string& why,
                                 const std::string& next) {
  return fail(Code::infeasible, fmt::format("{} can't say this placement: {}", file, why), next);
}

}  // namespace

Status local_order_does(const std::string& format, const topo::Topology& topology,
                        const RankGraph& graph, const Solution& solution, GpuOrder order) {
  if (order.masked) return {};
  std::vector<int> next(topology.hosts.size(), 0);
  std::vector<Seat> seats, said;
  int other = -1;
  for (const auto& place : solution.placement) {
    seats.push_back(place.seat);
    said.push_back(place.seat);
    const int local = next[ix(place.seat.host)]++;
    // Ranks that share GPUs, or have none, are no question of order.
    if (place.seat.gpu < 0 || place.seat.slot != place.seat.gpu ||
        local >= count_of(topology.hosts[ix(place.seat.host)].gpus))
      continue;
    said.back().gpu = said.back().slot = local;
    if (other < 0 && local != place.seat.gpu) other = place.rank;
  }
  if (other < 0) return {};
  // A rankfile binds to the CPUs beside the GPU that is meant.
  if (!order.named && format != "rankfile") {
    const CostModel model(topology, graph);
    const auto meant = model.score(seats), got = model.score(said);
    if (got.seconds <= meant.seconds * (1 + 1e-9) && got.hop_bytes <= meant.hop_bytes * (1 + 1e-9))
      return {};
  }
  const auto& place = solution.placement[ix(other)];
  return cannot_say(
      format == "mpich"      ? "MPICH_RANK_ORDER"
      : format == "rankfile" ? "a rankfile"
                             : "a host file",
      fmt::format("rank {} belongs on GPU {} of {}, and local rank {} takes GPU {} there", other,
                  place.seat.gpu, topology.hosts[ix(place.seat.host)].name, place.local_rank,
                  said[ix(other)].gpu),
      "use --format env, whose CUDA_VISIBLE_DEVICES puts GPUs in the order of ranks, or json");
}

std::string host_lines(const topo::Topology& topology, const Solution& solution) {
  std::string text;
  for (const auto& place : solution.placement)
    text += topology.hosts[ix(place.seat.host)].name + "\n";
  return text;
}

Result<std::string> mpich_order(const topo::Topology& topology, const Solution& solution) {
  std::vector<const RankPlace*> places;
  std::vector<int> ranks_on(topology.hosts.size(), 0);
  for (const auto& place : solution.placement) {
    places.push_back(&place);
    ++ranks_on[ix(place.seat.host)];
  }
  // Seats are filled host after host, so many on each: only the last may have fewer.
  std::vector<int> used;
  for (int h = 0; h < count_of(ranks_on); ++h)
    if (ranks_on[ix(h)] > 0) used.push_back(h);
  for (std::size_t i = 1; i < used.size(); ++i) {
    const int here = ranks_on[ix(used[i])], first = ranks_on[ix(used.front())];
    if (here == first || (here < first && i + 1 == used.size())) continue;
    return cannot_say("MPICH_RANK_ORDER",
                      fmt::format("{} on {}, {} on {}, and MPICH puts as many on each host",
                                  counted(first, "rank"), topology.hosts[ix(used.front())].name,
                                  here, topology.hosts[ix(used[i])].name),
                      "use --format hostfile or json");
  }
  std::stable_sort(places.begin(), places.end(), [](const RankPlace* a, const RankPlace* b) {
    return std::pair(a->seat.host, a->local_rank) < std::pair(b->seat.host, b->local_rank);
  });
  std::string text;
  for (std::size_t i = 0; i < places.size(); ++i)
    text += fmt::format("{}{}", places[i]->rank,
                        i + 1 == places.size()                             ? "\n"
                        : places[i]->seat.host != places[i + 1]->seat.host ? ",\n"
                                                                           : ",");
  return text;
}

Result<std::string> deepspeed_hostfile(const topo::Topology& topology, const Solution& solution) {
  const auto cannot = [&](const std::string& why) {
    return cannot_say("a DeepSpeed hostfile", why, "use --format json or env");
  };
  std::string text, include;
  std::vector<bool> seen(topology.hosts.size(), false);
  for (std::size_t i = 0; i < solution.placement.size();) {
    const int host = solution.placement[i].seat.host;
    const auto& name = topology.hosts[ix(host)].name;
    if (seen[ix(host)])
      return cannot(fmt::format("the ranks of {} do not follow each other", name));
    seen[ix(host)] = true;
    std::vector<int> gpus;
    for (; i < solution.placement.size() && solution.placement[i].seat.host == host; ++i) {
      const int gpu = solution.placement[i].seat.slot;
      if (!gpus.empty() && gpu <= gpus.back())
        return cannot(
            fmt::format("rank {} is on GPU {} of {}, behind GPU {}", i, gpu, name, gpus.back()));
      gpus.push_back(gpu);
    }
    text += fmt::format("{} slots={}\n", name,
                        std::max(gpus.back() + 1, count_of(topology.hosts[ix(host)].gpus)));
    include += fmt::format("{}{}:{}", include.empty() ? "" : "@", name, fmt::join(gpus, ","));
  }
  return fmt::format("# deepspeed --hostfile FILE --include {}\n", include) + text;
}

}  // namespace topolaunch::mapping
