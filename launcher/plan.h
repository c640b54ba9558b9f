// SPDX-License-Identifier: Apache-2.0
//
// Plan: everything needed to start the job, as a value. It could be run tomorrow from its JSON.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/cpu_set.h"
#include "base/json.h"
#include "base/units.h"

namespace topolaunch::launcher {

/// One rank: where it goes and what it is told.
struct RankPlan {
  /// LOCAL_RANK and GROUP_RANK: a group is the ranks of a host, or those of a host that don't share
  /// devices among them (device_share.h).
  int rank = 0, local_rank = 0, group_rank = 0;
  std::string host;
  int gpu_index = -1;             ///< PCI order on its host; -1 = no GPU
  std::string gpu_uuid, gpu_pci, gpu_model;
  std::string gpu_instance;  ///< "MIG-..." of that GPU; empty = all of it
  std::optional<int> numa;
  CpuSet cpus;                    ///< empty = don't bind
  std::vector<int> memory_nodes;  ///< preferred; empty = leave alone
  std::vector<std::string> nics;
  std::string note;               ///< what is not known or not ideal about its place
  /// Variables set for this rank, in full: the standard environment, GPU visibility, TOPOLAUNCH_*.
  std::map<std::string, std::string> environment;
};

struct Plan {
  std::string id;                    ///< run id, UUIDv7
  std::string engine;                ///< "local", "mpirun", "join"
  std::string engine_why;            ///< why that one, in words
  std::vector<std::string> engine_args;  ///< --engine-args, handed on as they are
  std::vector<std::string> command;  ///< the job's argv; command[0] as typed
  std::string executable;            ///< what it was found as
  std::string working_directory;
  std::vector<std::string> hosts;    ///< in rank order
  std::vector<RankPlan> ranks;
  std::vector<std::string> unset;    ///< variables taken out of every rank's environment (secrets)
  std::string master_address;
  int master_port = 0;
  std::optional<Seconds> time_limit;
  Seconds grace{10};                 ///< between SIGTERM and SIGKILL
  enum class Tag { none, rank } tag = Tag::none;
  std::string log_directory;         ///< per-rank files; empty = none
  std::string run_directory;
  bool quiet = false;  ///< an engine's own words are shown only where nothing else tells
  bool unheard = false;              ///< ranks' and engine's output is thrown away; see Ending
  bool strict = false;               ///< a rank that did not get its place is not started (80)
  /// Who talks to whom, as options say it: "parallel" -> "tp=8"; files by their whole path.
  std::map<std::string, std::string> workload;
  /// What those that were asked said they are, by name (own_host_id()).
  std::map<std::string, std::string> host_ids;
  /// What rank 0 reads in place of our standard input.
  std::optional<std::string> input;
};

Json to_json(const RankPlan& rank);
/// `where` names the place in the file for the message: "ranks[3]".
Result<RankPlan> rank_plan_from_json(const Json& json, const std::string& file,
                                     const std::string& where);
/// "topolaunch.plan/1" (docs/schema/plan.schema.json); both ways, nothing is lost.
Json to_json(const Plan& plan);
Result<Plan> plan_from_json(const Json& json, const std::string& file);

}  // namespace topolaunch::launcher
