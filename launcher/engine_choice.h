// SPDX-License-Identifier: Apache-2.0
//
// Which engine starts the job, from where topolaunch finds itself: the contract's table. Pure.
#pragma once

#include <string>

#include "base/environment.h"
#include "base/result.h"

namespace topolaunch::launcher {

struct EngineChoice {
  std::string name;  ///< "local", "mpirun", "join"
  std::string why;
};

/// Where one finds oneself, besides the environment.
struct EngineSituation {
  std::string wanted = "auto";
  std::string joined;  ///< "Open MPI", ... when this process is already one of N ranks; else empty
  bool other_hosts = false;  ///< --hosts names another host than this one
  bool peers = false;
  std::string command_line;  ///< the command, quoted, for "type this instead"
};

/// unavailable (69) for places whose engine is not in this version, with what to type instead.
Result<EngineChoice> choose_engine(const EngineSituation& situation,
                                   const Environment& environment);

}  // namespace topolaunch::launcher
