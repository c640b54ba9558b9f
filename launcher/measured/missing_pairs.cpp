// SPDX-License-Identifier: Apache-2.0
#include "launcher/measured/missing_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace topolaunch::launcher {
namespace {

using Pair = std::pair<std::string, std::string>;

Pair pair_of(const std::string& a, const std::string& b) { return std::minmax(a, b); }

/// By test, the pairs that were measured.
std::vector<Check> missing(const std::map<std::string, std::set<Pair>>& measured,
                           const std::vector<std::string>& ends, const std::string& source) {
  constexpr std::size_t kMostNamed = 3;
  std::string counts, named;
  std::size_t all_missing = 0, names = 0;
  const auto name = [&](const std::string& words) {
    if (++names <= kMostNamed) named += (names == 1 ? "" : ", ") + words;
  };
  // Who has no figure at all is one thing to look at, not as many as it has partners.
  std::set<std::string> seen;
  for (const auto& [test, pairs] : measured) {
    for (const Pair& pair : pairs) seen.insert({pair.first, pair.second});
  }
  for (const std::string& end : ends) {
    if (!seen.contains(end) && ends.size() > 2) name("all pairs of " + end);
  }
  std::set<Pair> told;
  const std::size_t all = ends.size() * (ends.size() - 1) / 2;
  for (const auto& [test, pairs] : measured) {
    if (pairs.size() >= all) continue;
    all_missing += all - pairs.size();
    counts +=
        fmt::format("{}{}: {} of {}", counts.empty() ? "" : "; ", test, all - pairs.size(), all);
    for (std::size_t a = 0; a < ends.size(); ++a) {
      for (std::size_t b = a + 1; b < ends.size(); ++b) {
        const Pair pair = pair_of(ends[a], ends[b]);
        if (!seen.contains(pair.first) || !seen.contains(pair.second)) continue;
        if (pairs.contains(pair) || !told.insert(pair).second) continue;
        name(fmt::format("{} - {}", pair.first, pair.second));
      }
    }
  }
  if (all_missing == 0) return {};
  Check check;
  check.name = "missing";
  check.verdict = Outcome::could_not_test;
  check.measured = "pairs without a figure: " + counts;
  check.expected = "all of them";
  check.source = source;
  check.suspect = fmt::format("not measured: {}{}", named, names > kMostNamed ? ", ..." : "");
  return {check};
}

}  // namespace

std::vector<Check> missing_pairs(const std::vector<bench::PairFigure>& figures,
                                 const std::vector<std::string>& hosts, const std::string& source) {
  std::map<std::string, std::set<Pair>> measured;
  for (const bench::PairFigure& f : figures) {
    if (f.from != f.to) measured[f.test].insert(pair_of(f.from, f.to));
  }
  return missing(measured, hosts, source);
}

std::vector<Check> missing_pairs(const bench::Measurement& m, const std::string& source) {
  if (!m.pairs) return {};
  std::vector<std::string> ends;
  for (const int rank : m.pairs->ranks) ends.push_back(fmt::format("rank {}", rank));
  std::map<std::string, std::set<Pair>> measured;
  const auto look = [&](const char* name, const bench::Matrix& matrix) {
    if (matrix.size() != ends.size()) return;
    std::set<Pair>& pairs = measured[name];
    for (std::size_t a = 0; a < ends.size(); ++a) {
      for (std::size_t b = 0; b < ends.size(); ++b) {
        if (a != b && matrix.has(a, b)) pairs.insert(pair_of(ends[a], ends[b]));
      }
    }
  };
  look("one way", m.pairs->one_way);
  look("both ways", m.pairs->both_ways);
  look("concurrent", m.pairs->concurrent);
  look("latency", m.pairs->latency);
  return missing(measured, ends, source);
}

}  // namespace topolaunch::launcher
