// SPDX-License-Identifier: Apache-2.0
#include "mapping/reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "mapping/crossings.h"
#include "mapping/host_model.h"
#include "mapping/index.h"
#include "mapping/levels.h"

namespace topolaunch::mapping {
namespace {

bool whole_world(const RankGraph& graph) {
  return graph.edges.empty() && std::all_of(graph.groups.begin(), graph.groups.end(), [&](const Group& group) {
    return count_of(group.members) == graph.ranks && group.collective != Collective::ring &&
           group.collective != Collective::path;
  });
}

bool all_gpus_switched(const topo::Topology& topology) {
  return std::all_of(topology.hosts.begin(), topology.hosts.end(), [](const topo::Host& host) {
    return !host.gpus.empty() && std::all_of(host.gpus.begin(), host.gpus.end(), [](const topo::Gpu& gpu) {
      return std::any_of(gpu.links.begin(), gpu.links.end(),
                         [](const topo::GpuLink& link) { return link.to == topo::GpuLink::To::nvswitch; });
    });
  });
}

std::string why_no_gain(const topo::Topology& topology, const SeatPool& pool, const RankGraph& graph,
                        const Constraints& constraints) {
  if (graph.ranks < 2) return "no gain possible: one rank has nobody to talk to";
  if (graph.groups.empty() && graph.edges.empty()) return "no gain possible: the ranks exchange nothing";
  std::set<int> used;
  for (const auto& seat : pool.seats) used.insert(seat.host);
  const bool one_host = used.size() == 1;
  const bool gpus = !pool.seats.empty() && pool.seats.front().gpu >= 0;
  const bool all_seats = count_of(pool.seats) == graph.ranks;
  if (one_host && !gpus)
    return "no gain possible: one host without GPUs, where ranks reach each other through the same memory";
  if (whole_world(graph) && all_gpus_switched(topology)) {
    const auto levels = fabric_levels(topology);
    if (one_host)
      return "no gain possible: NCCL orders the ranks of a host by itself, and behind NVSwitch all GPUs are "
             "equally near";
    if (levels.levels.size() == 1)
      return "no gain possible: NCCL orders the ranks of a host by itself, behind NVSwitch all GPUs are equally "
             "near, and no source says how the hosts are wired";
  }
  if (whole_world(graph) && one_host && gpus && all_seats)
    return "no gain possible: all GPUs of the host take part, and NCCL finds the same rings whatever the order "
           "of ranks";
  if (!constraints.pins.empty() && count_of(constraints.pins) == graph.ranks)
    return "no gain possible: every rank is pinned";
  return "no gain possible: no placement that was tried is better than the given order";
}

/// Ranks that share a host, as one number per rank.
std::vector<int> partition(const std::vector<Seat>& seats) {
  std::unordered_map<int, int> first;
  std::vector<int> result;
  for (int r = 0; r < count_of(seats); ++r) result.push_back(first.emplace(seats[ix(r)].host, r).first->second);
  return result;
}

std::vector<int> host_order(const std::vector<Seat>& seats) {
  std::vector<int> order;
  std::unordered_set<int> seen;
  for (const auto& seat : seats)
    if (seen.insert(seat.host).second) order.push_back(seat.host);
  return order;
}

/// Sorted.
std::vector<std::pair<int, int>> used_seats(const std::vector<Seat>& seats) {
  std::vector<std::pair<int, int>> used;
  for (const auto& seat : seats) used.emplace_back(seat.host, seat.slot);
  std::sort(used.begin(), used.end());
  return used;
}

std::string gpu_list(const topo::Topology& topology, const std::vector<Seat>& seats) {
  std::map<int, std::vector<int>> by_host;
  for (const auto& seat : seats)
    if (seat.gpu >= 0) by_host[seat.host].push_back(seat.gpu);
  std::string text;
  int shown = 0;
  for (auto& [host, gpus] : by_host) {
    if (shown++ == 4) return text + fmt::format(" ... ({} hosts)", by_host.size());
    std::sort(gpus.begin(), gpus.end());
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", topology.hosts[ix(host)].name, fmt::join(gpus, ","));
  }
  return text;
}

/// ": 4 of 4 tp groups inside one, 0 before", of the dimension that gains most; empty if none does.
std::string gained_inside(const topo::Topology& topology, const RankGraph& graph, const std::vector<Seat>& given,
                          const std::vector<Seat>& seats) {
  std::string text;
  int most = 0;
  for (const auto& crossing : crossings(topology, graph, given, seats)) {
    const auto inside = std::ranges::find(crossing.places, "inside a host", &Crossing::Place::name);
    if (inside == crossing.places.end() || inside->solved - inside->given <= most) continue;
    most = inside->solved - inside->given;
    text = fmt::format(": {} of {} {} groups inside one, {} before", inside->solved, crossing.groups,
                       crossing.dimension, inside->given);
  }
  return text;
}

/// Steps from each rank to the next that cross something, by the outermost level: lower is nearer.
double steps_across(const Levels& levels, const std::vector<Seat>& seats) {
  double sum = 0;
  for (std::size_t r = 1; r < seats.size(); ++r)
    if (seats[r].host != seats[r - 1].host) sum += 1 + levels.crossing(seats[r - 1].host, seats[r].host);
  return sum;
}

/// Why other hosts, or the same in another order; empty where another reason says it.
std::string why_hosts(const topo::Topology& topology, const std::vector<Seat>& given, const std::vector<Seat>& seats) {
  auto before = host_order(given), after = host_order(seats);
  if (std::find(before.begin(), before.end(), -1) != before.end()) return {};
  std::vector<int> left_out, instead;
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  std::set_difference(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(left_out));
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(instead));
  const auto names = [&](const std::vector<int>& hosts) {
    std::string text;
    for (std::size_t i = 0; i < hosts.size() && i < 4; ++i) text += (i ? " " : "") + topology.hosts[ix(hosts[i])].name;
    return hosts.size() > 4 ? text + fmt::format(" ... ({} hosts)", hosts.size()) : text;
  };
  if (!instead.empty() && !left_out.empty()) return fmt::format("on {} in place of {}", names(instead), names(left_out));
  if (!instead.empty()) return fmt::format("on {} too", names(instead));
  if (!left_out.empty()) return fmt::format("not on {}", names(left_out));
  const auto levels = fabric_levels(topology);
  if (steps_across(levels, seats) < steps_across(levels, given))
    return "hosts follow the fabric, so that neighbours in rank order are near";
  return "hosts in another order, so that ranks that talk much are near";
}

/// Hosts whose way out no source gives, where the job crosses between hosts.
std::string assumed_rates(const topo::Topology& topology, const Solution& solution) {
  std::set<int> used;
  for (const auto& place : solution.placement) used.insert(place.seat.host);
  if (used.size() < 2 || solution.solution.seconds.count() <= 0) return {};
  std::string first;
  std::size_t unknown = 0;
  for (const int h : used) {
    if (host_rate(topology, h).known()) continue;
    if (unknown++ == 0) first = topology.hosts[ix(h)].name;
  }
  if (unknown == 0) return {};
  return fmt::format("no source says how fast the network of {}{} is: 10 Gb/s assumed (--link-rate host=RATE)", first,
                     unknown > 1 ? fmt::format(" and {} more", unknown - 1) : "");
}

void find_changes(const topo::Topology& topology, const RankGraph& graph, const std::vector<Seat>& given,
                  const std::vector<Seat>& seats, Solution& solution) {
  auto& changes = solution.changes;
  const bool other_seats = used_seats(given) != used_seats(seats);
  const bool other_groups = partition(given) != partition(seats);
  const bool other_hosts = host_order(given) != host_order(seats);
  if (other_seats) {
    const bool gpus = std::any_of(seats.begin(), seats.end(), [](const Seat& s) { return s.gpu >= 0; });
    changes.push_back("gpu-choice");
    if (gpus) solution.reasons.push_back(fmt::format("GPUs used: {}", gpu_list(topology, seats)));
  }
  if (other_groups) {
    changes.push_back("groups");
    solution.reasons.push_back("other ranks share a host" + gained_inside(topology, graph, given, seats));
  }
  if (other_hosts) {
    changes.push_back("host-order");
    auto reason = why_hosts(topology, given, seats);
    if (!reason.empty()) solution.reasons.push_back(std::move(reason));
  }
  bool bound = false;
  for (const auto& place : solution.placement) {
    const auto& host = topology.hosts[ix(place.seat.host)];
    const auto& all = host.allowed_cpus.empty() ? host.cpus : host.allowed_cpus;
    bound = bound || (!place.affinity.cpus.empty() && !(place.affinity.cpus == all));
  }
  if (bound) changes.push_back("affinity");
  if (given != seats && !other_seats && !other_groups && !other_hosts) {
    changes.push_back("rank-order");
    solution.reasons.push_back("ranks of a host sit on other GPUs of it, so that partners are linked");
  }
}

void affinity_reasons(const topo::Topology& topology, Solution& solution) {
  // One sentence for every kind of note, with the ranks it holds for.
  std::map<std::string, std::vector<int>> notes;
  for (const auto& place : solution.placement)
    if (!place.affinity.note.empty()) notes[place.affinity.note].push_back(place.rank);
  for (const auto& [note, ranks] : notes)
    solution.reasons.push_back(ranks.size() == 1 ? fmt::format("rank {}: {}", ranks.front(), note)
                                                 : fmt::format("ranks {}{}: {}", fmt::join(ranks.begin(), ranks.begin() + std::min<std::ptrdiff_t>(8, std::ssize(ranks)), ","),
                                                               ranks.size() > 8 ? fmt::format(",... ({} ranks)", ranks.size()) : "", note));
  (void)topology;
}

}  // namespace

