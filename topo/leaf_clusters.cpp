// SPDX-License-Identifier: Apache-2.0
#include "topo/leaf_clusters.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace topolaunch::topo {
namespace {

using Labels = std::vector<int>;

// Ratios below which nobody would call it a leaf; noise of single measurements is of this size.
const double kLeastContrast = std::log(1.25);
const double kLeastGap = std::log(1.1);
constexpr double kMostOddOfHost = 0.25;   // of a host's pairs
constexpr double kMostOdd = 0.05;         // of all pairs
constexpr std::size_t kMostHosts = 2048;  // the tree takes their cube in the worst case

double quantile(std::vector<double> values, double p) {
  const auto at = static_cast<std::size_t>(std::lround(p * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

struct Cut {
  Labels labels;
  double height = 0;  ///< of the last merge
  double gap = 0;     ///< to the next one
};

/// The cuts of the average-linkage tree with 2 groups or more that have the widest gaps above them.
std::vector<Cut> cuts_of(const PairTable& table) {
  const std::size_t n = table.size();
  constexpr double kApart = std::numeric_limits<double>::infinity();
  std::vector<double> sum(n * n, 0), count(n * n, 0);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      if (a == b || !table.known(a, b)) continue;
      sum[a * n + b] = table.far(a, b);
      count[a * n + b] = 1;
    }
  }
  const auto mean = [&](std::size_t a, std::size_t b) {
    return count[a * n + b] > 0 ? sum[a * n + b] / count[a * n + b] : kApart;
  };
  std::vector<std::size_t> alive(n), nearest(n);
  std::iota(alive.begin(), alive.end(), std::size_t{0});
  Labels label(n);
  std::iota(label.begin(), label.end(), 0);
  const auto find_nearest = [&](std::size_t a) {
    nearest[a] = a;
    for (const auto b : alive) {
      if (b != a && (nearest[a] == a || mean(a, b) < mean(a, nearest[a]))) nearest[a] = b;
    }
  };
  for (const auto a : alive) find_nearest(a);
  std::vector<Cut> cuts;
  while (alive.size() > 1) {
    const auto a = *std::min_element(alive.begin(), alive.end(), [&](std::size_t x, std::size_t y) {
      return mean(x, nearest[x]) < mean(y, nearest[y]);
    });
    const auto b = nearest[a];
    const double height = mean(a, b);
    if (height == kApart) break;
    if (!cuts.empty()) cuts.back().gap = height - cuts.back().height;
    for (const auto c : alive) {
      if (c == a || c == b) continue;
      sum[a * n + c] = sum[c * n + a] = sum[a * n + c] + sum[b * n + c];
      count[a * n + c] = count[c * n + a] = count[a * n + c] + count[b * n + c];
    }
    std::erase(alive, b);
    std::replace(label.begin(), label.end(), static_cast<int>(b), static_cast<int>(a));
    find_nearest(a);
    for (const auto c : alive) {
      if (c != a && (nearest[c] == a || nearest[c] == b || mean(c, a) < mean(c, nearest[c]))) {
        find_nearest(c);
      }
    }
    cuts.push_back({label, height, 0});
  }
  constexpr std::size_t kMost = 12;
  std::stable_sort(cuts.begin(), cuts.end(),
                   [](const Cut& a, const Cut& b) { return a.gap > b.gap; });
  if (cuts.size() > kMost) cuts.resize(kMost);
  return cuts;
}

/// Labels as 0, 1, ... in the order of the first host of each.
int renumber(Labels& labels) {
  std::vector<int> seen;
  for (int& label : labels) {
    const auto at = std::find(seen.begin(), seen.end(), label);
    const auto number = static_cast<int>(at - seen.begin());
    if (at == seen.end()) seen.push_back(label);
    label = number;
  }
  return static_cast<int>(seen.size());
}

class Judge {
 public:
  Judge(const PairTable& table, Labels labels) : table_(table), labels_(std::move(labels)) {
    groups_ = renumber(labels_);
    sizes_.assign(static_cast<std::size_t>(groups_), 0);
    for (const int label : labels_) ++sizes_[static_cast<std::size_t>(label)];
  }

  LeafClusters verdict() {
    LeafClusters result;
    result.why = weigh(result);
    result.sure = result.why.empty();
    if (result.sure) {
      result.leaf = labels_;
      result.leaves = groups_;
    }
    return result;
  }

 private:
  struct Sorted {
    std::vector<double> within, between;
  };
  Sorted sorted() const {
    Sorted pairs;
    for (std::size_t a = 0; a < table_.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (!table_.known(a, b)) continue;
        (labels_[a] == labels_[b] ? pairs.within : pairs.between).push_back(table_.far(a, b));
      }
    }
    return pairs;
  }

  std::string weigh(LeafClusters& result) {
    if (groups_ < 2) return "no two groups of hosts stand apart";
    auto [within, between] = sorted();
    if (within.empty() || between.empty()) return "too few pairs were measured";
    result.pairs = within.size() + between.size();
    result.within = quantile(within, 0.5);
    result.between = quantile(between, 0.5);
    const double contrast = result.between - result.within;
    result.ratio = std::exp(contrast);
    if (std::count(sizes_.begin(), sizes_.end(), 1) > 0) {
      return "a host stands alone: it may have a leaf of its own, or just be slow";
    }
    if (contrast < kLeastContrast) {
      return fmt::format("groups differ by a factor of {:.2f}, less than {:.2f}", result.ratio,
                         std::exp(kLeastContrast));
    }
    const double high = quantile(within, 0.9);
    const double low = quantile(between, 0.1);
    const double spread = high - quantile(within, 0.1);
    if (spread > contrast / 2) return "pairs within a group differ too much among themselves";
    if (low - high < std::max(kLeastGap, spread / 2)) return "near and far pairs overlap";
    limit_ = (low + high) / 2;
    std::size_t odd = 0;
    for (std::size_t h = 0; h < table_.size(); ++h) {
      const Sides sides = sides_of(h);
      const std::size_t own = sides.odd(labels_[h]);
      odd += own;
      if (sides.pairs * 2 < table_.size() - 1) {
        return fmt::format("{} was measured with {} of {} hosts", table_.hosts()[h], sides.pairs,
                           table_.size() - 1);
      }
      if (static_cast<double>(own) > kMostOddOfHost * static_cast<double>(sides.pairs)) {
        return fmt::format("{} of {}'s {} pairs don't fit", own, table_.hosts()[h], sides.pairs);
      }
      if (fits_elsewhere(sides, labels_[h])) {
        return fmt::format("{} would fit into two groups", table_.hosts()[h]);
      }
    }
    result.odd = odd / 2;
    if (static_cast<double>(result.odd) > kMostOdd * static_cast<double>(result.pairs)) {
      return fmt::format("{} of {} pairs don't fit", result.odd, result.pairs);
    }
    return {};
  }

  /// A host's pairs, by the group of the other one.
  struct Sides {
    std::vector<std::size_t> near, known;
    std::size_t pairs = 0, all_near = 0;
    /// Pairs that would be on the wrong side if the host were in group `label`; -1: alone.
    std::size_t odd(int label) const {
      if (label < 0) return all_near;
      const auto at = static_cast<std::size_t>(label);
      return all_near - near[at] + (known[at] - near[at]);
    }
  };
  Sides sides_of(std::size_t host) const {
    Sides sides;
    sides.near.assign(sizes_.size(), 0);
    sides.known.assign(sizes_.size(), 0);
    for (std::size_t other = 0; other < table_.size(); ++other) {
      if (other == host || !table_.known(host, other)) continue;
      const auto label = static_cast<std::size_t>(labels_[other]);
      const bool near = table_.far(host, other) < limit_;
      ++sides.pairs;
      ++sides.known[label];
      sides.near[label] += near ? 1 : 0;
      sides.all_near += near ? 1 : 0;
    }
    return sides;
  }
  bool fits_elsewhere(const Sides& sides, int own) const {
    const int size = sizes_[static_cast<std::size_t>(own)];
    for (int label = -1; label < groups_; ++label) {
      if (label == own) continue;
      // Two pairs tell, as one may be an accident. A host of two has but one that holds it there.
      const std::size_t margin = label < 0 && size == 2 ? 1 : 2;
      if (sides.odd(label) < sides.odd(own) + margin) return true;
    }
    return false;
  }

  const PairTable& table_;
  Labels labels_;
  int groups_ = 0;
  std::vector<int> sizes_;
  double limit_ = 0;
};

}  // namespace

LeafClusters leaf_clusters(const PairTable& table) {
  LeafClusters best;
  best.pairs = table.measured();
  if (table.size() < 4) {
    best.why = "leaves take four hosts to be seen";
    return best;
  }
  if (table.size() > kMostHosts) {
    best.why = fmt::format("more than {} hosts", kMostHosts);
    return best;
  }
  for (auto& cut : cuts_of(table)) {
    LeafClusters found = Judge(table, std::move(cut.labels)).verdict();
    // Not sure either way: the reason that was got furthest with is the one to tell.
    const bool better = found.sure != best.sure ? found.sure
                        : found.sure
                            ? std::pair(found.odd, -found.ratio) < std::pair(best.odd, -best.ratio)
                            : best.why.empty() || found.ratio > best.ratio;
    if (better) best = std::move(found);
  }
  return best;
}

}  // namespace topolaunch::topo
