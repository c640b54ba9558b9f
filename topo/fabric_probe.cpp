// SPDX-License-Identifier: Apache-2.0
#include "topo/fabric_probe.h"

#include <algorithm>

namespace topolaunch::topo {
namespace {

/// Of three values the middle one is right though one of them was an accident. Two do where none
/// was: each tournament by itself says the same, by a clear factor.
constexpr int kLeastTournaments = 3, kLeastClearTournaments = 2;
constexpr double kClearFactor = 2, kClearFactorWithOddPairs = 4;
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
        result_.pairs.push_back(
            {hosts_[static_cast<std::size_t>(std::min(round[i].first, round[i].second))],
             hosts_[static_cast<std::size_t>(std::max(round[i].first, round[i].second))], of,
             (*values)[i], true});
      }
    }
    return {};
  }
  /// What the samples from number `first` on say. Leaves and their numbers in the order of
  /// the hosts as given; the table has them as they were first measured.
  LeafClusters look(PairFact::Of of, std::size_t first = 0) const {
    const auto begin = result_.pairs.begin() + static_cast<std::ptrdiff_t>(first);
    const PairTable table({begin, result_.pairs.end()}, of);
    LeafClusters found = leaf_clusters(table);
    if (!found.sure) return found;
    std::vector<int> leaf(hosts_.size(), -1);
    std::vector<int> seen;  // the table's numbers, in the order of ours
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      const auto at = std::find(table.hosts().begin(), table.hosts().end(), hosts_[i]);
      if (at == table.hosts().end()) continue;
      const int number = found.leaf[static_cast<std::size_t>(at - table.hosts().begin())];
      const auto known = std::find(seen.begin(), seen.end(), number);
      leaf[i] = static_cast<int>(known - seen.begin());
      if (known == seen.end()) seen.push_back(number);
    }
    found.leaf = std::move(leaf);
    return found;
  }

 private:
  const std::vector<std::string>& hosts_;
  const MeasureRound& measure_;
  ProbeResult& result_;
};

bool is_clear(const LeafClusters& leaves) {
  return leaves.sure && leaves.ratio >= (leaves.odd == 0 ? kClearFactor : kClearFactorWithOddPairs);
}

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
  int clear_in_a_row = 0;
  LeafClusters last;
  while (result.tournaments < options.most_tournaments &&
         (result.tournaments < kUntimedTournaments || !options.time_is_up())) {
    const auto seed = options.seed + static_cast<std::uint64_t>(result.tournaments);
    const std::size_t samples = result.pairs.size();
    if (auto done = probe.run(result.by, seed); !done) {
      return tl::unexpected(std::move(done.error()));
    }
    ++result.tournaments;
    LeafClusters found = probe.look(result.by);
    const bool agreed = found.sure && result.leaves.sure && found.leaf == result.leaves.leaf;
    result.leaves = std::move(found);
    LeafClusters alone = probe.look(result.by, samples);
    clear_in_a_row = !is_clear(alone) ? 0 : alone.leaf == last.leaf ? clear_in_a_row + 1 : 1;
    last = std::move(alone);
    if (!agreed) continue;
    if (result.tournaments >= kLeastTournaments || clear_in_a_row >= kLeastClearTournaments) {
      return result;
    }
  }
  // Certain once is not enough: the next tournament might have said otherwise.
  result.leaves.sure = false;
  if (result.leaves.why.empty()) result.leaves.why = "no two tournaments in a row agreed";
  return result;
}

}  // namespace topolaunch::topo
