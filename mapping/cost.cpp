// SPDX-License-Identifier: Apache-2.0
#include "mapping/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <unordered_map>

#include "mapping/constants.h"
#include "mapping/distances.h"
#include "mapping/group_cost.h"
#include "mapping/index.h"
#include "mapping/links.h"

namespace topolaunch::mapping {
using namespace constants;

namespace {

/// 64 bits over every seat; each word goes through MurmurHash3's finaliser.
std::uint64_t hash_of(const std::vector<Seat>& seats) {
  std::uint64_t hash = seats.size();
  const auto add = [&](int high, int low) {
    hash ^= std::uint64_t{static_cast<std::uint32_t>(high)} << 32 | static_cast<std::uint32_t>(low);
    hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdULL;
    hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53ULL;
    hash ^= hash >> 33;
  };
  for (const auto& seat : seats) {
    add(seat.host, seat.gpu);
    add(seat.slot, 0);
  }
  return hash;
}

}  // namespace

struct CostModel::Tables {
  const topo::Topology& topology;
  const RankGraph& graph;
  Links links;
  Distances distances;
  GroupCost group_cost;
  /// Distinct phases in order of first appearance. Groups of one collective run side by side, the
  /// collectives of a phase (FSDP's gather and scatter) one behind the other.
  struct Round {
    Collective collective;
    std::vector<int> groups;
  };
  struct Phase {
    std::string name;
    bool overlapped = false;
    std::vector<Round> rounds;
  };
  std::vector<Phase> phases;
  /// Scores by a hash of the seats: several ways of the search lead to one placement.
  mutable std::unordered_map<std::uint64_t, Score> known;
  bool nccl_somewhere = false;
  bool over_tcp = false;  ///< no host has RDMA: MPI's bytes travel in TCP's frames

  Tables(const topo::Topology& t, const RankGraph& g)
      : topology(t), graph(g), links(t), distances(t, links), group_cost(links, distances, t.hosts.size()) {
    std::map<std::string, int> number;
    for (int i = 0; i < count_of(graph.groups); ++i) {
      const auto& group = graph.groups[ix(i)];
      const auto [at, fresh] = number.emplace(group.dimension, count_of(phases));
      if (fresh) phases.push_back({group.dimension, group.overlapped, {}});
      auto& rounds = phases[ix(at->second)].rounds;
      auto round = std::find_if(rounds.begin(), rounds.end(), [&](const Round& r) { return r.collective == group.collective; });
      if (round == rounds.end()) round = rounds.insert(round, {group.collective, {}});
      round->groups.push_back(i);
    }
    for (const auto& host : topology.hosts) nccl_somewhere = nccl_somewhere || !host.gpus.empty();
    over_tcp = std::none_of(topology.hosts.begin(), topology.hosts.end(), [](const topo::Host& host) {
      return std::any_of(host.nics.begin(), host.nics.end(), [](const topo::Nic& nic) { return nic.up && nic.rdma; });
    });
  }

  struct Total {
    double seconds = 0, hop_bytes = 0;
    double hidden = 0;  ///< of overlapped phases, what is behind the longest of them
  };

  /// `times` gets each phase's, if given.
  Total run(const std::vector<Seat>& seats, std::vector<PhaseTime>* times = nullptr) const {
    Total total;
    double overlapped = 0;
    links.clear_totals();
    for (const auto& phase : phases) {
      double time = 0;
      for (const auto& round : phase.rounds) {
        GroupTotals gathered;
        links.begin_phase();
        for (const int g : round.groups) group_cost.add(graph.groups[ix(g)], seats, gathered);
        const double busiest = links.end_phase() / (gathered.host_network && over_tcp ? kTcpPayload : 1);
        time += gathered.latency + std::max(gathered.alone, busiest);
        total.hop_bytes += gathered.hop_bytes;
      }
      if (times != nullptr && links.timed()) times->push_back({phase.name, Seconds(time), phase.overlapped});
      if (!phase.overlapped) {
        total.seconds += time;
        continue;
      }
      total.hidden += std::min(overlapped, time);
      overlapped = std::max(overlapped, time);
    }
    if (!graph.edges.empty()) {
      links.begin_phase();
      double hop = 0;
      bool host_network = false;
      for (const auto& edge : graph.edges) {
        const auto& a = seats[ix(edge.a)];
        const auto& b = seats[ix(edge.b)];
        const double half = static_cast<double>(edge.bytes) / 2;
        links.add_flow(a, b, half);
        links.add_flow(b, a, half);
        total.hop_bytes += static_cast<double>(edge.bytes) * distances.between(a, b);
        hop = std::max(hop, hop_latency(links, a, b));
        host_network = host_network || (a.host != b.host && (a.gpu < 0 || b.gpu < 0));
      }
      const double time = hop + links.end_phase() / (host_network && over_tcp ? kTcpPayload : 1);
      if (times != nullptr && links.timed()) times->push_back({"messages", Seconds(time), false});
      total.seconds += time;
    }
    total.seconds += overlapped;
    if (!links.timed()) total.seconds = total.hidden = 0;
    return total;
  }
};

CostModel::CostModel(const topo::Topology& topology, const RankGraph& graph)
    : tables_(std::make_unique<Tables>(topology, graph)) {}
CostModel::~CostModel() = default;
CostModel::CostModel(CostModel&&) noexcept = default;
CostModel& CostModel::operator=(CostModel&&) noexcept = default;

bool CostModel::timed() const { return tables_->links.timed(); }

double CostModel::distance(const Seat& a, const Seat& b) const { return tables_->distances.between(a, b); }

CostModel::Score CostModel::score(const std::vector<Seat>& seats) const {
  constexpr std::size_t kMostRemembered = 4096;
  auto& known = tables_->known;
  const auto hash = hash_of(seats);
  if (const auto found = known.find(hash); found != known.end()) return found->second;
  const auto total = tables_->run(seats);
  const Score score{total.seconds, total.hop_bytes, tables_->links.busiest().bytes, total.hidden};
  if (known.size() < kMostRemembered) known.emplace(hash, score);
  return score;
}

Estimate CostModel::estimate(const std::vector<Seat>& seats) const {
  Estimate estimate;
  const auto total = tables_->run(seats, &estimate.phases);
  estimate.seconds = Seconds(total.seconds);
  estimate.hop_bytes = total.hop_bytes;
  for (const auto& [level, bytes] : tables_->links.bytes_by_level())
    estimate.bytes_by_level.push_back({level, static_cast<std::int64_t>(std::llround(std::min(bytes, 9e18)))});
  const auto load_of = [&](const Links::Busiest& busiest) {
    return LinkLoad{busiest.name, std::llround(std::min(busiest.bytes, 9e18)), Seconds(timed() ? busiest.seconds : 0)};
  };
  estimate.max_link = load_of(tables_->links.busiest());
  for (const auto& [level, busiest] : tables_->links.busiest_by_level()) estimate.max_links.emplace_back(level, load_of(busiest));
  if (!timed())
    estimate.model = "hop-bytes: no bandwidth of links known (--link-rate)";
  else if (tables_->nccl_somewhere) estimate.model = fmt::format("nccl {}", kNcclVersion);
  else estimate.model = "host memory, not calibrated";
  return estimate;
}

Estimate evaluate(const topo::Topology& topology, const RankGraph& graph, const std::vector<Seat>& seats) {
  return CostModel(topology, graph).estimate(seats);
}

}  // namespace topolaunch::mapping
