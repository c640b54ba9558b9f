// SPDX-License-Identifier: Apache-2.0
//
// First two stages of the path for a job over hosts: --hosts, what these hosts say of themselves,
// and the fabric of --topology, as one Topology in the given order.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/outside.h"
#include "launcher/hosts/job_hosts.h"
#include "launcher/options.h"
#include "topo/topology.h"

namespace topolaunch::launcher {

struct HostMachine {
  topo::Topology topology;     ///< hosts in the given order
  std::vector<JobHost> hosts;  ///< parallel; a host that has several names stands once
  /// own_host_id() of those that were asked, now or earlier, by name.
  std::map<std::string, std::string> ids;
  std::vector<int> slots() const;  ///< by host, 0 = not said
};

/// --hosts read; empty where it was not given.
Result<std::vector<JobHost>> hosts_named(const TopologyOptions& options, const Outside& outside);

/// These as one, if all are names of this machine: then no engine for other hosts is needed.
Result<std::optional<JobHost>> this_host_alone(const std::vector<JobHost>& hosts);

/// Asks the hosts that neither --topology describes nor an earlier start has asked (all with
/// --refresh); `excluded` ones are left alone. unavailable (69) names every host that did not
/// answer and why; wrong_usage for two names of one host with different slots. Names of one host
/// count as that host named again.
Result<HostMachine> look_at_hosts(std::vector<JobHost> hosts, const TopologyOptions& options,
                                  const std::vector<std::string>& excluded,
                                  const Outside& outside);

}  // namespace topolaunch::launcher
