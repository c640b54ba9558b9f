// SPDX-License-Identifier: Apache-2.0
#include "topo/odd_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "topo/cpu_merge.h"

namespace topolaunch::topo {
namespace {

// Beyond the noise of single measurements by far; half the speed is log 2.
const double kSlowHost = std::log(1.3);
const double kSlowPair = std::log(1.5);

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string ratio(double excess) { return fmt::format("{:.2g}", std::exp(excess)); }

}  // namespace

std::vector<Warning> odd_pairs(const PairTable& table, const LeafClusters& leaves, PairFact::Of of,
                               const Origin& origin) {
  const std::size_t n = table.size();
  std::vector<double> all;
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (table.known(a, b)) all.push_back(table.far(a, b));
    }
  }
  if (n < 4 || all.size() < 6) return {};
  const double usual = median(all);
  const auto excess = [&](std::size_t a, std::size_t b) {
    if (!leaves.sure) return table.far(a, b) - usual;
    return table.far(a, b) - (leaves.leaf[a] == leaves.leaf[b] ? leaves.within : leaves.between);
  };
  const char* what = of == PairFact::Of::bandwidth ? "slower" : "farther";
  std::vector<Warning> warnings;
  std::vector<bool> slow(n, false);
  std::size_t slow_hosts = 0;
  std::vector<std::pair<std::size_t, double>> hosts;
  for (std::size_t a = 0; a < n; ++a) {
    std::vector<double> own;
    for (std::size_t b = 0; b < n; ++b) {
      if (a != b && table.known(a, b)) own.push_back(excess(a, b));
    }
    if (own.empty() || median(own) < kSlowHost) continue;
    slow[a] = true;
    ++slow_hosts;
    hosts.emplace_back(a, median(own));
  }
  if (slow_hosts * 4 > n) return {};  // two kinds of hosts, or leaves that are not sure
  for (const auto& [host, by] : hosts) {
    warn(warnings, "measured-slow-host", Warning::Severity::warning, origin,
         fmt::format("{} is {} times {} with nearly every host", table.hosts()[host], ratio(by),
                     what));
  }
  std::vector<std::pair<std::size_t, std::size_t>> pairs, one_way;
  std::size_t healthy = 0;
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      if (a == b || slow[a] || slow[b] || !table.known(a, b)) continue;
      ++healthy;
      if (a < b && excess(a, b) > kSlowPair) pairs.emplace_back(a, b);
      if (table.asymmetry(a, b) > kSlowPair) one_way.emplace_back(a, b);
    }
  }
  constexpr std::size_t kMost = 16;
  if (pairs.size() * 10 <= healthy / 2 && pairs.size() <= kMost) {
    for (const auto& [a, b] : pairs) {
      warn(warnings, "measured-slow-pair", Warning::Severity::warning, origin,
           fmt::format("{} and {} are {} times {} than pairs like them", table.hosts()[a],
                       table.hosts()[b], ratio(excess(a, b)), what));
    }
  }
  if (one_way.size() * 10 <= healthy && one_way.size() <= kMost) {
    for (const auto& [a, b] : one_way) {
      warn(warnings, "measured-one-way", Warning::Severity::warning, origin,
           fmt::format("{} to {} is {} times {} than back", table.hosts()[a], table.hosts()[b],
                       ratio(table.asymmetry(a, b)), what));
    }
  }
  return warnings;
}

}  // namespace topolaunch::topo
