// SPDX-License-Identifier: Apache-2.0
#include "mapping/polish.h"

#include <algorithm>
#include <numeric>

#include "mapping/index.h"
#include "mapping/random.h"

namespace topolaunch::mapping {
namespace {

/// Work in members and edges touched; a trial costs one pass over them.
double work_of(Constraints::Effort effort) {
  switch (effort) {
    case Constraints::Effort::fast: return 1e5;
    case Constraints::Effort::standard: return 4e6;
    case Constraints::Effort::best: return 1e8;
  }
  return 0;
}

/// Fewer find nothing among so many pairs.
constexpr int kFewestTrials = 32;

class Polish {
 public:
  Polish(const Problem& problem, Incumbent& best)
      : topology_(problem.topology), pool_(problem.pool), constraints_(problem.constraints), rules_(problem.rules), best_(best) {
    double size = 1;
    for (const auto& group : problem.graph.groups) size += count_of(group.members);
    size += 3.0 * count_of(problem.graph.edges);
    trials_ = static_cast<int>(std::min(2e5, work_of(constraints_.effort) / size));
    movable_.assign(ix(problem.ranks()), true);
    for (const auto& pin : constraints_.pins) movable_[ix(pin.rank)] = false;
  }

  bool run() {
    const auto start = best_.score();
    if (trials_ < kFewestTrials) return false;
    while (trials_ > 0) {
      const bool hosts = swap_hosts();
      const bool ranks = swap_ranks();
      if (!hosts && !ranks) break;
    }
    return better(best_.score(), start, constraints_.objective);
  }

 private:
  bool try_seats(const std::vector<Seat>& seats, const std::vector<int>& moved) {
    if (stopped(constraints_.watch)) trials_ = 0;
    --trials_;
    return rules_.hold(seats, moved) && best_.offer(seats);
  }

  /// Everything on one host against everything on another with as many ranks.
  bool swap_hosts() {
    bool improved = false;
    std::vector<std::vector<int>> on(topology_.hosts.size());
    const auto refresh = [&] {
      for (auto& list : on) list.clear();
      for (int r = 0; r < count_of(best_.seats()); ++r) on[ix(best_.seats()[ix(r)].host)].push_back(r);
    };
    refresh();
    for (int a = 0; a < count_of(on) && trials_ > 0; ++a)
      for (int b = a + 1; b < count_of(on) && trials_ > 0; ++b) {
        if (on[ix(a)].empty() || on[ix(a)].size() != on[ix(b)].size() || !free(on[ix(a)]) || !free(on[ix(b)])) continue;
        auto seats = best_.seats();
        for (std::size_t i = 0; i < on[ix(a)].size(); ++i)
          std::swap(seats[ix(on[ix(a)][i])], seats[ix(on[ix(b)][i])]);
        auto moved = on[ix(a)];
        moved.insert(moved.end(), on[ix(b)].begin(), on[ix(b)].end());
        if (try_seats(seats, moved)) refresh(), improved = true;
      }
    return improved;
  }

  bool free(const std::vector<int>& ranks) const {
    return std::all_of(ranks.begin(), ranks.end(), [&](int r) { return movable_[ix(r)]; });
  }

  /// Pairs of ranks, and ranks with free seats: all of them while the trials last, in a random order.
  bool swap_ranks() {
    const int n = constraints_.ranks;
    bool improved = false;
    Random random(constraints_.seed);
    const std::int64_t pairs = static_cast<std::int64_t>(n) * (n - 1) / 2;
    const auto attempt = [&](int a, int b) {
      if (a == b || !movable_[ix(a)] || !movable_[ix(b)]) return;
      auto seats = best_.seats();
      std::swap(seats[ix(a)], seats[ix(b)]);
      improved = try_seats(seats, {a, b}) || improved;
    };
    if (pairs <= trials_) {
      for (int a = 0; a < n && trials_ > 0; ++a)
        for (int b = a + 1; b < n && trials_ > 0; ++b) attempt(a, b);
    } else {
      for (int left = trials_; left > 0 && trials_ > 0; --left)
        attempt(static_cast<int>(random.below(static_cast<std::uint64_t>(n))),
                static_cast<int>(random.below(static_cast<std::uint64_t>(n))));
    }
    if (count_of(pool_.seats) > n) improved = move_to_free() || improved;
    return improved;
  }

  bool move_to_free() {
    bool improved = false;
    for (int r = 0; r < constraints_.ranks; ++r) {
      if (!movable_[ix(r)]) continue;
      for (const auto& seat : pool_.seats) {
        if (trials_ <= 0) return improved;
        const auto& now = best_.seats();
        if (std::find(now.begin(), now.end(), seat) != now.end()) continue;
        if (seat.host != now[ix(r)].host) {
          const auto there = std::count_if(now.begin(), now.end(), [&](const Seat& s) { return s.host == seat.host; });
          if (there >= pool_.capacity[ix(seat.host)]) continue;
        }
        auto seats = now;
        seats[ix(r)] = seat;
        improved = try_seats(seats, {r}) || improved;
      }
    }
    return improved;
  }

  const topo::Topology& topology_;
  const SeatPool& pool_;
  const Constraints& constraints_;
  const Rules& rules_;
  Incumbent& best_;
  int trials_ = 0;
  std::vector<bool> movable_;
};

}  // namespace

bool polish(const Problem& problem, Incumbent& best) { return Polish(problem, best).run();
}

}  // namespace topolaunch::mapping
