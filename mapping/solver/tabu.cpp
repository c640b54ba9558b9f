// SPDX-License-Identifier: Apache-2.0
#include "mapping/solver/tabu.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "mapping/index.h"

namespace topolaunch::mapping {
namespace {

class Tabu {
 public:
  Tabu(const Dense& flow, const Dense& distance, std::vector<int> place, Random& random)
      : n_(place.size()),
        a_(flow),
        b_(distance),
        p_(std::move(place)),
        random_(random),
        delta_(n_ * n_),
        until_(n_ * n_, 0) {
    symmetric_ = mirrored(a_) && mirrored(b_);
    for (std::size_t i = 0; i < n_ && symmetric_; ++i)
      symmetric_ = a_[i * n_ + i] == 0 || b_[i * n_ + i] == 0;
  }

  std::vector<int> run(std::int64_t iterations, const Watch* watch) {
    best_ = p_;
    best_cost_ = static_cast<std::int64_t>(assignment_cost(a_, b_, p_));
    const std::vector<int> given = p_;
    std::int64_t i = 1;
    bool ended = false;
    for (int descent = 0; i <= iterations && !ended; ++descent) {
      if (descent > 0) begin_again(given);
      start();
      std::fill(until_.begin(), until_.end(), i);
      auto found = cost_;  // the best of this descent
      auto where = p_;
      std::int64_t since = 0;
      // Patience varies: what is right differs by orders of magnitude between instances.
      for (const auto patience = next_patience(iterations); since <= patience && i <= iterations;
           ++i) {
        if (i % 64 == 0 && stopped(watch)) {
          ended = true;
          break;
        }
        step(i);
        ++since;
        if (cost_ < found) found = cost_, where = p_, since = 0;
        if (cost_ < best_cost_) best_cost_ = cost_, best_ = p_;
      }
      keep(found, std::move(where));
    }
    return best_;
  }

 private:
  bool mirrored(const Dense& m) const {
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (m[i * n_ + j] != m[j * n_ + i]) return false;
    return true;
  }
  std::int64_t a(std::size_t i, std::size_t j) const { return a_[i * n_ + j]; }
  std::int64_t b(std::size_t i, std::size_t j) const {
    return b_[static_cast<std::size_t>(p_[i]) * n_ + static_cast<std::size_t>(p_[j])];
  }

  std::int64_t next_patience(std::int64_t iterations) {
    const auto most = static_cast<std::int64_t>(n_ * (4 + random_.below(60)));
    return std::min(most,
                    std::max<std::int64_t>(static_cast<std::int64_t>(n_) * 2, iterations / 100));
  }

  void start() {
    cost_ = static_cast<std::int64_t>(assignment_cost(a_, b_, p_));
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = i + 1; j < n_; ++j) delta_[i * n_ + j] = full_delta(i, j);
  }

  /// Where the next descent starts: anywhere while there are few elites, then where two of them
  /// meet, or from one of them with some ranks shuffled.
  void begin_again(const std::vector<int>& given) {
    if (elite_.size() < kElites) {
      p_ = elite_.empty() || random_.below(2) == 0 ? given : elite_.front().place;
      shuffle(n_);
      return;
    }
    const auto one = random_.below(elite_.size());
    p_ = elite_[one].place;
    if (random_.below(100) < kCrossed)
      cross(elite_[(one + 1 + random_.below(elite_.size() - 1)) % elite_.size()].place);
    else
      shuffle(3 + random_.below(std::max<std::uint64_t>(2, n_ / 2)));
  }

  /// `count` ranks trade places at random.
  void shuffle(std::uint64_t count) {
    std::size_t hole = random_.below(n_);
    for (std::uint64_t k = 0; k < count; ++k) {
      const std::size_t other = random_.below(n_);
      std::swap(p_[hole], p_[other]);
      hole = other;
    }
  }

