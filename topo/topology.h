// SPDX-License-Identifier: Apache-2.0
//
// Topology: what the path knows of the machines of a job. Made by assemble() from a Survey, or by
// the codecs; immutable afterwards. Indices into the vectors are the identities inside one
// Topology; UUIDs and PCI addresses are the identities across sources.
//
//   const Gpu& gpu = topology.hosts[0].gpus[3];   // the fourth GPU in PCI order
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/cpu_set.h"
#include "base/units.h"
#include "topo/pci_address.h"

namespace topolaunch::topo {

/// Where a fact comes from.
struct Origin {
  std::string source;  ///< "nvml", "hwloc", "sysfs", "nccl-xml", "hwloc-xml", "synthetic", ...
  std::string file;    ///< input file; empty for a live source
  int line = 0;
  std::string text() const;  ///< "nvml" or "nccl-xml topo.xml:12"
  friend bool operator==(const Origin&, const Origin&) = default;
};

struct NumaNode {
  int id = 0;        ///< the operating system's number; not contiguous on many machines
  CpuSet cpus;       ///< all its CPUs that exist; empty for memory-only nodes (GPU memory, CXL)
  Bytes memory;      ///< 0 = unknown
  int package = -1;  ///< socket number; -1 = unknown
};

enum class LinkType { nvlink, xgmi, c2c };

/// NVLinks from one GPU to one peer.
struct GpuLink {
  enum class To { gpu, nvswitch, cpu, unknown };
  To to = To::unknown;
  int peer = -1;  ///< index in Host::gpus when to == gpu
  LinkType type = LinkType::nvlink;
  int count = 0;       ///< active links
  int inactive = 0;    ///< links that exist and are down
  Bandwidth bandwidth; ///< all `count` links together, one direction; unknown if not known
};

/// One MIG instance of a GPU.
struct MigInstance {
  std::string uuid;     ///< "MIG-..."
  std::string profile;  ///< "1g.10gb"
  Bytes memory;
};

struct Gpu {
  int index = 0;  ///< position in Host::gpus: PCI order, CUDA's with CUDA_DEVICE_ORDER=PCI_BUS_ID
  std::string uuid;                ///< "GPU-..."; empty = unknown
  std::optional<PciAddress> pci;
  std::string model;               ///< "NVIDIA H100 80GB HBM3"; empty = unknown
  Bytes memory;                    ///< 0 = unknown
  int compute_capability = 0;      ///< 90 for 9.0; 0 = unknown
  std::optional<int> numa;         ///< nearest NUMA node with CPUs; nothing = unknown
  CpuSet affinity;                 ///< CPUs that a source called nearest; empty = unknown
  std::optional<int> memory_numa;  ///< NUMA node that is the GPU's own memory (Grace)
  int pcie_generation = 0, pcie_width = 0;          ///< as running; 0 = unknown
  int pcie_generation_max = 0, pcie_width_max = 0;  ///< what the device can do; 0 = unknown
  std::vector<PciAddress> pcie_path;  ///< bridges and switches above it, root first
  std::vector<GpuLink> links;
  std::vector<MigInstance> mig;
  bool mig_enabled = false;
  std::string fabric_cluster;  ///< NVLink domain (cluster UUID); empty or all zero = none
  int fabric_clique = 0;
  bool fabric_pending = false;  ///< the fabric is still coming up: domain not known yet
  std::vector<Origin> origins;
};

struct Nic {
  std::string name;     ///< RDMA name (mlx5_0, rdmap199s27) where there is one, else netdev
  std::string netdev;   ///< ens1; empty = none
  std::optional<PciAddress> pci;
  std::optional<int> numa;
  Bandwidth rate;       ///< of all its ports that are up, one direction; unknown if not known
  enum class Layer { unknown, infiniband, ethernet, efa } layer = Layer::unknown;
  bool rdma = false;
  bool up = true;
  std::string guid;
  std::vector<PciAddress> pcie_path;  ///< root first
  std::vector<Origin> origins;
};

/// How two GPUs, or a GPU and a NIC, reach each other over PCIe, in nvidia-smi's words.
enum class PciRelation { same, pix, pxb, phb, node, sys, unknown };

/// Peer-to-peer status of a GPU pair as NVML reports it (read capability).
enum class P2pStatus { unknown, ok, not_supported, disabled };

struct Host {
  std::string name;
  std::string arch;       ///< "x86_64", "aarch64"; empty = unknown
  std::string cpu_vendor; ///< "GenuineIntel", ...; empty = unknown
  int cpu_family = 0, cpu_model = 0;
  int packages = 0;
  CpuSet cpus;            ///< every CPU that exists
  CpuSet allowed_cpus;    ///< CPUs that this process may use (cpuset, affinity); == cpus if unrestricted
  CpuSet allowed_memory;  ///< NUMA node ids whose memory may be used
  std::optional<double> cpu_quota;  ///< CPUs' worth of time per second; nothing = no quota
  Bytes memory;
  Bytes memory_limit;     ///< what the cgroup lets this process use; 0 = no limit
  std::vector<NumaNode> numa;   ///< sorted by id
  std::vector<std::vector<int>> smt;  ///< CPUs grouped by core, allowed or not; may be empty
  std::vector<Gpu> gpus;        ///< PCI order
  std::vector<Nic> nics;        ///< sorted by PCI address, then name
  std::vector<std::vector<P2pStatus>> p2p;  ///< gpus x gpus; empty = not known
  int slots = 0;                ///< ranks that fit where a source says so (tree spec, host list); 0 = not said
  std::string boot_id;          ///< empty = unknown

