// SPDX-License-Identifier: Apache-2.0
#include "launcher/measured/leaves_of_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/counted.h"
#include "bench/statistics.h"
#include "topo/leaf_clusters.h"

namespace topolaunch::launcher {
namespace {

using topo::PairFact;

/// A leaf is called by its first host: figures know no switches.
std::map<std::string, std::string> leaf_by_host(const topo::PairTable& table,
                                                const topo::LeafClusters& found) {
  std::map<int, std::string> names;
  std::map<std::string, std::string> leaves;
  for (std::size_t h = 0; h < found.leaf.size(); ++h) {
    leaves[table.hosts()[h]] =
        names.try_emplace(found.leaf[h], "of " + table.hosts()[h]).first->second;
  }
  return leaves;
}

std::string members(const std::map<std::string, std::string>& leaves, const std::string& leaf) {
  constexpr std::size_t kMostNamed = 4;
  std::vector<std::string> hosts;
  for (const auto& [host, its] : leaves) {
    if (its == leaf) hosts.push_back(host);
  }
  if (hosts.size() > kMostNamed) return counted(hosts.size(), "host");
  return fmt::format("{}", fmt::join(hosts, " "));
}

using Figures = std::vector<bench::PairFigure*>;
using Leaves = std::map<std::string, std::string>;  ///< by host

topo::PairTable table_of(const Figures& figures, const std::set<std::string>& without) {
  const PairFact::Of of =
      figures.front()->latency ? PairFact::Of::latency : PairFact::Of::bandwidth;
  std::vector<PairFact> facts;
  for (const bench::PairFigure* f : figures) {
    if (f->value <= 0 || without.contains(f->from) || without.contains(f->to)) continue;  // 0: failed
    facts.push_back({f->from, f->to, of, f->latency ? 1 / f->value : f->value});
  }
  return {facts, of};
}

/// Hosts whose best figure is far below that of others: slow with everybody, so that they fit into no
/// leaf. Empty where they are so many that they may be a leaf.
std::set<std::string> slow_with_all(const Figures& figures) {
  constexpr double kSlow = 0.8;
  std::map<std::string, double> best;
  for (const bench::PairFigure* f : figures) {
    for (const std::string& host : {f->from, f->to}) best[host] = std::max(best[host], f->value);
  }
  std::vector<double> values;
  for (const auto& [host, value] : best) values.push_back(value);
  const double usual = bench::median(values);
  std::set<std::string> slow;
  for (const auto& [host, value] : best) {
    if (value < kSlow * usual) slow.insert(host);
  }
  return slow.size() * 4 <= best.size() ? slow : std::set<std::string>();
}

/// Of so many leaves a faulty uplink stands out: fewer than half of the pairs across go over it.
constexpr std::size_t kLeavesToTell = 5;

std::size_t leaves_in(const Leaves& leaves) {
  std::set<std::string> names;
  for (const auto& [host, leaf] : leaves) names.insert(leaf);
  return names.size();
}

/// The leaf whose hosts `host` reaches best; one of its own where it reaches all alike.
std::string nearest_leaf(const std::string& host, const Figures& figures, const Leaves& leaves) {
  constexpr double kStandsOut = 1.25;  // as apart as two leaves have to be
  std::map<std::string, std::vector<double>> reached;
  for (const bench::PairFigure* f : figures) {
    if (f->value <= 0 || (f->from != host && f->to != host)) continue;
    const auto other = leaves.find(f->from == host ? f->to : f->from);
    if (other != leaves.end()) reached[other->second].push_back(f->value);
  }
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [leaf, values] : reached) order.emplace_back(bench::median(values), leaf);
  std::ranges::sort(order, std::greater<>());
  if (order.empty()) return {};
  const bool stands_out = order.size() > 1 && order[0].first >= kStandsOut * order[1].first;
  return stands_out ? order[0].second : "of " + host;
}

struct Found {
  topo::LeafClusters clusters;
  Leaves leaves;
};

/// The leaves of one test's figures where they are sure; with hosts that are slow left out first, if
/// they stand in the way.
std::optional<Found> find_leaves(const Figures& figures) {
  const auto without = [&](const std::set<std::string>& slow) -> std::optional<Found> {
    const topo::PairTable table = table_of(figures, slow);
    Found found{topo::leaf_clusters(table), {}};
    if (!found.clusters.sure) return std::nullopt;
    const Leaves sound = leaf_by_host(table, found.clusters);
    found.leaves = sound;
    for (const std::string& host : slow) found.leaves[host] = nearest_leaf(host, figures, sound);
    return found;
  };
  if (auto found = without({})) return found;
  const auto slow = slow_with_all(figures);
  return slow.empty() ? std::nullopt : without(slow);
}

Check said(const bench::PairFigure& first, const topo::LeafClusters& found,
           const std::map<std::string, std::string>& leaves, const std::string& source) {
  std::string groups;
  std::vector<std::string> told;
  for (const auto& [host, leaf] : leaves) {
    if (std::ranges::find(told, leaf) != told.end()) continue;
    told.push_back(leaf);
    groups += (groups.empty() ? "" : ", ") + members(leaves, leaf);
  }
  Check check;
  check.name = "leaves";
  check.source = source;
  check.measured = fmt::format("{}: {} of hosts ({}), {:.2g} times {} across", first.test,
                               counted(leaves_in(leaves), "group"), groups, found.ratio,
                               first.latency ? "as long" : "as slow");
  if (first.latency || leaves_in(leaves) >= kLeavesToTell) {
    check.verdict = Outcome::not_applicable;
    check.suspect = "for information: taken for leaves, each kind of path held against its own";
  } else {
    check.verdict = Outcome::could_not_test;
    check.suspect = "across them the fabric may give less, or an uplink be slow";
    check.confirm = "topo --topology of the fabric: rates of the uplinks";
  }
  return check;
}

}  // namespace

