// SPDX-License-Identifier: Apache-2.0
//
// Asks other hosts what they are: one process a host, all at once, through the remote-start agent.
//
// Not through mpirun: it starts nobody until everybody has answered, so a host that is silent makes
// all of them so, and nothing tells which one it was.
#pragma once

#include <string>
#include <vector>

#include "base/outside.h"
#include "launcher/hosts/host_facts.h"

namespace topolaunch::launcher {

struct HostQuestion {
  std::vector<std::string> agent;  ///< remote_agent()
  std::string program;             ///< topolaunch's path, the same on all hosts
  Seconds deadline{30};
  int at_once = 64;
};

/// The answers, in the order of `names`; an error says what is the matter with that host alone.
std::vector<Result<HostFacts>> ask_hosts(const std::vector<std::string>& names,
                                         const HostQuestion& question, const Outside& outside);

/// One error for all hosts without an answer: "2 of 8 hosts can't be used: h03: ...; h05: ...".
Error no_answer(const std::vector<std::string>& names,
                const std::vector<Result<HostFacts>>& answers);

}  // namespace topolaunch::launcher
