// SPDX-License-Identifier: Apache-2.0
//
// What one run wants of a grant.
//
// What is counted: the distinct GPUs that its ranks use. A run without GPUs counts 0: it is recorded,
// costs nothing and is never refused for amounts. A site that budgets CPU hosts counts ranks instead
// (`quota.count = "ranks"`): then `count` is the number of ranks and `unit` is "rank".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace topolaunch::quota {

struct Demand {
  std::int64_t count = 0;
  std::string unit = "GPU";
  std::int64_t wall_seconds = 0;          ///< the user's time limit; 0 = none given, the grant decides
  std::vector<std::string> gpu_models;    ///< distinct NVML names; empty with count > 0 = could not look
  std::string instance_type;              ///< of the hosts, where the platform says so: "ml.p5.48xlarge"
  std::string image;                      ///< container image digest, if known: "sha256:..."
  std::string user, host, command;        ///< for the record
};

}  // namespace topolaunch::quota