std::vector<Check> name_leaves(std::vector<bench::PairFigure>& figures, const std::string& source) {
  std::map<std::string, Figures> tests;
  for (bench::PairFigure& f : figures) tests[f.test].push_back(&f);
  std::vector<Check> checks;
  for (auto& [test, of_test] : tests) {
    const auto found = find_leaves(of_test);
    if (!found) continue;
    const auto leaf = [&](const std::string& host) {
      const auto it = found->leaves.find(host);
      return it == found->leaves.end() ? std::string() : it->second;
    };
    for (bench::PairFigure* f : of_test) {
      f->from_leaf = leaf(f->from);
      f->to_leaf = leaf(f->to);
    }
    checks.push_back(said(*of_test.front(), found->clusters, found->leaves, source));
  }
  return checks;
}

void name_leaves(bench::Measurement& m) {
  if (!m.pairs || m.pairs->latency.empty()) return;
  if (std::ranges::any_of(m.devices, [](const bench::Device& d) { return !d.leaf.empty(); }))
    return;
  std::vector<std::string> hosts;
  for (const int rank : m.pairs->ranks) {
    const auto device = std::ranges::find(m.devices, rank, &bench::Device::rank);
    if (device == m.devices.end()) return;
    hosts.push_back(device->host);
  }
  const bench::Matrix& latency = m.pairs->latency;
  std::vector<PairFact> facts;
  for (std::size_t a = 0; a < latency.size(); ++a) {
    for (std::size_t b = 0; b < latency.size(); ++b) {
      if (hosts[a] == hosts[b] || !latency.has(a, b)) continue;
      facts.push_back({hosts[a], hosts[b], PairFact::Of::latency, latency.at(a, b)});
    }
  }
  const topo::PairTable table(facts, PairFact::Of::latency);
  const topo::LeafClusters found = topo::leaf_clusters(table);
  if (!found.sure) return;
  const auto leaves = leaf_by_host(table, found);
  for (bench::Device& d : m.devices) {
    if (const auto it = leaves.find(d.host); it != leaves.end()) d.leaf = it->second;
  }
}

}  // namespace topolaunch::launcher
