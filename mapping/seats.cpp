// SPDX-License-Identifier: Apache-2.0
#include "mapping/seats.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/counted.h"
#include "mapping/index.h"
#include "mapping/narrowing.h"
#include "mapping/pins.h"
#include "mapping/seat_count.h"

namespace topolaunch::mapping {
namespace {

int host_index(const topo::Topology& topology, const std::string& name) {
  for (int h = 0; h < count_of(topology.hosts); ++h)
    if (topology.hosts[ix(h)].name == name) return h;
  return -1;
}

tl::unexpected<Error> no_such_host(const topo::Topology& topology, const std::string& option) {
  std::string known;
  for (int h = 0; h < std::min(count_of(topology.hosts), 4); ++h)
    known += (h ? " " : "") + topology.hosts[ix(h)].name;
  if (topology.hosts.size() > 4) known += fmt::format(" ... ({} in all)", topology.hosts.size());
  return fail(Code::wrong_usage, option + ": no host of that name", "hosts: " + known);
}

struct PinPlace {
  int rank, host, gpu;
};

Result<std::vector<PinPlace>> resolve_pins(const topo::Topology& topology, const Constraints& constraints) {
  std::vector<PinPlace> places;
  std::set<int> ranks;
  for (const auto& pin : constraints.pins) {
    const auto text = pin.gpu >= 0 ? fmt::format("--pin {}={}:{}", pin.rank, pin.host, pin.gpu)
                                   : fmt::format("--pin {}={}", pin.rank, pin.host);
    if (pin.rank < 0 || pin.rank >= constraints.ranks)
      return fail(Code::wrong_usage,
                  fmt::format("{}: ranks are 0 to {}", text, constraints.ranks - 1));
    const int host = host_index(topology, pin.host);
    if (host < 0) return no_such_host(topology, text);
    if (pin.gpu >= count_of(topology.hosts[ix(host)].gpus))
      return fail(Code::wrong_usage,
                  fmt::format("{}: {} has {}", text, pin.host,
                              counted(count_of(topology.hosts[ix(host)].gpus), "GPU")));
    if (!ranks.insert(pin.rank).second)
      return fail(Code::wrong_usage, fmt::format("{}: rank {} is pinned twice", text, pin.rank));
    places.push_back({pin.rank, host, pin.gpu});
  }
  return places;
}

/// A GPU takes as many pinned ranks as it has seats.
Status check_gpu_pins(const topo::Topology& topology, const SeatPool& pool, const std::vector<PinPlace>& pins) {
  std::map<std::pair<int, int>, int> room;
  for (const auto& pin : pins)
    if (pin.gpu >= 0) room[{pin.host, pin.gpu}] = 0;
  if (room.empty()) return {};
  for (const auto& seat : pool.seats)
    if (const auto found = room.find({seat.host, seat.gpu}); found != room.end()) ++found->second;
  for (const auto& pin : pins)
    if (pin.gpu >= 0 && --room[{pin.host, pin.gpu}] < 0)
      return fail(Code::infeasible, fmt::format("more ranks are pinned to {}:{} than it takes",
                                                topology.hosts[ix(pin.host)].name, pin.gpu));
  return {};
}

std::string removed_text(const topo::Topology& topology, const Constraints& constraints) {
  std::vector<std::string> parts;
  if (!constraints.excluded_hosts.empty())
    parts.push_back(fmt::format("--exclude {}", fmt::join(constraints.excluded_hosts, ",")));
  if (!constraints.excluded_gpus.empty())
    parts.push_back(fmt::format("{} masked or busy", counted(count_of(constraints.excluded_gpus), "GPU")));
  if (!constraints.slots_per_host.empty()) parts.push_back("slots per host as given");
  (void)topology;
  return parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, "; "));
}

