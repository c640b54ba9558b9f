// SPDX-License-Identifier: Apache-2.0
#include "topo/pair_table.h"

#include <algorithm>
#include <unordered_map>

namespace topolaunch::topo {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// Logarithm of "how far": a ratio of bandwidths and one of latencies then weigh the same.
double far_of(const PairFact& pair) {
  if (!(pair.value > 0) || !std::isfinite(pair.value)) return kUnknown;
  return pair.of == PairFact::Of::bandwidth ? -std::log(pair.value) : std::log(pair.value);
}

double one_of(std::vector<double>& values, PairFact::Of of, bool concurrent) {
  if (values.empty()) return kUnknown;
  std::sort(values.begin(), values.end());
  if (of == PairFact::Of::latency) return values.front();
  // Beside others: the upper median. Where the leaves are of odd size a pair now and then has the
  // uplink alone and looks near; that happens more often than that a near one is held up by chance.
  return values[concurrent ? values.size() / 2 : (values.size() - 1) / 2];
}

}  // namespace

PairTable::PairTable(const std::vector<PairFact>& pairs, PairFact::Of of) {
  std::unordered_map<std::string, std::size_t> index;
  const auto number = [&](const std::string& name) {
    const auto [at, added] = index.try_emplace(name, hosts_.size());
    if (added) hosts_.push_back(name);
    return at->second;
  };
  struct Entry {
    std::size_t from, to;
    const PairFact* pair;
  };
  std::vector<Entry> entries;
  for (const auto& pair : pairs) {
    if (pair.of != of || pair.a == pair.b || std::isnan(far_of(pair))) continue;
    const auto from = number(pair.a);
    entries.push_back({from, number(pair.b), &pair});
  }
  const std::size_t n = hosts_.size();
  far_.assign(n * n, kUnknown);
  asymmetry_.assign(n * n, 0);
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
  std::vector<double> way(n * n, kUnknown);  // each direction by itself
  for (std::size_t i = 0; i < entries.size();) {
    std::size_t j = i;
    std::vector<double> values;
    bool concurrent = false;
    for (;
         j < entries.size() && entries[j].from == entries[i].from && entries[j].to == entries[i].to;
         ++j) {
      values.push_back(far_of(*entries[j].pair));
      concurrent = concurrent || entries[j].pair->concurrent;
    }
    way[entries[i].from * n + entries[i].to] = one_of(values, of, concurrent);
    i = j;
  }
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const double there = way[a * n + b], back = way[b * n + a];
      // The better direction: what is wrong with the other one is no matter of place.
      const double both = std::isnan(there)  ? back
                          : std::isnan(back) ? there
                                             : std::min(there, back);
      far_[a * n + b] = far_[b * n + a] = both;
      if (!std::isnan(there) && !std::isnan(back)) {
        asymmetry_[a * n + b] = there - back;
        asymmetry_[b * n + a] = back - there;
      }
    }
  }
}

std::size_t PairTable::measured() const {
  std::size_t count = 0;
  for (std::size_t a = 0; a < size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) count += known(a, b) ? 1U : 0U;
  }
  return count;
}

}  // namespace topolaunch::topo
