// SPDX-License-Identifier: Apache-2.0
//
// The CPU side of a host: packages, CPUs, NUMA nodes. And where a GPU or NIC stands in it.
#pragma once

#include <optional>
#include <vector>

#include "topo/claims.h"
#include "topo/fact.h"

namespace topolaunch::topo {

/// Fills everything of `host` but GPUs and NICs.
void merge_cpus(const std::vector<const Fact*>& facts, Host& host, std::vector<Warning>& warnings);

/// Where the sources say that one device stands.
struct PlaceClaims {
  Claims<int> numa;
  Claims<CpuSet> affinity;
  bool all_nodes = true;  ///< the host has no other nodes than those known: see knows_all_nodes()
};

/// Whether a source lists the host's NUMA nodes. nvidia-smi names those alone that a GPU is near.
bool knows_all_nodes(const std::vector<const Fact*>& facts);

struct DevicePlace {
  std::optional<int> numa;         ///< a node with CPUs (of which the CPUs aren't known, if none has)
  std::optional<int> memory_numa;  ///< a node without CPUs that a source named as the device's
  CpuSet affinity;                 ///< the most trusted; empty = unknown
};

/// `what` names the device in warnings: "host0 gpu 0000:18:00.0".
DevicePlace place_device(const Host& host, const std::string& what, const PlaceClaims& claims,
                         std::vector<Warning>& warnings);

/// The node with the most CPUs of `cpus`, the lowest number among equals; nothing if no node shares
/// a CPU with it, or if it names all nodes with CPUs alike (two or more): that is no place.
std::optional<int> numa_of_cpus(const Host& host, const CpuSet& cpus);

/// Adds a warning that ends in both origins: "MESSAGE (by ORIGIN; ORIGIN says otherwise)".
void warn(std::vector<Warning>& warnings, std::string code, Warning::Severity severity,
          const Origin& origin, std::string message);

}  // namespace topolaunch::topo
