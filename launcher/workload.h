// SPDX-License-Identifier: Apache-2.0
//
// Workload: what of the options says who talks to whom, as it is kept with a placement, so that the
// placement can be weighed again later for the job that it was made for.
#pragma once

#include <map>
#include <string>

#include "launcher/options.h"

namespace topolaunch::launcher {

/// By option ("parallel" -> "tp=8"); files by their whole path. Empty = what no option says.
using Workload = std::map<std::string, std::string>;

Workload workload_of(const JobOptions& job);
/// `job` with the workload `kept`, unless it says one itself.
JobOptions with_workload(JobOptions job, const Workload& kept);

}  // namespace topolaunch::launcher
