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
#include "mapping/host_model.h"
#include "mapping/index.h"
#include "mapping/levels.h"
#include "mapping/links.h"
#include "mapping/nccl_model.h"

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

  /// Members of a group by host, hosts in order of first appearance. Reused between calls.
  struct Part {
    int host = 0;
    std::vector<int> gpus;  ///< sorted
    int count = 0;
  };
  mutable std::vector<Part> parts;
  mutable int part_count = 0;
  mutable std::vector<int> part_of_host;
  struct Asked {
    Communicator communicator;
    Collective collective = Collective::allreduce;
    Bytes bytes;
    friend bool operator==(const Asked&, const Asked&) = default;
  };
  mutable Asked last_asked;
  mutable Prediction last_prediction;
  /// Distinct phases in order of first appearance, with the groups of each.
  struct Phase {
    std::string name;
    bool overlapped = false;
    std::vector<int> groups;
  };
  std::vector<Phase> phases;
  /// Scores by a hash of the seats: several ways of the search lead to one placement.
  mutable std::unordered_map<std::uint64_t, Score> known;
  bool nccl_somewhere = false;
  bool over_tcp = false;  ///< no host has RDMA: MPI's bytes travel in TCP's frames

  Tables(const topo::Topology& t, const RankGraph& g) : topology(t), graph(g), links(t), distances(t, links) {
    part_of_host.assign(topology.hosts.size(), -1);
    std::map<std::string, int> number;
    for (int i = 0; i < count_of(graph.groups); ++i) {
      const auto& group = graph.groups[ix(i)];
      const auto [at, fresh] = number.emplace(group.dimension, count_of(phases));
      if (fresh) phases.push_back({group.dimension, group.overlapped, {}});
      phases[ix(at->second)].groups.push_back(i);
    }
    for (const auto& host : topology.hosts) nccl_somewhere = nccl_somewhere || !host.gpus.empty();
    over_tcp = std::none_of(topology.hosts.begin(), topology.hosts.end(), [](const topo::Host& host) {
      return std::any_of(host.nics.begin(), host.nics.end(), [](const topo::Nic& nic) { return nic.up && nic.rdma; });
    });
  }

  void split(const Group& group, const std::vector<Seat>& seats) const {
    for (int p = 0; p < part_count; ++p) part_of_host[ix(parts[ix(p)].host)] = -1;
    part_count = 0;
    for (const int rank : group.members) {
      const auto& seat = seats[ix(rank)];
      int& at = part_of_host[ix(seat.host)];
      if (at < 0) {
        at = part_count++;
        if (count_of(parts) < part_count) parts.emplace_back();
        parts[ix(at)].host = seat.host;
        parts[ix(at)].gpus.clear();
        parts[ix(at)].count = 0;
      }
      ++parts[ix(at)].count;
      if (seat.gpu >= 0) parts[ix(at)].gpus.push_back(seat.gpu);
    }
    for (int p = 0; p < part_count; ++p) std::sort(parts[ix(p)].gpus.begin(), parts[ix(p)].gpus.end());
  }

  /// NCCL's choice for one communicator; most groups of a phase are like the one before.
  const Prediction& predicted(const Communicator& communicator, const Group& group) const {
    const Asked asked{communicator, group.collective, group.bytes};
    if (!(last_asked == asked)) {
      last_prediction = predict(communicator, group.collective, static_cast<double>(group.bytes.count()));
      last_asked = asked;
    }
    return last_prediction;
  }

  /// What a phase gathers.
  struct Gathered {
    double latency = 0, alone = 0, hop_bytes = 0;
    bool host_network = false;  ///< from host memory to another host
  };

  /// One collective that NCCL runs on GPUs.
  void add_nccl(const Group& group, Gathered& out) const {
    const double bytes = static_cast<double>(group.bytes.count());
    const double n = count_of(group.members);
    Communicator c;
    c.ranks = count_of(group.members);
    c.hosts = part_count;
    c.nvlink = true;
    c.net = 1e30;
    c.net_channels = 1 << 20;
    c.channels = c.tree_channels = 1 << 20;
    c.compute_capability = 1 << 20;
    double ring = 1e30, tree = 1e30, nvls = 1e30;
    bool inside = false;
    for (int p = 0; p < part_count; ++p) {
      const auto& part = parts[ix(p)];
      const auto& model = links.host(part.host);
      c.compute_capability = std::min(c.compute_capability, model.compute_capability());
      if (part.count > 1) {
        const auto& local = model.local(part.gpus);
        inside = true;
        ring = std::min(ring, local.ring);
        tree = std::min(tree, local.tree);
        nvls = std::min(nvls, local.nvls ? local.nvls_bandwidth : 0);
        c.channels = std::min(c.channels, local.channels);
        c.tree_channels = std::min(c.tree_channels, local.tree_channels);
        c.nvlink = c.nvlink && local.nvlink;
        if (local.link_speed > 0)
          c.link_speed = c.link_speed > 0 ? std::min(c.link_speed, local.link_speed) : local.link_speed;
      } else {
        nvls = 0;
      }
      if (part_count > 1) {
        const auto net = links.group_net(part.host, part.gpus);
        c.net = std::min(c.net, net.first);
        c.net_channels = std::min(c.net_channels, net.second);
      }
    }
    c.ring = inside ? ring : 0;
    c.tree = inside ? tree : 0;
    c.nvls = inside ? nvls : 0;
    if (!inside) c.channels = c.tree_channels = c.net_channels, c.nvlink = false;
    const auto& prediction = predicted(c, group);
    out.latency = std::max(out.latency, prediction.latency);
    out.alone = std::max(out.alone, prediction.seconds - prediction.latency);

    // Loads and hop-bytes. Per-edge bytes of a ring whatever the algorithm moves outside: a tree
    // moves as much per host on average.
    const double edge = ring_bytes(group.collective, bytes, n);
    for (int p = 0; p < part_count; ++p) {
      const auto& part = parts[ix(p)];
      if (part.count < 2) continue;
      const double edges = part_count == 1 ? part.count : part.count - 1;
      const double per_gpu = prediction.algorithm == Algorithm::nvls || prediction.algorithm == Algorithm::nvls_tree
                                 ? bytes
                                 : edge * edges / part.count;
      links.add_local(part.host, part.gpus, per_gpu, edge * edges,
                      prediction.algorithm == Algorithm::tree ? bytes : 0);
      out.hop_bytes += edge * edges * distances.mean_inside(part.host, part.gpus, part.count);
    }
    if (part_count == 1) return;
    if (prediction.algorithm == Algorithm::tree || prediction.algorithm == Algorithm::nvls_tree) {
      // Double binary tree over hosts in rank order, half of the data each, up and down again.
      for (int tree_number = 0; tree_number < 2; ++tree_number) {
        for (int i = 0; i < part_count; ++i) {
          const int at = tree_number == 0 ? i : part_count - 1 - i;
          const int parent = tree_parent(i, part_count);
          if (parent < 0) continue;
          const int up = tree_number == 0 ? parent : part_count - 1 - parent;
          links.add_between(parts[ix(at)].host, parts[ix(at)].gpus, parts[ix(up)].host, parts[ix(up)].gpus, bytes / 2);
          links.add_between(parts[ix(up)].host, parts[ix(up)].gpus, parts[ix(at)].host, parts[ix(at)].gpus, bytes / 2);
        }
      }
    } else {
      for (int p = 0; p < part_count; ++p) {
        const auto& from = parts[ix(p)];
        const auto& to = parts[ix((p + 1) % part_count)];
        links.add_between(from.host, from.gpus, to.host, to.gpus, edge);
      }
    }
    for (int p = 0; p < part_count; ++p) {
      const auto& from = parts[ix(p)];
      const auto& to = parts[ix((p + 1) % part_count)];
      out.hop_bytes += edge * distances.at_level(links.levels().crossing(from.host, to.host));
    }
  }

  void add_alltoall(const Group& group, Gathered& out) const {
    const double bytes = static_cast<double>(group.bytes.count());
    const double n = count_of(group.members);
    const double pair_bytes = bytes / n;  // one direction
    const bool gpu = parts[0].gpus.size() == ix(parts[0].count);
    double slowest_inside = 0;
    for (int p = 0; p < part_count; ++p) {
      const auto& part = parts[ix(p)];
      if (part.count > 1) {
        links.add_local_alltoall(part.host, part.gpus, part.count, pair_bytes);
        out.hop_bytes += pair_bytes * part.count * (part.count - 1) * distances.mean_inside(part.host, part.gpus, part.count);
      }
      if (part_count > 1) {
        const double outside = pair_bytes * part.count * (n - part.count);
        links.add_host_traffic(part.host, part.gpus, outside);
        slowest_inside = std::max(slowest_inside, outside);
      }
    }
    if (part_count > 1) {
      // Pairs by the level they cross: pairs inside a block one level up less those inside here.
      const auto& levels = links.levels().levels;
      double inside_below = 0;
      for (int p = 0; p < part_count; ++p) inside_below += static_cast<double>(parts[ix(p)].count) * (parts[ix(p)].count - 1);
      for (int l = 0; l < count_of(levels); ++l) {
        double inside = n * (n - 1);
        if (l + 1 < count_of(levels)) {
          std::map<int, double> counts;
          for (int p = 0; p < part_count; ++p) counts[levels[ix(l + 1)].block[ix(parts[ix(p)].host)]] += parts[ix(p)].count;
          inside = 0;
          for (const auto& [block, count] : counts) {
            inside += count * (count - 1);
            links.add_uplink(l + 1, block, pair_bytes * count * (n - count), pair_bytes * count * (n - count));
          }
        }
        out.hop_bytes += pair_bytes * (inside - inside_below) * distances.at_level(l);
        links.count_level(levels[ix(l)].name, pair_bytes * (inside - inside_below));
        inside_below = inside;
      }
    }
    out.host_network = out.host_network || (!gpu && part_count > 1);
    const double hop = gpu ? (part_count > 1 ? kRingNet.simple : kRingNvlink.simple)
                           : (part_count > 1 ? kHostNetStepUs : kHostStepUs);
    out.latency = std::max(out.latency, ((gpu ? kRingBase.simple : 0) + hop * (gpu ? 1 : n - 1)) * 1e-6);
  }

  double hop_latency(const Seat& a, const Seat& b) const {
    if (a.gpu >= 0 && b.gpu >= 0) return (a.host == b.host ? kRingNvlink.simple : kRingNet.simple) * 1e-6;
    return (a.host == b.host ? kHostStepUs : kHostNetStepUs) * 1e-6;
  }

  /// Point to point: member i to member i + 1, `forward` bytes on and `back` bytes the other way.
  void add_chain(const Group& group, const std::vector<Seat>& seats, double forward, double back, bool closed,
                 double steps, Gathered& out) const {
    const int n = count_of(group.members);
    double hop = 0;
    for (int i = 0; i + (closed ? 0 : 1) < n; ++i) {
      const auto& from = seats[ix(group.members[ix(i)])];
      const auto& to = seats[ix(group.members[ix((i + 1) % n)])];
      links.add_flow(from, to, forward);
      if (back > 0) links.add_flow(to, from, back);
      out.hop_bytes += (forward + back) * distances.between(from, to);
      hop = std::max(hop, hop_latency(from, to));
      out.host_network = out.host_network || (from.host != to.host && (from.gpu < 0 || to.gpu < 0));
    }
    out.latency = std::max(out.latency, hop * steps);
  }

  void add_group(const Group& group, const std::vector<Seat>& seats, Gathered& out) const {
    const int n = count_of(group.members);
    if (n < 2) return;
    const double bytes = static_cast<double>(group.bytes.count());
    if (group.collective == Collective::path) return add_chain(group, seats, bytes / 2, bytes / 2, false, 2, out);
    if (group.collective == Collective::ring) return add_chain(group, seats, bytes, 0, true, 1, out);
    split(group, seats);
    if (group.collective == Collective::alltoall) return add_alltoall(group, out);
    bool gpus = true;
    for (int p = 0; p < part_count; ++p) gpus = gpus && count_of(parts[ix(p)].gpus) == parts[ix(p)].count;
    if (gpus) return add_nccl(group, out);
    // MPI's ring through host memory follows rank order. Its steps wait for each other: what a step
    // costs besides the network comes on top.
    const double steps = goes_around_twice(group.collective) ? 2.0 * (n - 1) : n - 1.0;
    Gathered ring;
    add_chain(group, seats, ring_bytes(group.collective, bytes, n), 0, true, steps, ring);
    if (ring.host_network) ring.latency += steps * kRingStepCopies * (bytes / n) / (kHostCopyGbps * 1e9);
    out.latency = std::max(out.latency, ring.latency);
    out.hop_bytes += ring.hop_bytes;
    out.host_network = out.host_network || ring.host_network;
  }

  struct Total {
    double seconds = 0, hop_bytes = 0;
  };

  /// `times` gets each phase's, if given.
  Total run(const std::vector<Seat>& seats, std::vector<PhaseTime>* times = nullptr) const {
    Total total;
    double overlapped = 0;
    links.clear_totals();
    for (const auto& phase : phases) {
      Gathered gathered;
      links.begin_phase();
      for (const int g : phase.groups) add_group(graph.groups[ix(g)], seats, gathered);
      const double busiest = links.end_phase() / (gathered.host_network && over_tcp ? kTcpPayload : 1);
      const double time = gathered.latency + std::max(gathered.alone, busiest);
      total.hop_bytes += gathered.hop_bytes;
      if (times != nullptr && links.timed()) times->push_back({phase.name, Seconds(time), phase.overlapped});
      if (phase.overlapped) overlapped = std::max(overlapped, time);
      else total.seconds += time;
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
        hop = std::max(hop, hop_latency(a, b));
        host_network = host_network || (a.host != b.host && (a.gpu < 0 || b.gpu < 0));
      }
      const double time = hop + links.end_phase() / (host_network && over_tcp ? kTcpPayload : 1);
      if (times != nullptr && links.timed()) times->push_back({"messages", Seconds(time), false});
      total.seconds += time;
    }
    total.seconds += overlapped;
    if (!links.timed()) total.seconds = 0;
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
  const Score score{total.seconds, total.hop_bytes, tables_->links.busiest().bytes};
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
  const auto busiest = tables_->links.busiest();
  estimate.max_link.name = busiest.name;
  estimate.max_link.bytes = static_cast<std::int64_t>(std::llround(std::min(busiest.bytes, 9e18)));
  estimate.max_link.seconds = Seconds(timed() ? busiest.seconds : 0);
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