  /// Uniform crossover: each rank where one of the two has it, where neither can be anywhere that
  /// is left.
  void cross(const std::vector<int>& other) {
    std::vector<char> taken(n_, 0);
    std::vector<int> child(n_, -1);
    const auto settle = [&](std::size_t rank, int place) {
      if (child[rank] >= 0 || taken[static_cast<std::size_t>(place)]) return;
      child[rank] = place;
      taken[static_cast<std::size_t>(place)] = 1;
    };
    for (std::size_t rank = 0; rank < n_; ++rank)
      if (p_[rank] == other[rank]) settle(rank, p_[rank]);
    for (std::size_t rank = 0; rank < n_; ++rank)
      settle(rank, random_.below(2) == 0 ? p_[rank] : other[rank]);
    for (std::size_t rank = 0; rank < n_; ++rank) settle(rank, p_[rank]), settle(rank, other[rank]);
    std::vector<int> left;
    for (std::size_t place = 0; place < n_; ++place)
      if (!taken[place]) left.push_back(static_cast<int>(place));
    for (int& place : child) {
      if (place >= 0) continue;
      std::swap(left[random_.below(left.size())], left.back());
      place = left.back();
      left.pop_back();
    }
    p_ = std::move(child);
  }

  /// The best that descents ended in, different from each other.
  void keep(std::int64_t cost, std::vector<int> place) {
    for (auto& known : elite_)
      if (known.cost == cost) {
        known.place = std::move(place);
        return;
      }
    if (elite_.size() < kElites) {
      elite_.push_back({cost, std::move(place)});
      return;
    }
    const auto worst = std::ranges::max_element(elite_, {}, &Elite::cost);
    if (cost <= worst->cost) *worst = {cost, std::move(place)};
  }

  std::int64_t full_delta(std::size_t r, std::size_t s) const {
    std::int64_t sum = 0;
    if (symmetric_) {
      for (std::size_t k = 0; k < n_; ++k)
        if (k != r && k != s) sum += (a(k, r) - a(k, s)) * (b(k, s) - b(k, r));
      return 2 * sum;
    }
    sum = (a(r, r) - a(s, s)) * (b(s, s) - b(r, r)) + (a(r, s) - a(s, r)) * (b(s, r) - b(r, s));
    for (std::size_t k = 0; k < n_; ++k)
      if (k != r && k != s)
        sum +=
            (a(k, r) - a(k, s)) * (b(k, s) - b(k, r)) + (a(r, k) - a(s, k)) * (b(s, k) - b(r, k));
    return sum;
  }

  void step(std::int64_t now) {
    constexpr auto kNone = std::numeric_limits<std::int64_t>::max();
    std::int64_t least = kNone;
    std::size_t r = 0, s = 0;
    const std::int64_t aspired =
        now - static_cast<std::int64_t>(n_ * n_) * 5;  // long unused: taken whatever it costs
    bool forced = false;
    for (std::size_t i = 0; i < n_; ++i) {
      const auto* row = &delta_[i * n_];
      for (std::size_t j = i + 1; j < n_; ++j) {
        const auto there = until_[i * n_ + static_cast<std::size_t>(p_[j])],
                   back = until_[j * n_ + static_cast<std::size_t>(p_[i])];
        const bool tabu = there >= now && back >= now;
        const bool long_ago = there < aspired && back < aspired;
        if (forced && !long_ago) continue;
        if ((long_ago && !forced) || (row[j] < least && (!tabu || cost_ + row[j] < best_cost_))) {
          forced = forced || long_ago;
          least = row[j];
          r = i;
          s = j;
        }
      }
    }
    if (least == kNone) return;
    const auto span = static_cast<std::uint64_t>(n_) / 5 + 1;
    const auto tenure = [&] {
      return now + static_cast<std::int64_t>(9 * n_ / 10 + random_.below(span));
    };
    until_[r * n_ + static_cast<std::size_t>(p_[r])] = tenure();
    until_[s * n_ + static_cast<std::size_t>(p_[s])] = tenure();
    cost_ += least;
    std::swap(p_[r], p_[s]);
    update(r, s);
  }