void explain(const topo::Topology& topology, const SeatPool& pool, const RankGraph& graph,
             const Constraints& constraints, const std::vector<Seat>& given, Solution& solution) {
  std::vector<Seat> seats;
  for (const auto& place : solution.placement) seats.push_back(place.seat);

  const double before = solution.given.seconds.count(), after = solution.solution.seconds.count();
  const bool timed = before > 0 || after > 0;
  const bool by_time = timed && constraints.objective == Constraints::Objective::time;
  const double better_by = by_time ? before - after : solution.given.hop_bytes - solution.solution.hop_bytes;
  const double whole = by_time ? before : solution.given.hop_bytes;
  solution.gain.seconds = Seconds(before - after);
  solution.gain.possible = given != seats && better_by > 1e-9 * whole;
  if (solution.gain.possible) {
    if (by_time)
      solution.gain.why = fmt::format("{} of communication a step instead of {} ({:.2f}x)", to_text(Seconds(after)),
                                      to_text(Seconds(before)), after > 0 ? before / after : 0.0);
    else
      solution.gain.why = fmt::format("{:.4g} hop-bytes instead of {:.4g} ({:.2f}x)", solution.solution.hop_bytes,
                                      solution.given.hop_bytes,
                                      solution.solution.hop_bytes > 0
                                          ? solution.given.hop_bytes / solution.solution.hop_bytes
                                          : 0.0);
  } else {
    const bool known = std::all_of(given.begin(), given.end(), [](const Seat& seat) { return seat.host >= 0; });
    solution.gain.why = !known ? "the old placement has a host that is not in this topology: nothing to compare with"
                        : given == seats ? why_no_gain(topology, pool, graph, constraints)
                        : solution.solution.hop_bytes < solution.given.hop_bytes
                            ? "no gain possible in time; bytes travel less far at the same time"
                            : "no gain possible in time";
  }
  find_changes(topology, graph, given, seats, solution);
  for (const auto* notes : {&pool.notes, &pool.unmet})
    solution.reasons.insert(solution.reasons.end(), notes->begin(), notes->end());
  if (auto note = assumed_rates(topology, solution); !note.empty()) solution.reasons.push_back(std::move(note));
  affinity_reasons(topology, solution);
}

}  // namespace topolaunch::mapping
