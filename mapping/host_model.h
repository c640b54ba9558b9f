// SPDX-License-Identifier: Apache-2.0
//
// HostModel: the bandwidths inside one kind of host, as NCCL's model sees them. Equal hosts share
// one model, so a cluster of thousands costs a handful.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mapping/rings.h"
#include "topo/topology.h"

namespace topolaunch::mapping {

/// How two GPUs of a host reach each other.
/// `nics` is out of one NIC and in at the other, which NCCL prefers where the sockets' link is
/// slower.
enum class Road { nvlink, nvswitch, pcie_switch, pcie_cpu, cpu_cpu, nics };

/// What a set of GPUs of one host reaches together. GB/s.
struct LocalBandwidth {
  double ring = 0;      ///< all ring channels
  double tree = 0;      ///< all chains
  int channels = 0, tree_channels = 0;
  double link_speed = 0;  ///< single NVLinks: of one channel; 0 = any
  bool nvlink = false;  ///< over NVLink or NVSwitch throughout
  bool nvls = false;    ///< NVSwitch multicast
  double nvls_bandwidth = 0;
  std::vector<std::pair<std::pair<int, int>, double>> load;  ///< single NVLinks that the rings use
  std::vector<std::pair<std::pair<int, int>, double>>
      chain_load;          ///< and the chains, where those carry more
  std::vector<int> order;  ///< PCIe: the order of the ring, neighbours in the machine side by side
};

class HostModel {
 public:
  explicit HostModel(const topo::Host& host);

  int gpus() const { return gpus_; }
  int compute_capability() const { return compute_capability_; }
  double pair(int a, int b) const { return pair_[cell(a, b)]; }  ///< GB/s
  Road road(int a, int b) const { return road_[cell(a, b)]; }
  double port(int gpu) const {
    return port_[static_cast<std::size_t>(gpu)];
  }  ///< into the NVSwitch
  double pcie(int gpu) const { return pcie_[static_cast<std::size_t>(gpu)]; }
  int pcie_switch(int gpu) const {
    return switch_[static_cast<std::size_t>(gpu)];
  }  ///< number in the host
  int socket(int gpu) const { return socket_[static_cast<std::size_t>(gpu)]; }
  double cpu_cpu() const { return cpu_cpu_; }
  /// Mean of 1 / bandwidth over the pairs of a set (sorted, at least two ranks); 0 for two on one GPU.
  double mean_inverse(const std::vector<int>& gpus) const;
  bool uniform() const { return uniform_; }  ///< all pairs have one bandwidth
  /// Nearest NICs of a GPU, by index in Host::nics.
  const std::vector<int>& nics(int gpu) const { return nics_[static_cast<std::size_t>(gpu)]; }
  double nic(int nic) const { return nic_gbps_[static_cast<std::size_t>(nic)]; }  ///< GB/s
  int nic_count() const { return static_cast<int>(nic_gbps_.size()); }
  /// Cached; `gpus` sorted, at least two.
  const LocalBandwidth& local(const std::vector<int>& gpus) const;

  /// `count` GPUs of this kind on NVSwitches, of several hosts even; `slowest`: the least port, GB/s.
  LocalBandwidth switched(double slowest, int count) const;

  /// NICs near those of `gpus` that are on the socket of `gpu`.
  std::vector<int> socket_nics(const std::vector<int>& gpus, int gpu) const;

  /// Hosts with the same bytes have the same model.
  static std::string signature(const topo::Host& host);

 private:
  LocalBandwidth compute(const std::vector<int>& gpus) const;
  std::size_t cell(int a, int b) const {
    return static_cast<std::size_t>(a) * static_cast<std::size_t>(gpus_) +
           static_cast<std::size_t>(b);
  }

  int gpus_ = 0;
  int compute_capability_ = 0;
  double cpu_cpu_ = 0;
  bool uniform_ = true;
  std::vector<double> pair_, port_, pcie_, nic_gbps_;
  std::vector<Road> road_;
  std::vector<int> switch_, socket_;
  std::vector<std::vector<int>> nics_;
  mutable std::map<std::vector<int>, LocalBandwidth> cache_;
};

}  // namespace topolaunch::mapping
