// SPDX-License-Identifier: Apache-2.0
#include "mapping/rings.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "mapping/index.h"

namespace topolaunch::mapping {
namespace {

constexpr int kWork = 20000;  ///< steps of the search for one speed; a DGX-1V needs a tenth

/// Depth-first packing of Hamiltonian rings (or chains) into unit slots left[i][j].
class Packer {
 public:
  Packer(std::vector<std::vector<int>> slots, bool ring) : left_(std::move(slots)), ring_(ring) {
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

  const std::vector<std::vector<int>>& run() {
    next_ring();
    return best_;
  }

 private:
  void next_ring() {
    if (count_of(found_) > count_of(best_)) best_ = found_;
    if (count_of(best_) >= bound_ || work_ > kWork) return;
    // A chain may begin anywhere, a ring begins at 0.
    for (int start = 0; start < (ring_ ? 1 : n_); ++start) {
      std::vector<int> path = {start};
      std::vector<bool> seen(ix(n_), false);
      seen[ix(start)] = true;
      extend(path, seen);
      if (count_of(best_) >= bound_ || work_ > kWork) return;
    }
  }

  void extend(std::vector<int>& path, std::vector<bool>& seen) {
    if (++work_ > kWork) return;
    const int at = path.back();
    if (count_of(path) == n_) {
      if (ring_ && left_[ix(at)][ix(path.front())] == 0) return;
      if (ring_) --left_[ix(at)][ix(path.front())];
      found_.push_back(path);
      next_ring();
      found_.pop_back();
      if (ring_) ++left_[ix(at)][ix(path.front())];
      return;
    }
    // Links with most room first: double links carry a ring of their own speed.
    std::vector<int> next;
    for (int j = 0; j < n_; ++j)
      if (!seen[ix(j)] && left_[ix(at)][ix(j)] > 0) next.push_back(j);
    std::stable_sort(next.begin(), next.end(),
                     [&](int a, int b) { return left_[ix(at)][ix(a)] > left_[ix(at)][ix(b)]; });
    for (const int j : next) {
      --left_[ix(at)][ix(j)];
      seen[ix(j)] = true;
      path.push_back(j);
      extend(path, seen);
      path.pop_back();
      seen[ix(j)] = false;
      ++left_[ix(at)][ix(j)];
      if (count_of(best_) >= bound_ || work_ > kWork) return;
    }
  }

  std::vector<std::vector<int>> left_;
  bool ring_;
  int n_ = 0, bound_ = 0, work_ = 0;
  std::vector<std::vector<int>> found_, best_;
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
    Packer packer(std::move(slots), ring);
    const auto& rings = packer.run();
    if (rings.empty()) continue;
    if (first == 0) first = speed;
    const double total = speed * count_of(rings);
    if (total <= best.bandwidth * (1 + 1e-9)) continue;
    best = {total, count_of(rings), speed, {}};
    std::map<std::pair<int, int>, double> load;
    for (const auto& path : rings)
      for (int i = 0; i + (ring ? 0 : 1) < n; ++i)
        load[{path[ix(i)], path[ix((i + 1) % n)]}] += 1.0 / count_of(rings);
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