  const NumaNode* numa_node(int id) const;
  PciRelation relation(const Gpu& a, const Gpu& b) const;
  PciRelation relation(const Gpu& gpu, const Nic& nic) const;
};

/// One switch of the fabric: a leaf, a spine, an NVLink domain's box is not one.
struct Switch {
  std::string name;
  int parent = -1;      ///< index in Fabric::switches; -1 = a root
  int level = 0;        ///< 0 = leaf
  Bandwidth uplink;     ///< all its links to the parent together, one direction; unknown if not known
};

/// Where hosts hang on the network. A host of which no source knows the place has leaf -1.
struct Fabric {
  std::vector<Switch> switches;
  std::vector<int> leaf_of_host;       ///< parallel to Topology::hosts; -1 = unknown
  std::vector<std::string> level_names;  ///< innermost first: "leaf", "spine", ...
  Bandwidth host_rate;                 ///< one host's link into its leaf where NICs don't say it
  /// Distances that the user gave, innermost first: [0] two seats of one host, [1] two hosts of one
  /// leaf, [2] two leaves of one switch of level 1, ... The last one also holds for seats with no
  /// switch in common. Empty = none given.
  std::vector<double> distances;
  /// From each host to each, row by row in the order of Topology::hosts: a matrix that the user gave, or what
  /// was measured where no leaves could be made of it. Symmetric, 0 on the diagonal, any unit. Empty = none.
  std::vector<double> host_distances;
  bool empty() const { return switches.empty(); }
};

/// What became of asking one source.
struct SurveyEntry {
  enum class Status { ok, nothing, unavailable };
  std::string source;
  std::string host;
  Status status = Status::ok;
  std::string why;  ///< for `unavailable`: the exact reason; for `ok`: what was seen, short
};

struct Warning {
  enum class Severity { error, warning, note };
  std::string code;  ///< stable, kebab-case: "numa-conflict"
  Severity severity = Severity::warning;
  std::string file;
  int line = 0;
  std::string message;
};

struct Topology {
  std::vector<Host> hosts;
  Fabric fabric;
  std::vector<SurveyEntry> survey;
  std::vector<Warning> warnings;
  bool live = false;  ///< hosts[0] is this machine, seen now
};

}  // namespace topolaunch::topo
