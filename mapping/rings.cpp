// SPDX-License-Identifier: Apache-2.0
#include "mapping/rings.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "mapping/index.h"

namespace topolaunch::mapping {
namespace {

constexpr int kWork = 3000;  ///< steps of the search for one speed; a whole DGX-1V needs a few hundred

/// One hop of a ring or chain; the first entry's is the one that closes a ring.
struct Hop {
  int to, via;  ///< via -1 = over the link
};

/// Depth-first packing of Hamiltonian rings (or chains) into unit slots left[i][j].
class Packer {
 public:
  Packer(std::vector<std::vector<int>> slots, bool ring, bool detours)
      : left_(std::move(slots)), ring_(ring), detours_(detours) {
    n_ = count_of(left_);
    // No more rings than the GPU with the fewest slots has, in or out.
    bound_ = 1 << 20;
    if (ring_) {
      for (int i = 0; i < n_; ++i) {
        int out = 0, in = 0;
        for (int j = 0; j < n_; ++j) out += left_[ix(i)][ix(j)], in += left_[ix(j)][ix(i)];
        bound_ = std::min({bound_, out, in});
      }
    } else {
      int total = 0;
      for (const auto& row : left_)
        for (const int s : row) total += s;
      bound_ = n_ > 1 ? total / (n_ - 1) : 0;
    }
  }

  const std::vector<std::vector<Hop>>& run() {
    next_ring();
    return best_;
  }
  /// No more can be had, or no more work may be done.
  bool enough() const { return count_of(best_) >= bound_ || work_ > kWork; }

 private:
  void next_ring() {
    if (count_of(found_) > count_of(best_)) best_ = found_;
    if (enough()) return;
    // A chain may begin anywhere, a ring begins at 0.
    for (int start = 0; start < (ring_ ? 1 : n_); ++start) {
      std::vector<Hop> path = {{start, -1}};
      std::vector<bool> seen(ix(n_), false);
      seen[ix(start)] = true;
      extend(path, seen);
      if (enough()) return;
    }
  }

  /// Takes (or with -1 gives back) one slot of the hop a -> b, through `via` where that is not -1.
  void take(int a, int b, int via, int slots) {
    if (via < 0) {
      left_[ix(a)][ix(b)] -= slots;
    } else {
      left_[ix(a)][ix(via)] -= slots;
      left_[ix(via)][ix(b)] -= slots;
    }
  }

  /// Ways from a to b: the link, else through one other GPU. -1 stands for the link.
  std::vector<int> ways(int a, int b) const {
    if (left_[ix(a)][ix(b)] > 0) return {-1};
    std::vector<int> result;
    for (int k = 0; detours_ && k < n_; ++k)
      if (k != a && k != b && left_[ix(a)][ix(k)] > 0 && left_[ix(k)][ix(b)] > 0) result.push_back(k);
    return result;
  }

  void extend(std::vector<Hop>& path, std::vector<bool>& seen) {
    if (++work_ > kWork) return;
    const int at = path.back().to;
    if (count_of(path) == n_) {
      if (!ring_) return close(path);
      const int start = path.front().to;
      for (const int via : ways(at, start)) {
        take(at, start, via, 1);
        path.front().via = via;
        close(path);
        take(at, start, via, -1);
        if (enough()) return;
      }
      return;
    }
    // Links with most room first: double links carry a ring of their own speed. Detours last.
    std::vector<int> next;
    for (int j = 0; j < n_; ++j)
      if (!seen[ix(j)]) next.push_back(j);
    std::stable_sort(next.begin(), next.end(),
                     [&](int a, int b) { return left_[ix(at)][ix(a)] > left_[ix(at)][ix(b)]; });
    for (const int j : next)
      for (const int via : ways(at, j)) {
        take(at, j, via, 1);
        seen[ix(j)] = true;
        path.push_back({j, via});
        extend(path, seen);
        path.pop_back();
        seen[ix(j)] = false;
        take(at, j, via, -1);
        if (enough()) return;
      }
  }

  void close(const std::vector<Hop>& path) {
    found_.push_back(path);
    next_ring();
    found_.pop_back();
  }
  std::vector<std::vector<int>> left_;
  bool ring_, detours_;
  int n_ = 0, bound_ = 0, work_ = 0;
  std::vector<std::vector<Hop>> found_, best_;
};

Packing pack(const Capacities& capacity, const std::vector<double>& speeds, bool ring) {
  Packing best;
  const int n = count_of(capacity);
  if (n < 2) return best;
  double first = 0;
  for (const double speed : speeds) {
    // NCCL stops halving once a solution stands: only speeds within a factor of two of the first.
    if (first > 0 && speed < 0.49 * first) break;
    std::vector<std::vector<int>> slots(ix(n), std::vector<int>(ix(n), 0));
    bool any = false;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        if (i == j) continue;
        slots[ix(i)][ix(j)] = static_cast<int>(capacity[ix(i)][ix(j)] / speed + 1e-9);
        any = any || slots[ix(i)][ix(j)] > 0;
      }
    if (!any) continue;
    // Links alone first: detours multiply the ways and are seldom worth it.
    Packer direct(slots, ring, false);
    Packer around(std::move(slots), ring, true);
    const auto* found = &direct.run();
    if (ring && !direct.enough()) {
      const auto& more = around.run();
      if (more.size() > found->size()) found = &more;
    }
    const auto& rings = *found;
    if (rings.empty()) continue;
    if (first == 0) first = speed;
    const double total = speed * count_of(rings);
    if (total <= best.bandwidth * (1 + 1e-9)) continue;
    best = {total, count_of(rings), speed, {}};
    std::map<std::pair<int, int>, double> load;
    for (const auto& path : rings)
      for (int i = ring ? 0 : 1; i < n; ++i) {
        const int from = path[ix((i + n - 1) % n)].to;
        const auto& hop = path[ix(i)];
        const double part = 1.0 / count_of(rings);
        if (hop.via < 0) {
          load[{from, hop.to}] += part;
        } else {
          load[{from, hop.via}] += part;
          load[{hop.via, hop.to}] += part;
        }
      }
    best.load.assign(load.begin(), load.end());
  }
  return best;
}

}  // namespace

Packing pack_rings(const Capacities& capacity, const std::vector<double>& speeds) {
  return pack(capacity, speeds, true);
}

Packing pack_chains(const Capacities& capacity, const std::vector<double>& speeds) {
  return pack(capacity, speeds, false);
}

}  // namespace topolaunch::mapping