  /// After r and s have changed places.
  void update(std::size_t r, std::size_t s) {
    ar_.resize(n_), br_.resize(n_), al_.resize(n_), bl_.resize(n_);
    for (std::size_t k = 0; k < n_; ++k) {
      ar_[k] = a(r, k) - a(s, k), br_[k] = b(s, k) - b(r, k);
      if (!symmetric_) al_[k] = a(k, r) - a(k, s), bl_[k] = b(k, s) - b(k, r);
    }
    for (std::size_t i = 0; i < n_; ++i) {
      if (i == r || i == s) continue;
      auto* row = &delta_[i * n_];
      if (symmetric_) {
        for (std::size_t j = i + 1; j < n_; ++j)
          row[j] += 2 * (ar_[i] - ar_[j]) * (br_[i] - br_[j]);
      } else {
        for (std::size_t j = i + 1; j < n_; ++j)
          row[j] += (ar_[i] - ar_[j]) * (br_[i] - br_[j]) + (al_[i] - al_[j]) * (bl_[i] - bl_[j]);
      }
    }
    for (std::size_t k = 0; k < n_; ++k) {
      if (k != r)
        delta_[std::min(k, r) * n_ + std::max(k, r)] = full_delta(std::min(k, r), std::max(k, r));
      if (k != s)
        delta_[std::min(k, s) * n_ + std::max(k, s)] = full_delta(std::min(k, s), std::max(k, s));
    }
  }

  struct Elite {
    std::int64_t cost;
    std::vector<int> place;
  };
  static constexpr std::size_t kElites = 8;
  static constexpr std::uint64_t kCrossed = 60;  ///< of 100 descents, where elites meet

  std::vector<Elite> elite_;
  std::size_t n_;
  const Dense& a_;
  const Dense& b_;
  std::vector<int> p_, best_;
  Random& random_;
  std::vector<std::int64_t> delta_, until_;  ///< [i][j]; until when i may not go back to a place
  std::vector<std::int64_t> ar_, br_, al_, bl_;
  std::int64_t cost_ = 0, best_cost_ = 0;
  bool symmetric_ = false;
};

}  // namespace

Wide assignment_cost(const Dense& flow, const Dense& distance, const std::vector<int>& place) {
  const std::size_t n = place.size();
  Wide sum = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      sum += static_cast<Wide>(flow[i * n + j]) * distance[ix(place[i]) * n + ix(place[j])];
  return sum;
}

std::vector<int> robust_tabu(const Dense& flow, const Dense& distance, std::vector<int> place,
                             std::int64_t iterations, Random& random, const Watch* watch) {
  if (place.size() < 2) return place;
  return Tabu(flow, distance, std::move(place), random).run(iterations, watch);
}

std::vector<int> tabu_on_tree(const CommGraph& graph, const PlaceTree& tree,
                              const std::vector<int>& place, std::int64_t iterations,
                              Random& random, const Watch* watch) {
  const auto n = ix(graph.n);
  std::int64_t farthest = 1;
  for (const auto d : tree.distance) farthest = std::max(farthest, d);
  // Weights that would overflow lose their last bits here; the result is compared exactly.
  int shift = 0;
  while ((graph.total() >> shift) * 8 * farthest > (Wide{1} << 61)) ++shift;
  Dense flow(n * n, 0), distance(n * n, 0);
  for (int v = 0; v < graph.n; ++v)
    for (std::size_t e = graph.first[ix(v)]; e < graph.first[ix(v) + 1]; ++e)
      flow[ix(v) * n + ix(graph.to[e])] += graph.weight[e] >> shift;
  for (int p = 0; p < tree.places; ++p)
    for (int q = 0; q < tree.places; ++q)
      if (p != q) distance[ix(p) * n + ix(q)] = tree.distance[ix(tree.level_between(p, q))];
  auto found = robust_tabu(flow, distance, place, iterations, random, watch);
  return hop_bytes(graph, tree, found) < hop_bytes(graph, tree, place) ? found : place;
}

}  // namespace topolaunch::mapping
