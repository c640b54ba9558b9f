// SPDX-License-Identifier: Apache-2.0
//
// What is said of a host's parts, the same in the tree and in the drawings: short models, rates in
// the unit that network people use, CPU lists, the GPUs next to a NIC, the links of a GPU pair.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/counted.h"
#include "topo/topology.h"

namespace topolaunch::topo {

/// "400 Gb/s": network people count bits.
std::string bits_text(Bandwidth rate);
/// "gpu0-3,6"
std::string gpu_numbers(const std::vector<int>& gpus);
/// "H100 80GB HBM3"; "sm_90" or "(model unknown)" where no model is known.
std::string short_model(const Gpu& gpu);
/// "InfiniBand", "RoCE", "Ethernet", "EFA", "RDMA", "DOWN"; empty where nothing is known.
std::string layer_text(const Nic& nic);
/// "0-86:2" for CPUs that are dealt out in turn (kernels read that form too), else the usual list.
std::string cpu_text(const CpuSet& set);
/// "7 x 1g.10gb"; "on, no instance".
std::string mig_text(const Gpu& gpu);

/// The GPUs that a NIC is nearest to, and how near.
struct Nearest {
  PciRelation relation = PciRelation::unknown;
  std::vector<int> gpus;  ///< all, where relation is unknown
};
Nearest nearest_gpus(const Host& host, const Nic& nic);

/// What joins two GPUs besides PCIe.
struct GpuPair {
  int count = 0;  ///< links; 0 = none
  LinkType type = LinkType::nvlink;
  Bandwidth rate;
  bool switched = false;  ///< through an NVSwitch: the narrower of both GPUs' links to it
};
GpuPair pair_of(const Gpu& a, const Gpu& b);
/// The GPU's links of that kind; nothing where it has none that are up.
const GpuLink* link_to(const Gpu& gpu, GpuLink::To to, int peer = -1);

/// What a GPU's row doesn't say: C2C, NVLink domain, links that are down; once for all GPUs that
/// are alike: "gpu0-3: 2 links DOWN".
std::vector<std::string> link_notes(const Host& host);

}  // namespace topolaunch::topo
