// SPDX-License-Identifier: Apache-2.0
#include "mapping/group_cost.h"

#include <algorithm>
#include <map>

#include "mapping/constants.h"
#include "mapping/index.h"
#include "mapping/levels.h"

namespace topolaunch::mapping {
using namespace constants;

double hop_latency(const Links& links, const Seat& a, const Seat& b) {
  if (a.gpu >= 0 && b.gpu >= 0)
    return (links.island(a.host) == links.island(b.host) ? kRingNvlink.simple : kRingNet.simple) * 1e-6;
  return (a.host == b.host ? kHostStepUs : kHostNetStepUs) * 1e-6;
}

void GroupCost::split(const Group& group, const std::vector<Seat>& seats) const {
  for (int p = 0; p < part_count_; ++p) part_of_host_[ix(parts_[ix(p)].host)] = -1;
  part_count_ = 0;
  for (const int rank : group.members) {
    const auto& seat = seats[ix(rank)];
    int& at = part_of_host_[ix(seat.host)];
    if (at < 0) {
      at = part_count_++;
      if (count_of(parts_) < part_count_) parts_.emplace_back();
      parts_[ix(at)].host = seat.host;
      parts_[ix(at)].gpus.clear();
      parts_[ix(at)].count = 0;
    }
    ++parts_[ix(at)].count;
    if (seat.gpu >= 0) parts_[ix(at)].gpus.push_back(seat.gpu);
  }
  for (int p = 0; p < part_count_; ++p)
    std::sort(parts_[ix(p)].gpus.begin(), parts_[ix(p)].gpus.end());
}

/// Parts of one island side by side, in the order of the islands' first members.
void GroupCost::join() const {
  const auto end = parts_.begin() + part_count_;
  if (links_.islands_of_hosts()) {
    const auto order = [&](const Part& part) {
      return std::find_if(parts_.begin(), end, [&](const Part& p) { return links_.island(p.host) == links_.island(part.host); }) - parts_.begin();
    };
    std::vector<std::pair<std::ptrdiff_t, Part>> ordered;
    for (auto part = parts_.begin(); part != end; ++part) ordered.emplace_back(order(*part), *part);
    std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (int p = 0; p < part_count_; ++p) parts_[ix(p)] = std::move(ordered[ix(p)].second);
  }
  island_count_ = 0;
  for (int p = 0; p < part_count_; ++p) {
    const bool fresh = p == 0 || links_.island(parts_[ix(p)].host) != links_.island(parts_[ix(p - 1)].host);
    if (fresh && count_of(islands_) <= island_count_) islands_.emplace_back();
    if (fresh) islands_[ix(island_count_++)] = {p, 0, 0};
    auto& island = islands_[ix(island_count_ - 1)];
    ++island.parts;
    island.count += parts_[ix(p)].count;
  }
}

/// Valid until the next call.
const LocalBandwidth& GroupCost::local(const Island& island) const {
  const auto& first = parts_[ix(island.first)];
  const auto& model = links_.host(first.host);
  if (island.parts == 1) return model.local(first.gpus);
  double slowest = 1e30;
  for (int p = island.first; p < island.first + island.parts; ++p)
    for (const int g : parts_[ix(p)].gpus) slowest = std::min(slowest, links_.host(parts_[ix(p)].host).port(g));
  joined_ = model.switched(slowest, island.count);
  return joined_;
}

/// NCCL's choice for one communicator; most groups of a phase are like the one before.
const Prediction& GroupCost::predicted(const Communicator& communicator, const Group& group) const {
  const Asked asked{communicator, group.collective, group.bytes};
  if (!(last_asked_ == asked)) {
    last_prediction_ =
        predict(communicator, group.collective, static_cast<double>(group.bytes.count()));
    last_asked_ = asked;
  }
  return last_prediction_;
}

/// What NCCL sees of the group: the least of its islands.
Communicator GroupCost::communicator_of(const Group& group) const {
  Communicator c;
  c.ranks = count_of(group.members);
  c.hosts = island_count_;
  c.nvlink = true;
  c.net = 1e30;
  c.net_channels = 1 << 20;
  c.channels = c.tree_channels = 1 << 20;
  c.compute_capability = 1 << 20;
  double ring = 1e30, tree = 1e30, nvls = 1e30;
  bool inside = false;
  for (int i = 0; i < island_count_; ++i) {
    const auto& island = islands_[ix(i)];
    double net = 0;
    int net_channels = 0;
    for (int p = island.first; p < island.first + island.parts; ++p) {
      const auto& part = parts_[ix(p)];
      c.compute_capability = std::min(c.compute_capability, links_.host(part.host).compute_capability());
      if (island_count_ == 1) continue;
      const auto way_out = links_.group_net(part.host, part.gpus);
      net += way_out.first;
      net_channels += way_out.second;
    }
    if (island_count_ > 1) {
      c.net = std::min(c.net, net);
      c.net_channels = std::min(c.net_channels, net_channels);
    }
    if (island.count > 1) {
      const auto& local = this->local(island);
      inside = true;
      ring = std::min(ring, local.ring);
      tree = std::min(tree, local.tree);
      nvls = std::min(nvls, local.nvls ? local.nvls_bandwidth : 0);
      c.channels = std::min(c.channels, local.channels);
      c.tree_channels = std::min(c.tree_channels, local.tree_channels);
      c.nvlink = c.nvlink && local.nvlink;
      if (local.link_speed > 0)
        c.link_speed =
            c.link_speed > 0 ? std::min(c.link_speed, local.link_speed) : local.link_speed;
    } else {
      nvls = 0;
    }
  }
  c.ring = inside ? ring : 0;
  c.tree = inside ? tree : 0;
  c.nvls = inside ? nvls : 0;
  if (!inside) c.channels = c.tree_channels = c.net_channels, c.nvlink = false;
  return c;
}

/// One collective that NCCL runs on GPUs.
void GroupCost::add_nccl(const Group& group, GroupTotals& out) const {
  const double bytes = static_cast<double>(group.bytes.count());
  const double n = count_of(group.members);
  join();
  const auto& prediction = predicted(communicator_of(group), group);
  out.latency = std::max(out.latency, prediction.latency);
  out.alone = std::max(out.alone, prediction.seconds - prediction.latency);

  // Loads and hop-bytes. Per-edge bytes of a ring whatever the algorithm moves outside: a tree
  // moves as much per host on average.
  const double edge = ring_bytes(group.collective, bytes, n);
  for (int i = 0; i < island_count_; ++i)
    if (islands_[ix(i)].count > 1) add_island(islands_[ix(i)], prediction.algorithm, bytes, edge, out);
  if (island_count_ > 1) add_nccl_network(prediction.algorithm, bytes, edge, out);
}

void GroupCost::add_island(const Island& island, Algorithm algorithm, double bytes, double edge,
                           GroupTotals& out) const {
  const bool closed = island_count_ == 1;
  const double edges = closed ? island.count : island.count - 1;
  // The ring visits one host after the other.
  const double over_hosts = island.parts == 1 ? 0 : closed ? island.parts : island.parts - 1;
  const double per_gpu = algorithm == Algorithm::nvls || algorithm == Algorithm::nvls_tree
                             ? bytes
                             : edge * edges / island.count;
  for (int p = island.first; p < island.first + island.parts; ++p) {
    const auto& part = parts_[ix(p)];
    const double inside = island.parts == 1 ? edges : part.count - 1;
    links_.add_local(part.host, part.gpus, per_gpu, edge * inside, algorithm == Algorithm::tree ? bytes : 0);
    out.hop_bytes += edge * inside * distances_.mean_inside(part.host, part.gpus, part.count);
  }
  if (over_hosts == 0) return;
  links_.count_level(links_.levels().levels.front().name, edge * over_hosts);
  for (int i = 0; i < static_cast<int>(over_hosts); ++i)
    out.hop_bytes += edge * distances_.between_hosts(parts_[ix(island.first + i)].host,
                                                     parts_[ix(island.first + (i + 1) % island.parts)].host);
}

/// Between the hosts: a tree carries `bytes`, a ring `edge` over each of its edges.
void GroupCost::add_nccl_network(Algorithm algorithm, double bytes, double edge,
                                 GroupTotals& out) const {
  const int n = island_count_;
  if (algorithm == Algorithm::tree || algorithm == Algorithm::nvls_tree) {
    // Double binary tree over hosts in rank order, half of the data each, up and down again.
    for (int i = 0; i < n; ++i)
      for (const int up : {tree_parent(i, n), second_tree_parent(i, n)}) {
        if (up < 0) continue;
        add_between(islands_[ix(i)], islands_[ix(up)], bytes / 2);
        add_between(islands_[ix(up)], islands_[ix(i)], bytes / 2);
      }
  } else {
    for (int i = 0; i < n; ++i) add_between(islands_[ix(i)], islands_[ix((i + 1) % n)], edge);
  }
  for (int i = 0; i < n; ++i) {
    const int from = parts_[ix(islands_[ix(i)].first)].host;
    const int to = parts_[ix(islands_[ix((i + 1) % n)].first)].host;
    out.hop_bytes += edge * distances_.between_hosts(from, to);
  }
}

/// Over the NICs of all hosts of both, each as much as it has members.
void GroupCost::add_between(const Island& from, const Island& to, double bytes) const {
  const bool pairs = from.parts == to.parts;
  for (int i = 0; i < from.parts; ++i)
    for (int j = pairs ? i : 0; j < (pairs ? i + 1 : to.parts); ++j) {
      const auto& a = parts_[ix(from.first + i)];
      const auto& b = parts_[ix(to.first + j)];
      const double share = pairs ? static_cast<double>(a.count) / from.count
                                 : static_cast<double>(a.count) / from.count * b.count / to.count;
      links_.add_between(a.host, a.gpus, b.host, b.gpus, bytes * share);
    }
}

void GroupCost::add_alltoall(const Group& group, GroupTotals& out) const {
  const double bytes = static_cast<double>(group.bytes.count());
  const double n = count_of(group.members);
  const double pair_bytes = bytes / n;  // one direction
  const bool gpu = parts_[0].gpus.size() == ix(parts_[0].count);
  join();
  for (int p = 0, i = 0; p < part_count_; ++p) {
    const auto& part = parts_[ix(p)];
    if (p == islands_[ix(i)].first + islands_[ix(i)].parts) ++i;
    // Members that NVLink reaches, where all sit on GPUs.
    const double near = gpu ? islands_[ix(i)].count : part.count;
    if (part.count > 1) {
      links_.add_local_alltoall(part.host, part.gpus, part.count, pair_bytes);
      out.hop_bytes += pair_bytes * part.count * (part.count - 1) *
                       distances_.mean_inside(part.host, part.gpus, part.count);
    }
    if (near > part.count) links_.add_port_traffic(part.host, part.gpus, pair_bytes * part.count * (near - part.count));
    if (n > near) links_.add_host_traffic(part.host, part.gpus, pair_bytes * part.count * (n - near));
  }
  if (part_count_ > 1) add_alltoall_levels(n, pair_bytes, out);
  out.host_network = out.host_network || (!gpu && part_count_ > 1);
  const double hop = gpu ? (island_count_ > 1 ? kRingNet.simple : kRingNvlink.simple)
                         : (part_count_ > 1 ? kHostNetStepUs : kHostStepUs);
  out.latency =
      std::max(out.latency, ((gpu ? kRingBase.simple : 0) + hop * (gpu ? 1 : n - 1)) * 1e-6);
}

void GroupCost::add_alltoall_levels(double ranks, double pair_bytes, GroupTotals& out) const {
  // Pairs by the level they cross: pairs inside a block one level up less those inside here.
  const auto& levels = links_.levels().levels;
  double inside_below = 0;
  for (int p = 0; p < part_count_; ++p)
    inside_below += static_cast<double>(parts_[ix(p)].count) * (parts_[ix(p)].count - 1);
  for (int p = 0; p < part_count_ && distances_.of_each_pair(); ++p)
    for (int q = 0; q < part_count_; ++q)
      if (p != q)
        out.hop_bytes += pair_bytes * parts_[ix(p)].count * parts_[ix(q)].count *
                         distances_.between_hosts(parts_[ix(p)].host, parts_[ix(q)].host);
  for (int l = 0; l < count_of(levels); ++l) {
    double inside = ranks * (ranks - 1);
    if (l + 1 < count_of(levels)) {
      std::map<int, double> counts;
      for (int p = 0; p < part_count_; ++p)
        counts[levels[ix(l + 1)].block[ix(parts_[ix(p)].host)]] += parts_[ix(p)].count;
      inside = 0;
      for (const auto& [block, count] : counts) {
        inside += count * (count - 1);
        links_.add_uplink(l + 1, block, pair_bytes * count * (ranks - count),
                          pair_bytes * count * (ranks - count));
      }
    }
    if (!distances_.of_each_pair()) out.hop_bytes += pair_bytes * (inside - inside_below) * distances_.at_level(l);
    links_.count_level(levels[ix(l)].name, pair_bytes * (inside - inside_below));
    inside_below = inside;
  }
}

/// Point to point: member i to member i + 1, `forward` bytes on and `back` bytes the other way.
void GroupCost::add_chain(const Group& group, const std::vector<Seat>& seats, double forward,
                          double back, bool closed, double steps, GroupTotals& out) const {
  const int n = count_of(group.members);
  double hop = 0;
  for (int i = 0; i + (closed ? 0 : 1) < n; ++i) {
    const auto& from = seats[ix(group.members[ix(i)])];
    const auto& to = seats[ix(group.members[ix((i + 1) % n)])];
    links_.add_flow(from, to, forward);
    if (back > 0) links_.add_flow(to, from, back);
    out.hop_bytes += (forward + back) * distances_.between(from, to);
    hop = std::max(hop, hop_latency(links_, from, to));
    out.host_network = out.host_network || (from.host != to.host && (from.gpu < 0 || to.gpu < 0));
  }
  out.latency = std::max(out.latency, hop * steps);
}

void GroupCost::add(const Group& group, const std::vector<Seat>& seats, GroupTotals& out) const {
  const int n = count_of(group.members);
  if (n < 2) return;
  const double bytes = static_cast<double>(group.bytes.count());
  if (group.collective == Collective::path) {
    add_chain(group, seats, bytes / 2, bytes / 2, false, 2, out);
    if (group.wrap.count() <= 0) return;
    const Group back{group.dimension, {group.members.back(), group.members.front()}, Collective::path, group.wrap};
    return add(back, seats, out);
  }
  if (group.collective == Collective::ring) return add_chain(group, seats, bytes, 0, true, 1, out);
  split(group, seats);
  if (group.collective == Collective::alltoall) return add_alltoall(group, out);
  bool gpus = true;
  for (int p = 0; p < part_count_; ++p)
    gpus = gpus && count_of(parts_[ix(p)].gpus) == parts_[ix(p)].count;
  if (gpus) return add_nccl(group, out);
  // MPI's ring through host memory follows rank order. Its steps wait for each other: what a step
  // costs besides the network comes on top.
  const double steps = goes_around_twice(group.collective) ? 2.0 * (n - 1) : n - 1.0;
  GroupTotals ring;
  add_chain(group, seats, ring_bytes(group.collective, bytes, n), 0, true, steps, ring);
  if (ring.host_network)
    ring.latency += steps * kRingStepCopies * (bytes / n) / (kHostCopyGbps * 1e9);
  out.latency = std::max(out.latency, ring.latency);
  out.hop_bytes += ring.hop_bytes;
  out.host_network = out.host_network || ring.host_network;
}

}  // namespace topolaunch::mapping
