// SPDX-License-Identifier: Apache-2.0
#include "mapping/nccl_model.h"

#include <algorithm>
#include <cmath>

#include "mapping/constants.h"
#include "mapping/index.h"

namespace topolaunch::mapping {
namespace {

using namespace constants;

constexpr double kMicro = 1e-6, kGiga = 1e9;

/// Collects the fastest of the choices offered.
class Best {
 public:
  explicit Best(double bytes) : bytes_(bytes) {}
  void offer(Algorithm algorithm, const char* protocol, double latency_us, double algbw_gbps) {
    if (algbw_gbps <= 0) return;
    const double seconds = latency_us * kMicro + bytes_ / (algbw_gbps * kGiga);
    if (best_.algorithm != Algorithm::none && seconds >= best_.seconds) return;
    best_.algorithm = algorithm;
    best_.protocol = protocol;
    best_.latency = latency_us * kMicro;
    best_.seconds = seconds;
  }
  Prediction take() const { return best_; }

 private:
  double bytes_;
  Prediction best_;
};

}  // namespace

const char* name_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::ring: return "ring";
    case Algorithm::tree: return "tree";
    case Algorithm::nvls: return "NVLS";
    case Algorithm::nvls_tree: return "NVLS tree";
    case Algorithm::none: break;
  }
  return "none";
}

Prediction predict(const Communicator& c, Collective collective, double bytes) {
  if (c.ranks < 2 || bytes <= 0) return {};
  const double n = c.ranks;
  const auto generation = static_cast<std::size_t>(generation_of(c.compute_capability));
  const std::size_t many = c.hosts == 1 ? 0 : c.hosts == 2 ? 1 : 2;
  const Latency ring_hop = c.nvlink ? kRingNvlink : kRingPcie, tree_hop = c.nvlink ? kTreeNvlink : kTreePcie;
  const bool inside = c.ring > 0;  // some host holds more than one rank

  // Ring. NCCL sizes rings over hosts by the channels that the NICs carry.
  const double ring = c.hosts == 1 ? c.ring : c.net;
  const int channels = c.hosts == 1 ? c.channels : c.net_channels;
  const double rounds = goes_around_twice(collective) ? 2 : 1;
  const double steps = rounds * (n - 1);
  const double net_steps = c.hosts == 1 ? 0 : rounds * (c.hosts - 1);
  const double per_algbw = collective == Collective::broadcast ? 1 : n / (rounds * (n - 1));
  const auto ring_latency = [&](double base, double hop, double net) {
    return base + (steps - net_steps) * hop + net_steps * net;
  };
  Best best(bytes);
  const double llmax = kLlMax[generation][many];
  best.offer(Algorithm::ring, "LL", ring_latency(kRingBase.ll, ring_hop.ll, kRingNet.ll),
             std::min(llmax, ring * 0.5) * per_algbw);
  if (c.nvlink || !inside)
    best.offer(Algorithm::ring, "LL128", ring_latency(kRingBase.ll128, ring_hop.ll128, kRingNet.ll128),
               std::min(ring * kLl128Efficiency, kRingLl128PerChannel[generation][many] * channels) * per_algbw);
  const double many_hosts = c.hosts > 1 && c.compute_capability >= 80 ? kRingManyHosts : 1;
  best.offer(Algorithm::ring, "Simple",
             many_hosts * ring_latency(kRingBase.simple, ring_hop.simple, kRingNet.simple), ring * per_algbw);

  if (collective == Collective::allreduce) {
    // Tree. Each of two hosts sends one half of the data up and gets it back: twice the NICs' rate.
    double tree = inside ? c.tree : 1e9;
    int tree_channels = c.tree_channels;
    if (c.hosts > 1) {
      tree = std::min(tree, c.net * (c.hosts == 2 ? 2 : 1));
      if (c.link_speed > 0) tree = std::min(tree, c.link_speed * c.net_channels);
      tree_channels = inside ? std::max(c.net_channels, c.tree_channels) : c.net_channels;
    }
    const double per_host = n / c.hosts;
    const double levels = c.hosts > 1 ? std::log2(static_cast<double>(c.hosts)) : 0;
    const auto tree_latency = [&](double base, double hop, double net) {
      return base + 2 * ((per_host - 1) * hop + levels * net);
    };
    const double simple = std::min(tree * kTreeEfficiency, kTreePerChannel[generation][many] * tree_channels);
    best.offer(Algorithm::tree, "LL", tree_latency(kTreeBase.ll, tree_hop.ll, kTreeNet.ll),
               std::min(simple * kTreeLl, llmax) * 0.5);
    if (c.nvlink || !inside)
      best.offer(Algorithm::tree, "LL128", tree_latency(kTreeBase.ll128, tree_hop.ll128, kTreeNet.ll128),
                 std::min(tree * kTreeEfficiency * (c.hosts == 1 ? kTreeLl128OneHost : kTreeLl128),
                          kTreeLl128PerChannel[generation][many] * tree_channels) *
                     0.5);
    best.offer(Algorithm::tree, "Simple", tree_latency(kTreeBase.simple, tree_hop.simple, kTreeNet.simple),
               simple * 0.5);

    if (c.nvls > 0) {
      if (c.hosts == 1) {
        best.offer(Algorithm::nvls, "Simple", kNvlsLatency, c.nvls);
      } else {
        const double cap = kNvlsTreePerChannel[generation][many] * c.net_channels;
        const double net = c.net * (c.hosts == 2 ? 2 : 1);
        best.offer(Algorithm::nvls_tree, "Simple", kNvlsLatency + 2 * levels * kNvlsTreeNet,
                   std::min({c.nvls * 2, cap, net}) * per_algbw);
      }
    }
  }
  auto prediction = best.take();
  if (prediction.seconds > 0) prediction.busbw = bytes / prediction.seconds / kGiga / per_algbw;
  return prediction;
}

double ring_bytes(Collective collective, double bytes, double n) {
  if (goes_around_twice(collective)) return 2 * (n - 1) / n * bytes;
  if (collective == Collective::broadcast) return bytes;
  return (n - 1) / n * bytes;
}

int tree_parent(int i, int n) {
  if (i == 0) return -1;
  int bit = 1;
  while (bit < n && (i & bit) == 0) bit <<= 1;
  int up = (i ^ bit) | (bit << 1);
  if (up >= n) up = i ^ bit;
  return up == i ? -1 : up;
}

int second_tree_parent(int i, int n) {
  const bool mirrored = n % 2 == 0;
  const int up = tree_parent(mirrored ? n - 1 - i : (i - 1 + n) % n, n);
  if (up < 0) return -1;
  return mirrored ? n - 1 - up : (up + 1) % n;
}

}  // namespace topolaunch::mapping
