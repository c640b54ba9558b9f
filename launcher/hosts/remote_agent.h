// SPDX-License-Identifier: Apache-2.0
//
// The remote-start agent: the program that starts a command on another host, `AGENT HOST COMMAND`.
// It is the one that Open MPI would use, so that a host that can be asked can also be started on.
#pragma once

#include <string>
#include <vector>

#include "base/outside.h"

namespace topolaunch::launcher {

/// Its words, program first: of --engine-args (--mca plm_rsh_agent "ssh -p 2222"), of Open MPI's
/// variables and parameter files, else ssh, else rsh. unavailable (69) when it is not there.
/// ssh is told never to ask for a password: many of them ask at once.
Result<std::vector<std::string>> remote_agent(const std::vector<std::string>& engine_args,
                                              const Outside& outside);

}  // namespace topolaunch::launcher
