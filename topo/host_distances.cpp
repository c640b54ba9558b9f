// SPDX-License-Identifier: Apache-2.0
#include "topo/host_distances.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "topo/pair_table.h"

namespace topolaunch::topo {
namespace {

/// -1 = not known.
FabricFact as_given(const std::vector<PairFact>& pairs) {
  FabricFact fact;
  std::unordered_map<std::string, std::size_t> index;
  for (const auto& pair : pairs) {
    if (pair.of != PairFact::Of::distance) continue;
    for (const auto& name : {pair.a, pair.b})
      if (index.try_emplace(name, fact.distance_hosts.size()).second)
        fact.distance_hosts.push_back(name);
  }
  const std::size_t n = fact.distance_hosts.size();
  fact.host_distances.assign(n * n, -1);
  for (const auto& pair : pairs)
    if (pair.of == PairFact::Of::distance)
      fact.host_distances[index[pair.a] * n + index[pair.b]] = pair.value;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      double &there = fact.host_distances[a * n + b], &back = fact.host_distances[b * n + a];
      if (there < 0) there = back;
      if (back < 0) back = there;
      there = back = (there + back) / 2;
    }
  return fact;
}

FabricFact as_measured(const PairTable& table) {
  FabricFact fact;
  fact.distance_hosts = table.hosts();
  const std::size_t n = table.size();
  fact.host_distances.assign(n * n, -1);
  double nearest = INFINITY;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      if (a != b && table.known(a, b)) nearest = std::min(nearest, table.far(a, b));
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      if (a != b && table.known(a, b))
        fact.host_distances[a * n + b] = std::exp(table.far(a, b) - nearest);
  return fact;
}

void complete(FabricFact& fact) {
  const std::size_t n = fact.distance_hosts.size();
  const double farthest = *std::max_element(fact.host_distances.begin(), fact.host_distances.end());
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) {
      double& distance = fact.host_distances[a * n + b];
      distance = a == b ? 0 : distance < 0 ? farthest : distance;
    }
}

}  // namespace

std::optional<FabricFact> host_distances(const std::vector<PairFact>& pairs, bool leaves) {
  auto fact = as_given(pairs);
  for (const auto of : {PairFact::Of::latency, PairFact::Of::bandwidth})
    if (fact.distance_hosts.empty() && !leaves) fact = as_measured(PairTable(pairs, of));
  if (fact.distance_hosts.size() < 2) return std::nullopt;
  complete(fact);
  return fact;
}

std::vector<double> in_order_of(const std::vector<std::string>& hosts, const FabricFact& fact) {
  const std::size_t n = hosts.size(), rows = fact.distance_hosts.size();
  if (rows == 0 || fact.host_distances.size() != rows * rows) return {};
  std::unordered_map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < rows; ++i) index.emplace(fact.distance_hosts[i], i);
  const double farthest = *std::max_element(fact.host_distances.begin(), fact.host_distances.end());
  std::vector<double> result(n * n, 0);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) {
      const auto from = index.find(hosts[a]), to = index.find(hosts[b]);
      if (a == b) continue;
      result[a * n + b] = from == index.end() || to == index.end()
                              ? farthest
                              : fact.host_distances[from->second * rows + to->second];
    }
  return result;
}

}  // namespace topolaunch::topo
