// SPDX-License-Identifier: Apache-2.0
//
// Story: all that is known of one run when words are made of it. Values only; the texts, the summary
// and the manifest are functions of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/measurement.h"
#include "launcher/ending.h"
#include "launcher/plan.h"
#include "launcher/verdict.h"
#include "mapping/phases.h"
#include "mapping/solution.h"
#include "topo/topology.h"

namespace topolaunch::launcher {

struct QuotaStory {
  std::string words = "none configured";  ///< for the closing line
  std::string mode = "none";              ///< "none", "advisory"
  std::string grant, team, rule;
  std::int64_t gpus = 0, held = 0, charged = 0;  ///< GPU-seconds
  bool active = false;                    ///< a hold was made
};

struct Story {
  topo::Topology topology;
  mapping::Solution solution;
  Plan plan;
  std::string graph_origin;               ///< "world allreduce"
  std::vector<mapping::Phase> phases;     ///< of the placement, by dimension
  std::vector<std::string> typed;         ///< topolaunch's own command line
  std::optional<bench::Measurement> measurement;
  std::optional<Seconds> measured_estimate;  ///< the model's for the measurement's largest size
  std::string not_measured;               ///< why there is no measurement
  Verdict verdict;
  QuotaStory quota;
  Ending ending;
  std::string directory;                  ///< of the run's files; empty = none
  std::string no_directory;               ///< why
  std::string executable_sha256;          ///< when it was started; empty = too large, unreadable
  std::string user, home;
  double started = 0, ended = 0;          ///< unix time
};

}  // namespace topolaunch::launcher
