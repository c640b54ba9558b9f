// SPDX-License-Identifier: Apache-2.0
//
// "synthetic:" specs: a cluster in words, for planning and for tests, with the link rates of the real
// machines (link_speed.h).
//
//   synthetic:16 host, 8 gpu h100 nvswitch, 8 nic ndr, 4 host/leaf, 4:1
//   synthetic:8 v100          a DGX-1V        synthetic:36 hosts, gb200          two NVL72 racks
//
// Groups of a number and words, in any order, separated by commas or blanks; singular or plural;
// "8xh100", "8 gpus h100" and "h100" are the same. What isn't said is that of the usual server with
// this GPU: docs/topology-specs.md lists words and defaults.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "topo/fact.h"

namespace topolaunch::topo {

/// A GPU model that specs know, with the usual server around it.
struct ServerModel {
  enum class Links { none, mesh, nvswitch };
  std::string_view word;     ///< as written in a spec: "h100"
  std::string_view product;  ///< as nvidia-smi prints it
  int memory_mib;            ///< as nvidia-smi prints it
  int capability;
  int pcie_generation;
  Links links;
  int gpus;                  ///< a host
  int gpus_per_switch;       ///< GPUs below one PCIe switch
  int cores;                 ///< a host, over both sockets
  std::string_view nic;      ///< usual rate of a NIC: "ndr"
  bool grace;                ///< on a Grace CPU: C2C, GPU memory as NUMA nodes
};

/// A spec, parsed; every member holds what the facts are made of.
struct SyntheticSpec {
  int hosts = 1;
  const ServerModel* model = nullptr;  ///< nullptr: no GPUs
  int gpus = 0;
  ServerModel::Links links = ServerModel::Links::none;
  int nics = 0;
  Bandwidth nic_rate;
  bool efa = false;
  int sockets = 1, numa = 1, cores = 8, threads = 1;
  std::vector<int> fan_in;               ///< hosts a leaf, leaves a spine, ...; empty: one switch
  std::vector<double> oversubscription;  ///< of the leaves' uplinks, the spines', ...
  int domain_gpus = 0;                   ///< GPUs of one NVLink domain over hosts (72); 0 = none
};

/// `text` without "synthetic:". wrong_usage that points at the word and lists what is known.
Result<SyntheticSpec> parse_synthetic(std::string_view text);
/// Facts with origin "synthetic".
std::vector<Fact> synthetic_facts(const SyntheticSpec& spec);

/// The models that specs know.
const std::vector<ServerModel>& gpu_models();

}  // namespace topolaunch::topo
