// SPDX-License-Identifier: Apache-2.0
#include "launcher/measured/leaves_of_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/counted.h"
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
                               counted(found.leaves, "group"), groups, found.ratio,
                               first.latency ? "as long" : "as slow");
  if (first.latency) {
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
  std::map<std::string, std::vector<bench::PairFigure*>> tests;
  for (bench::PairFigure& f : figures) tests[f.test].push_back(&f);
  std::vector<Check> checks;
  for (auto& [test, of_test] : tests) {
    const PairFact::Of of =
        of_test.front()->latency ? PairFact::Of::latency : PairFact::Of::bandwidth;
    std::vector<PairFact> facts;
    for (const bench::PairFigure* f : of_test) {
      if (f->value <= 0) continue;  // it failed
      facts.push_back({f->from, f->to, of, f->latency ? 1 / f->value : f->value});
    }
    const topo::PairTable table(facts, of);
    const topo::LeafClusters found = topo::leaf_clusters(table);
    if (!found.sure) continue;
    const auto leaves = leaf_by_host(table, found);
    const auto leaf = [&](const std::string& host) {
      const auto it = leaves.find(host);
      return it == leaves.end() ? std::string() : it->second;
    };
    for (bench::PairFigure* f : of_test) {
      f->from_leaf = leaf(f->from);
      f->to_leaf = leaf(f->to);
    }
    checks.push_back(said(*of_test.front(), found, leaves, source));
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
