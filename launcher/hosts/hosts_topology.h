// SPDX-License-Identifier: Apache-2.0
//
// One Topology of a job's hosts, in the order in which they were given: each host as it describes
// itself or as --topology describes it, on the fabric that --topology gives. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/hosts/host_facts.h"
#include "launcher/hosts/job_hosts.h"
#include "topo/topology.h"

namespace topolaunch::launcher {

/// Number of the host in `given` that `name` means: the same name, else `own_name` (what the host
/// calls itself), else the only one that differs by a domain alone (h01 and h01.cluster); -1 = none.
/// Two names with different domains are different hosts.
int host_in(const topo::Topology& given, const std::string& name, const std::string& own_name);

/// Whether the host's inside (CPUs, GPUs) is described, not its name alone.
bool is_described(const topo::Host& host);

/// `facts` is parallel to `hosts`; nothing where `given` describes the host. `given_name` is for
/// messages: the files of --topology.
topo::Topology hosts_topology(const std::vector<JobHost>& hosts,
                              const std::vector<std::optional<HostFacts>>& facts,
                              const topo::Topology* given, const std::string& given_name);

}  // namespace topolaunch::launcher