/// "1 host with 8 GPUs", "4 hosts with 32 GPUs", "1 host without GPUs, 2 CPUs allowed"
std::string machine_text(const topo::Topology& topology) {
  int gpus = 0, cpus = 0;
  for (const auto& host : topology.hosts) {
    gpus += count_of(host.gpus);
    cpus += host.allowed_cpus.size();
  }
  const auto hosts = counted(count_of(topology.hosts), "host");
  if (gpus > 0) return fmt::format("{} with {}", hosts, counted(gpus, "GPU"));
  return fmt::format("{} without GPUs, {} allowed", hosts, counted(cpus, "CPU"));
}

}  // namespace

int SeatPool::total() const { return std::accumulate(capacity.begin(), capacity.end(), 0); }

Result<SeatPool> seat_pool(const topo::Topology& topology, const Constraints& constraints,
                           const NarrowingChoice& choice) {
  if (constraints.ranks < 1) return fail(Code::wrong_usage, "at least one rank is needed");
  if (topology.hosts.empty())
    return fail(Code::infeasible, fmt::format("{}, no host", counted(constraints.ranks, "rank")));
  for (const auto& name : constraints.excluded_hosts)
    if (host_index(topology, name) < 0) return no_such_host(topology, "--exclude " + name);
  const auto pins = resolve_pins(topology, constraints);
  if (!pins) return fail(pins.error());

  SeatPool pool;
  std::vector<std::vector<int>> gpus(topology.hosts.size());
  const auto free = free_seats(topology, constraints);
  for (int h = 0; h < count_of(topology.hosts); ++h) {
    gpus[ix(h)] = gpu_seats(topology, constraints, h);
    const int slots = h < count_of(constraints.slots_per_host) ? constraints.slots_per_host[ix(h)] : free[ix(h)];
    pool.capacity.push_back(free[ix(h)] > 0 ? std::max(0, slots) : 0);
  }
  const int ranks = constraints.ranks;
  if (pool.total() < ranks)
    return fail(Code::infeasible,
                fmt::format("{}, {}: {}{}", counted(ranks, "rank"), counted(pool.total(), "seat"),
                            machine_text(topology), removed_text(topology, constraints)),
                pool.total() > 0 ? fmt::format("use -n {} or less", pool.total()) : "");

  std::vector<int> pinned_here(topology.hosts.size(), 0);
  for (const auto& pin : *pins) {
    const auto& name = topology.hosts[ix(pin.host)].name;
    if (pin.gpu >= 0 &&
        std::find(gpus[ix(pin.host)].begin(), gpus[ix(pin.host)].end(), pin.gpu) == gpus[ix(pin.host)].end())
      return fail(Code::infeasible,
                  fmt::format("rank {} is pinned to {}:{}, which is masked or busy", pin.rank, name, pin.gpu));
    if (++pinned_here[ix(pin.host)] > pool.capacity[ix(pin.host)])
      return fail(
          Code::infeasible,
          fmt::format("{} {} to {}, which has {}{}", counted(pinned_here[ix(pin.host)], "rank"),
                      choice.fixed, name, counted(pool.capacity[ix(pin.host)], "seat"),
                      removed_text(topology, constraints)));
  }

  std::vector<int> pinned;
  for (const auto& pin : *pins) pinned.push_back(pin.host);
  pool.before_levels = pool.capacity;
  if (auto status = narrow(topology, constraints, pinned, choice, pool); !status) return fail(status.error());

  for (int h = 0; h < count_of(topology.hosts); ++h) {
    const int room = pool.capacity[ix(h)];
    if (room == 0) continue;
    const auto& usable = gpus[ix(h)];
    if (usable.empty()) {
      for (int s = 0; s < room; ++s) pool.seats.push_back({h, -1, s});
      continue;
    }
    // The first seat of a GPU has the GPU's number, further ones count on behind all GPUs. With more
    // slots than seats, as the user asked, ranks share seats in turn.
    int further = count_of(topology.hosts[ix(h)].gpus), last = -1;
    const int seats = std::max(room, count_of(usable));
    for (int s = 0; s < seats; ++s) {
      const int g = usable[ix(s % count_of(usable))];
      const bool first = s < count_of(usable) && g != last;
      pool.seats.push_back({h, g, first ? g : further++});
      last = g;
    }
  }
  if (const Status ok = check_gpu_pins(topology, pool, *pins); !ok) return fail(ok.error());
  return pool;
}

