// SPDX-License-Identifier: Apache-2.0
//
// Where a job can run: the hosts of --hosts, or this one, with the GPUs that may be used on it.
#pragma once

#include <string>
#include <vector>

#include "base/outside.h"
#include "launcher/hosts/host_machine.h"
#include "launcher/options.h"
#include "launcher/visible_gpus.h"
#include "launcher/voice.h"

namespace topolaunch::launcher {

/// For verbs that start nothing: --hosts where it is given, else the given topology, else this
/// machine.
Result<HostMachine> machine_to_think_of(const TopologyOptions& options,
                                        const std::vector<std::string>& excluded,
                                        const Outside& outside);

/// For a start: as above, but without --hosts a given topology of one host is taken for this one.
Result<HostMachine> machine_to_start_on(const TopologyOptions& options,
                                        const std::vector<JobHost>& hosts,
                                        const std::vector<std::string>& excluded,
                                        const Outside& outside);

/// GPUs that may be used on the first host. CUDA_VISIBLE_DEVICES is about this machine, so it has no
/// say over --hosts; where it hides all GPUs the machine has none afterwards.
VisibleGpus usable_gpus(HostMachine& machine, const Environment& environment, const Voice& voice);

/// --hosts read, and what that means for the rest: this host alone is as if it were not given, but
/// for its slots.
struct HostsWanted {
  std::vector<JobHost> hosts;  ///< empty = this host
  int own_slots = 0;           ///< of this host alone, where --hosts states them
};
Result<HostsWanted> hosts_wanted(const TopologyOptions& options, const Outside& outside);

}  // namespace topolaunch::launcher
