// SPDX-License-Identifier: Apache-2.0
#include "topo/measured_fabric.h"

#include <fmt/format.h>

#include <algorithm>

#include "topo/cpu_merge.h"
#include "topo/host_distances.h"
#include "topo/leaf_clusters.h"
#include "topo/odd_pairs.h"

namespace topolaunch::topo {
namespace {

std::string_view name_of(PairFact::Of of) {
  switch (of) {
    case PairFact::Of::bandwidth:
      return "bandwidth";
    case PairFact::Of::latency:
      return "latency";
    case PairFact::Of::distance:
      break;
  }
  return "distance";
}

std::vector<Fact> leaves_of(const PairTable& table, const LeafClusters& found,
                            const Origin& origin) {
  std::vector<Fact> facts;
  for (int leaf = 0; leaf < found.leaves; ++leaf) {
    SwitchFact box;
    box.name = fmt::format("leaf{}", leaf);
    for (std::size_t h = 0; h < table.size(); ++h) {
      if (found.leaf[h] == leaf) box.hosts.push_back(table.hosts()[h]);
    }
    facts.push_back({origin, {}, std::move(box)});
  }
  return facts;
}

}  // namespace

std::vector<Fact> measured_switches(const std::vector<const Fact*>& facts,
                                    std::vector<Warning>& warnings) {
  std::vector<PairFact> pairs;
  Origin origin;
  for (const Fact* fact : facts) {
    const auto* pair = std::get_if<PairFact>(&fact->what);
    if (pair == nullptr) continue;
    if (pairs.empty()) origin = {"measured", fact->origin.file, 0};
    pairs.push_back(*pair);
  }
  if (pairs.empty()) return {};
  std::vector<Fact> switches;
  std::string unsure;
  // Latency first: where it shows leaves it shows them without load.
  for (const auto of : {PairFact::Of::latency, PairFact::Of::bandwidth, PairFact::Of::distance}) {
    const PairTable table(pairs, of);
    if (table.size() < 2) continue;
    const LeafClusters found = leaf_clusters(table);
    for (auto& warning : odd_pairs(table, found, of, origin))
      warnings.push_back(std::move(warning));
    if (!found.sure) {
      unsure += fmt::format("{}{} of {} hosts: {}", unsure.empty() ? "" : "; ", name_of(of),
                            table.size(), found.why);
      continue;
    }
    if (!switches.empty()) continue;
    switches = leaves_of(table, found, origin);
    warn(warnings, "measured-leaves", Warning::Severity::note, origin,
         fmt::format("{} leaves by {}: {} of {} pairs fit, pairs between leaves are {:.2g} times "
                     "as far as within{}",
                     found.leaves, name_of(of), found.pairs - found.odd, found.pairs, found.ratio,
                     of == PairFact::Of::bandwidth
                         ? "; what an uplink carries when all send, pairs don't say: --link-rate"
                         : ""));
  }
  const bool unsure_only = switches.empty();
  if (auto matrix = host_distances(pairs, !switches.empty())) switches.push_back({origin, {}, std::move(*matrix)});
  if (unsure_only) {
    warn(warnings, "measured-unsure", Warning::Severity::note, origin,
         fmt::format("leaves unsure from measurements ({}); hosts are as far apart as measured", unsure));
  }
  return switches;
}

}  // namespace topolaunch::topo
