// SPDX-License-Identifier: Apache-2.0
//
// The columns behind the cells of `topo -m`: "0-15,32-47  0  N/A" are CPUs, NUMA node or list of
// nodes, and the node of the GPU's own memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topo/topology.h"

namespace topolaunch::topo::smi {

/// The affinity of one GPU as its row says it; "N/A" says nothing.
struct Place {
  CpuSet cpus;
  std::optional<int> numa, memory_numa;
};

/// `columns` of them have a heading, -1 = that is not known. Nothing if the words don't fit them or
/// are none that nvidia-smi prints. Where no word says anything (a virtual machine without NUMA
/// nodes leaves columns blank), an empty place.
std::optional<Place> read_affinity(const std::vector<std::string>& words, int columns);

}  // namespace topolaunch::topo::smi
