// SPDX-License-Identifier: Apache-2.0
//
// A rule of lint and two small inputs: a bad one on which it fires, and its good twin.
#pragma once

#include <string>
#include <vector>

namespace topolaunch::topo {

struct RuleCase {
  /// How the input is looked at.
  enum class Kind { file, two_files, against, environment, job };
  const char* code;
  Kind kind;
  std::string bad, good;
  std::string other;  ///< the second file, or what `against` holds the first against
};
using Kind = RuleCase::Kind;

std::vector<RuleCase> host_rule_cases();
std::vector<RuleCase> job_rule_cases();

/// An NCCL file of two NUMA nodes with four CPUs and a GPU each, as these masks say.
std::string two_gpus(const std::string& mask0, const std::string& mask1,
                     const std::string& more0 = "", const std::string& more1 = "",
                     const std::string& gpu0 = "", const std::string& arch = "arch=\"x86_64\" ");
/// A NIC of it.
std::string a_nic(const std::string& bus, const std::string& name,
                  const std::string& speed = "400000");
/// Two GPUs on two sockets of four cores.
inline const std::string kTwoSockets = "synthetic:2 gpu h100, 2 socket, 8 core, 2 thread";

}  // namespace topolaunch::topo
