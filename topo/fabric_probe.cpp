// SPDX-License-Identifier: Apache-2.0
#include "topo/fabric_probe.h"

#include <algorithm>

namespace topolaunch::topo {
namespace {

/// Of three values the middle one is right though one of them was an accident.
constexpr int kLeastTournaments = 3;
/// So many are not too much to ask, however long they take: a machine that is busy needs them.
constexpr int kUntimedTournaments = 5;

class Probe {
 public:
  Probe(const std::vector<std::string>& hosts, const MeasureRound& measure, ProbeResult& result)
      : hosts_(hosts), measure_(measure), result_(result) {}

  Status run(PairFact::Of of, std::uint64_t seed) {
    for (const Round& round : tournament(static_cast<int>(hosts_.size()), seed)) {
      const auto values = measure_(of, round);
      if (!values) return tl::unexpected(values.error());
      ++result_.rounds;
      for (std::size_t i = 0; i < round.size() && i < values->size(); ++i) {
        result_.pairs.push_back({hosts_[static_cast<std::size_t>(std::min(round[i].first, round[i].second))],
                                 hosts_[static_cast<std::size_t>(std::max(round[i].first, round[i].second))],
                                 of, (*values)[i], true});
      }
    }
    return {};
  }
  /// Leaves in the order of the hosts as given; the table has them as they were first measured.
  LeafClusters look(PairFact::Of of) const {
    const PairTable table(result_.pairs, of);
    LeafClusters found = leaf_clusters(table);
    if (!found.sure) return found;
    std::vector<int> leaf(hosts_.size(), -1);
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      const auto at = std::find(table.hosts().begin(), table.hosts().end(), hosts_[i]);
      if (at != table.hosts().end()) {
        leaf[i] = found.leaf[static_cast<std::size_t>(at - table.hosts().begin())];
      }
    }
    found.leaf = std::move(leaf);
    return found;
  }

 private:
  const std::vector<std::string>& hosts_;
  const MeasureRound& measure_;
  ProbeResult& result_;
};

}  // namespace

Result<ProbeResult> probe_fabric(const std::vector<std::string>& hosts, const MeasureRound& measure,
                                 const ProbeOptions& options) {
  ProbeResult result;
  Probe probe(hosts, measure, result);
  if (auto done = probe.run(PairFact::Of::latency, options.seed); !done) {
    return tl::unexpected(std::move(done.error()));
  }
  result.by = PairFact::Of::latency;
  result.leaves = probe.look(result.by);
  if (result.leaves.sure) return result;
  result.by = PairFact::Of::bandwidth;
  while (result.tournaments < options.most_tournaments &&
         (result.tournaments < kUntimedTournaments || !options.time_is_up())) {
    const auto seed = options.seed + static_cast<std::uint64_t>(result.tournaments);
    if (auto done = probe.run(result.by, seed); !done) {
      return tl::unexpected(std::move(done.error()));
    }
    ++result.tournaments;
    LeafClusters found = probe.look(result.by);
    const bool agreed = found.sure && result.leaves.sure && found.leaf == result.leaves.leaf;
    result.leaves = std::move(found);
    if (agreed && result.tournaments >= kLeastTournaments) return result;
  }
  // Certain once is not enough: the next tournament might have said otherwise.
  result.leaves.sure = false;
  if (result.leaves.why.empty()) result.leaves.why = "no two tournaments in a row agreed";
  return result;
}

}  // namespace topolaunch::topo
