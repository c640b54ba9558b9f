// SPDX-License-Identifier: Apache-2.0
//
// Devices as /sys shows them: NICs (RDMA and Ethernet), the place of every GPU on the PCI bus, and the
// GPUs themselves where a driver vouches for them.
#pragma once

#include <string>
#include <vector>

#include "topo/source.h"

namespace topolaunch::topo {

class SysfsSource final : public Source {
 public:
  explicit SysfsSource(std::string host) : host_(std::move(host)) {}
  std::string name() const override { return "sysfs"; }
  std::string host() const override { return host_; }
  bool live() const override { return true; }
  /// unavailable if there is no /sys, or if it is another machine's than the topology of CPUs.
  Result<std::vector<Fact>> look(const Outside& outside) const override;

 private:
  std::string host_;
};

/// Every real NIC. Left out: loopback, bridges, veth, tunnels and all else without hardware; USB
/// (management controllers) and wireless; virtual functions and representors of a card that is
/// listed itself.
std::vector<Nic> nics_of_sysfs(const Files& files);

/// GPUs with a driver that this process can reach: NVIDIA's by /proc/driver/nvidia, AMD's by amdgpu
/// and /dev/kfd. In a container /sys shows the host's GPUs though none may be opened; `devices` says
/// whether /dev is to be asked (not of a capture, which has none).
std::vector<GpuFact> gpus_of_sysfs(const Files& files, bool devices);

}  // namespace topolaunch::topo
