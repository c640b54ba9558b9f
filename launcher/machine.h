// SPDX-License-Identifier: Apache-2.0
//
// First two stages of the path for a verb: --topology, or this machine looked at live, as Topology.
#pragma once

#include <string>

#include "base/outside.h"
#include "launcher/options.h"
#include "topo/topology.h"

namespace topolaunch::launcher {

Result<topo::Topology> look_at(const TopologyOptions& options, const Outside& outside);

/// A given topology of one host stands for this machine when a job is to start: it gets this host's
/// name, and only CPUs that this process may use are left. unavailable (69) for several hosts.
Status take_as_this_machine(topo::Topology& topology, const std::string& own_host);

/// "nvml: could not look: libnvidia-ml.so.1 not found": why no GPU was seen, for a host without any.
std::string why_no_gpu(const topo::Topology& topology);

}  // namespace topolaunch::launcher
