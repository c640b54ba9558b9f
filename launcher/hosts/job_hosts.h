// SPDX-License-Identifier: Apache-2.0
//
// Hosts of a job as --hosts gives them: a list, or @FILE for a hostfile. Their order is the given
// order.
//
//   g[001-004]:8,login-a            Slurm's grammar, slots behind a colon
//   10.0.0.7:2 [fe80::1%eth0]:2     addresses; an IPv6 one with slots stands in brackets
//   @hosts.txt                      "g001 slots=8 max_slots=16", "g001:8", "g[001-004]", # comments
//
// A name that comes again adds to its slots, as with Open MPI. Names are compared whole: n1.a and
// n1.b are two hosts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace topolaunch::launcher {

struct JobHost {
  std::string name;
  int slots = 0;      ///< ranks that fit; 0 = not said
  int stated = 0;     ///< slots as each mention of it says them
  int max_slots = 0;  ///< with --oversubscribe; 0 = no limit said
  std::string file;   ///< hostfile that named it; empty = the command line
  int line = 0;
};

/// `again` is a host that `known` names already: their slots add up. wrong_usage, or invalid_input
/// with file and line of a hostfile, where they state different ones.
Status add_repeat(JobHost& known, const JobHost& again);

/// wrong_usage with the column for a list, invalid_input with file and line for a hostfile: an open
/// bracket, a character that no host name has, one host with different slots, no host at all.
Result<std::vector<JobHost>> parse_job_hosts(const std::string& hosts, const Files& files);

/// The text of a hostfile; `file` is its name for messages.
Result<std::vector<JobHost>> parse_hostfile(std::string_view text, const std::string& file);

/// "did you mean --hosts @FILE?" where the list that was given is a file's path; else empty. A host
/// may have the name of a file, so it is said only of a list that can't be used.
std::string meant_hostfile(const std::string& hosts, const Files& files);

}  // namespace topolaunch::launcher
