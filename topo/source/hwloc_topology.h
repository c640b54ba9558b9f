// SPDX-License-Identifier: Apache-2.0
//
// hwloc's topology object with an owner, and the ways to load one.
#pragma once

#include <hwloc.h>

#include <memory>
#include <string>

#include "base/cpu_set.h"
#include "base/result.h"

namespace topolaunch::topo {

struct HwlocDelete {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using HwlocTopology = std::unique_ptr<hwloc_topology, HwlocDelete>;

/// This machine's CPUs and memory, disallowed ones included, no devices. `folder` takes the place of
/// "/" if not empty. Sets variables of hwloc's in the environment while it loads: call it before
/// there are other threads.
Result<HwlocTopology> hwloc_of_system(const std::string& folder);
/// With devices. `text` as prepare_hwloc_xml made it; `file` for the message.
Result<HwlocTopology> hwloc_of_xml(const std::string& text, const std::string& file);
Result<HwlocTopology> hwloc_of_synthetic(const std::string& description);

/// hwloc's bitmap as a set; infinite ones are cut at CpuSet::kMaxCpu.
CpuSet to_cpu_set(hwloc_const_bitmap_t bitmap);

/// Value of an object's info; "" if it has none of that name.
std::string info_of(hwloc_obj_t object, const char* name);

}  // namespace topolaunch::topo
