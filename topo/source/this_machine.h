// SPDX-License-Identifier: Apache-2.0
//
// Whether what a live source reads is this machine, or one that was put in its place: hwloc's own
// variables (HWLOC_XMLFILE, HWLOC_SYNTHETIC, HWLOC_FSROOT; HWLOC_THISSYSTEM=1 vouches for it), and
// TOPOLAUNCH_FSROOT, under which main lets Files read a captured /sys and /proc.
#pragma once

#include <string>

#include "base/environment.h"

namespace topolaunch::topo {

/// How the topology of CPUs is to be had.
struct TopologyChoice {
  enum class Kind { operating_system, xml, synthetic, folder };
  Kind kind = Kind::operating_system;
  std::string value;          ///< the file, description or folder
  std::string variable;       ///< that says so; empty for operating_system
  bool this_machine = true;   ///< CPU numbers are this machine's: the process's affinity counts
  bool captured_files = false;  ///< Files reads a capture, not this machine's /sys and /proc
};

TopologyChoice topology_choice(const Environment& environment);

}  // namespace topolaunch::topo
