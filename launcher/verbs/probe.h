// SPDX-License-Identifier: Apache-2.0
//
// topo --probe: topobench measures, one rank a host, which of the hosts share a leaf; what it found
// is kept in the state folder and is then one more file of --topology.
#pragma once

#include <string>
#include <vector>

#include "base/outside.h"
#include "launcher/hosts/host_machine.h"
#include "launcher/options.h"

namespace topolaunch::launcher {

/// File of the probe of these hosts, whatever their order: measured now, or an earlier one that was
/// certain (--refresh measures again). wrong_usage for fewer than four hosts; could_not_test (81).
Result<std::string> probed_fabric(const TopologyOptions& options, const Outside& outside);

}  // namespace topolaunch::launcher
