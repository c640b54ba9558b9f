// SPDX-License-Identifier: Apache-2.0
//
// Fact: one thing that one source saw, with its origin. Sources translate foreign text and structs
// into facts and nothing else; merging, precedence and conflicts live in assemble().
// Every optional or empty member means "this source does not say".
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "topo/topology.h"

namespace topolaunch::topo {

struct HostFact {
  std::string arch, cpu_vendor, boot_id;
  int cpu_family = 0, cpu_model = 0, packages = 0;
  CpuSet cpus, allowed_cpus, allowed_memory;
  std::optional<double> cpu_quota;
  Bytes memory;
  Bytes memory_limit;  ///< of the cgroup; 0 = none
  std::vector<std::vector<int>> smt;
  int slots = 0;
};

struct NumaFact {
  NumaNode node;
};

/// A GPU as one source sees it; matched with others on UUID, else on the full PCI address, else on
/// `index` within the source.
struct GpuFact {
  std::optional<int> index;  ///< the source's own number
  std::string uuid, model;
  std::optional<PciAddress> pci;
  unsigned pci_vendor = 0;  ///< 0x10de, 0x1002, ...; 0 = not said
  Bytes memory;
  int compute_capability = 0;
  std::optional<int> numa, memory_numa;
  CpuSet affinity;
  int pcie_generation = 0, pcie_width = 0, pcie_generation_max = 0, pcie_width_max = 0;
  std::vector<PciAddress> pcie_path;
  std::vector<MigInstance> mig;
  bool mig_enabled = false;
  std::string fabric_cluster;
  int fabric_clique = 0;
  bool fabric_pending = false;
};

/// Which GPU a link fact means.
struct GpuRef {
  std::string uuid;
  std::optional<PciAddress> pci;
  std::optional<int> index;  ///< within the same source
};

struct GpuLinkFact {
  GpuRef from;
  GpuLink::To to = GpuLink::To::unknown;
  GpuRef peer;  ///< when to == gpu
  LinkType type = LinkType::nvlink;
  int count = 0, inactive = 0;
  Bandwidth bandwidth;
};

struct P2pFact {
  GpuRef a, b;
  P2pStatus status = P2pStatus::unknown;
};

struct NicFact {
  Nic nic;  ///< `origins` is filled by assemble
};

struct SwitchFact {
  std::string name, parent;  ///< parent empty = a root
  int level = 0;
  Bandwidth uplink;
  std::vector<std::string> hosts;  ///< names of hosts that hang on it
};

/// Place of a PCI device of a kind that the source doesn't say (NCCL files may list bare addresses).
/// Goes to the GPU or NIC that another source knows at this address.
struct PciFact {
  PciAddress pci;
  unsigned pci_vendor = 0;  ///< 0x10de, ...; 0 = not said
  std::optional<int> numa;
  CpuSet affinity;
  std::vector<PciAddress> pcie_path;
  int pcie_generation = 0, pcie_width = 0;
};

/// What is said about the network as a whole.
struct FabricFact {
  std::vector<std::string> level_names;
  std::vector<double> distances;
  Bandwidth host_rate;
  std::vector<std::string> distance_hosts;  ///< rows of host_distances
  std::vector<double> host_distances;       ///< as Fabric's
};

/// That the host is part of the job. A host of which only this and the next three kinds speak counts
/// as not described: a machine without a name stands for it, too.
struct MentionFact {};

/// GPUs of the host by its type or its label; counts where no source sees the GPUs themselves.
struct GpuCountFact {
  int count = 0;
  std::string model;  ///< as nvidia-smi prints it, or a word of gpu_models(); empty = not said
};

/// The NVLink domain that the host's GPUs are in.
struct NvlinkDomainFact {
  std::string cluster;
  int clique = 0;
};

/// What the host goes by: Fact::host is what some source calls it (an instance id).
struct HostNameFact {
  std::string name;
};

/// One measurement between two hosts.
struct PairFact {
  enum class Of { bandwidth, latency, distance };
  std::string a, b;  ///< from, to
  Of of = Of::bandwidth;
  double value = 0;         ///< bytes per second, seconds, or what a distance is in
  bool concurrent = false;  ///< taken while all other hosts measured, too
};

struct WarningFact {
  Warning warning;
};

struct Fact {
  Origin origin;
  /// Empty: the whole job (switches, pairs), or a machine that its source doesn't name. Such a machine
  /// stands for every host that the switches name and nobody else describes.
  std::string host;
  std::variant<HostFact, NumaFact, GpuFact, GpuLinkFact, P2pFact, NicFact, SwitchFact, WarningFact,
               PciFact, FabricFact, MentionFact, GpuCountFact, NvlinkDomainFact, HostNameFact, PairFact>
      what;
};

}  // namespace topolaunch::topo
