// SPDX-License-Identifier: Apache-2.0
//
// How ranks find each other with the standard environment alone: rank 0 listens on MASTER_PORT, all
// others come to MASTER_ADDR:MASTER_PORT and say where they can be reached; each is told its next.
#pragma once

#include <string>

#include "examples/allreduce/socket.h"

namespace example {

struct Job {
  int rank = 0, ranks = 1;
  std::string master;
  int port = 0;
};
/// From RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT; a job of one rank if none of them is set.
Job job_from_environment();

/// This rank's two neighbours.
struct Neighbours {
  Socket next, previous;
};
Neighbours meet(const Job& job, Clock::time_point until);

}  // namespace example