std::vector<Seat> given_seats(const topo::Topology& topology, const SeatPool& pool,
                              const Constraints& constraints) {
  std::vector<int> left = pool.capacity;
  std::vector<Seat> seats;
  seats.reserve(ix(constraints.ranks));
  for (const auto& seat : pool.seats) {
    if (count_of(seats) == constraints.ranks) break;
    if (left[ix(seat.host)]-- > 0) seats.push_back(seat);
  }
  apply_pins(topology, pool, constraints, seats);
  return seats;
}

namespace {

/// The slots of a pool, host by host: one pass to build, a search among one host's to find.
class SlotTable {
 public:
  SlotTable(const SeatPool& pool, std::size_t hosts) : first_(hosts + 1, 0), slots_(pool.seats.size()) {
    for (const auto& seat : pool.seats) ++first_[ix(seat.host) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    auto next = first_;
    for (const auto& seat : pool.seats) slots_[next[ix(seat.host)]++] = seat.slot;
    for (std::size_t h = 0; h < hosts; ++h) {
      const auto begin = slots_.begin() + static_cast<std::ptrdiff_t>(first_[h]);
      const auto end = slots_.begin() + static_cast<std::ptrdiff_t>(first_[h + 1]);
      if (!std::is_sorted(begin, end)) std::sort(begin, end);
    }
    taken_.assign(slots_.size(), 0);
  }
  std::size_t none() const { return slots_.size(); }
  /// Position of the seat's slot; none() if the pool has no such seat.
  std::size_t find(const Seat& seat) const {
    if (seat.host < 0 || ix(seat.host) + 1 >= first_.size()) return none();
    const auto begin = slots_.begin() + static_cast<std::ptrdiff_t>(first_[ix(seat.host)]);
    const auto end = slots_.begin() + static_cast<std::ptrdiff_t>(first_[ix(seat.host) + 1]);
    const auto at = std::lower_bound(begin, end, seat.slot);
    return at != end && *at == seat.slot ? static_cast<std::size_t>(at - slots_.begin()) : none();
  }
  /// Whether it was free.
  bool take(std::size_t slot) { return std::exchange(taken_[slot], 1) == 0; }

 private:
  std::vector<std::size_t> first_;  ///< by host
  std::vector<int> slots_;
  std::vector<char> taken_;
};

}  // namespace

std::string placement_fault(const topo::Topology& topology, const SeatPool& pool,
                            const Constraints& constraints, const std::vector<Seat>& seats) {
  if (count_of(seats) != constraints.ranks)
    return fmt::format("{} seats for {}", seats.size(), counted(constraints.ranks, "rank"));
  SlotTable slots(pool, topology.hosts.size());
  std::vector<int> left = pool.capacity;
  bool twice = false;
  for (int r = 0; r < count_of(seats); ++r) {
    const auto& seat = seats[ix(r)];
    const auto slot = slots.find(seat);
    if (slot == slots.none())
      return fmt::format("rank {} is on host {} slot {}, which is no seat", r, seat.host, seat.slot);
    if (left[ix(seat.host)]-- <= 0)
      return fmt::format("host {} takes {} ranks, and more are placed there", topology.hosts[ix(seat.host)].name,
                         pool.capacity[ix(seat.host)]);
    twice = twice || !slots.take(slot);
  }
  if (twice) return "two ranks have one seat";
  for (const auto& pin : constraints.pins) {
    const auto& seat = seats[ix(pin.rank)];
    if (topology.hosts[ix(seat.host)].name != pin.host || (pin.gpu >= 0 && seat.gpu != pin.gpu))
      return fmt::format("rank {} is not on its pin", pin.rank);
  }
  return {};
}

}  // namespace topolaunch::mapping
