// SPDX-License-Identifier: Apache-2.0
//
// --topology probe: (and topo --probe): topobench measures, one rank a host, which of --hosts share a
// leaf; what it found is kept in the state folder and is then one more file of --topology.
#pragma once

#include "base/outside.h"
#include "launcher/options.h"

namespace topolaunch::launcher {

/// `options` with each "probe:" of its topologies as the file of the probe of its hosts, whatever
/// their order: measured now, or an earlier one that was certain (--refresh measures again).
/// wrong_usage for fewer than four hosts; could_not_test (81).
Result<TopologyOptions> with_probe(const TopologyOptions& options, const Outside& outside);

}  // namespace topolaunch::launcher
