// SPDX-License-Identifier: Apache-2.0
#include "mapping/group_cost.h"

#include <algorithm>
#include <map>

#include "mapping/constants.h"
#include "mapping/index.h"
#include "mapping/levels.h"

namespace topolaunch::mapping {
using namespace constants;

double hop_latency(const Seat& a, const Seat& b) {
  if (a.gpu >= 0 && b.gpu >= 0)
    return (a.host == b.host ? kRingNvlink.simple : kRingNet.simple) * 1e-6;
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

/// What NCCL sees of the group: the least of its hosts.
Communicator GroupCost::communicator_of(const Group& group) const {
  Communicator c;
  c.ranks = count_of(group.members);
  c.hosts = part_count_;
  c.nvlink = true;
  c.net = 1e30;
  c.net_channels = 1 << 20;
  c.channels = c.tree_channels = 1 << 20;
  c.compute_capability = 1 << 20;
  double ring = 1e30, tree = 1e30, nvls = 1e30;
  bool inside = false;
  for (int p = 0; p < part_count_; ++p) {
    const auto& part = parts_[ix(p)];
    const auto& model = links_.host(part.host);
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
        c.link_speed =
            c.link_speed > 0 ? std::min(c.link_speed, local.link_speed) : local.link_speed;
    } else {
      nvls = 0;
    }
    if (part_count_ > 1) {
      const auto net = links_.group_net(part.host, part.gpus);
      c.net = std::min(c.net, net.first);
      c.net_channels = std::min(c.net_channels, net.second);
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
  const auto& prediction = predicted(communicator_of(group), group);
  out.latency = std::max(out.latency, prediction.latency);
  out.alone = std::max(out.alone, prediction.seconds - prediction.latency);

  // Loads and hop-bytes. Per-edge bytes of a ring whatever the algorithm moves outside: a tree
  // moves as much per host on average.
  const double edge = ring_bytes(group.collective, bytes, n);
  for (int p = 0; p < part_count_; ++p) {
    const auto& part = parts_[ix(p)];
    if (part.count < 2) continue;
    const double edges = part_count_ == 1 ? part.count : part.count - 1;
    const double per_gpu =
        prediction.algorithm == Algorithm::nvls || prediction.algorithm == Algorithm::nvls_tree
            ? bytes
            : edge * edges / part.count;
    links_.add_local(part.host, part.gpus, per_gpu, edge * edges,
                     prediction.algorithm == Algorithm::tree ? bytes : 0);
    out.hop_bytes += edge * edges * distances_.mean_inside(part.host, part.gpus, part.count);
  }
  if (part_count_ > 1) add_nccl_network(prediction.algorithm, bytes, edge, out);
}

/// Between the hosts: a tree carries `bytes`, a ring `edge` over each of its edges.
void GroupCost::add_nccl_network(Algorithm algorithm, double bytes, double edge,
                                 GroupTotals& out) const {
  if (algorithm == Algorithm::tree || algorithm == Algorithm::nvls_tree) {
    // Double binary tree over hosts in rank order, half of the data each, up and down again.
    for (int tree_number = 0; tree_number < 2; ++tree_number) {
      for (int i = 0; i < part_count_; ++i) {
        const int at = tree_number == 0 ? i : part_count_ - 1 - i;
        const int parent = tree_parent(i, part_count_);
        if (parent < 0) continue;
        const int up = tree_number == 0 ? parent : part_count_ - 1 - parent;
        links_.add_between(parts_[ix(at)].host, parts_[ix(at)].gpus, parts_[ix(up)].host,
                           parts_[ix(up)].gpus, bytes / 2);
        links_.add_between(parts_[ix(up)].host, parts_[ix(up)].gpus, parts_[ix(at)].host,
                           parts_[ix(at)].gpus, bytes / 2);
      }
    }
  } else {
    for (int p = 0; p < part_count_; ++p) {
      const auto& from = parts_[ix(p)];
      const auto& to = parts_[ix((p + 1) % part_count_)];
      links_.add_between(from.host, from.gpus, to.host, to.gpus, edge);
    }
  }
  for (int p = 0; p < part_count_; ++p) {
    const auto& from = parts_[ix(p)];
    const auto& to = parts_[ix((p + 1) % part_count_)];
    out.hop_bytes += edge * distances_.at_level(links_.levels().crossing(from.host, to.host));
  }
}

void GroupCost::add_alltoall(const Group& group, GroupTotals& out) const {
  const double bytes = static_cast<double>(group.bytes.count());
  const double n = count_of(group.members);
  const double pair_bytes = bytes / n;  // one direction
  const bool gpu = parts_[0].gpus.size() == ix(parts_[0].count);
  for (int p = 0; p < part_count_; ++p) {
    const auto& part = parts_[ix(p)];
    if (part.count > 1) {
      links_.add_local_alltoall(part.host, part.gpus, part.count, pair_bytes);
      out.hop_bytes += pair_bytes * part.count * (part.count - 1) *
                       distances_.mean_inside(part.host, part.gpus, part.count);
    }
    if (part_count_ > 1)
      links_.add_host_traffic(part.host, part.gpus, pair_bytes * part.count * (n - part.count));
  }
  if (part_count_ > 1) add_alltoall_levels(n, pair_bytes, out);
  out.host_network = out.host_network || (!gpu && part_count_ > 1);
  const double hop = gpu ? (part_count_ > 1 ? kRingNet.simple : kRingNvlink.simple)
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
    out.hop_bytes += pair_bytes * (inside - inside_below) * distances_.at_level(l);
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
    hop = std::max(hop, hop_latency(from, to));
    out.host_network = out.host_network || (from.host != to.host && (from.gpu < 0 || to.gpu < 0));
  }
  out.latency = std::max(out.latency, hop * steps);
}

void GroupCost::add(const Group& group, const std::vector<Seat>& seats, GroupTotals& out) const {
  const int n = count_of(group.members);
  if (n < 2) return;
  const double bytes = static_cast<double>(group.bytes.count());
  if (group.collective == Collective::path)
    return add_chain(group, seats, bytes / 2, bytes / 2, false, 2, out);
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
