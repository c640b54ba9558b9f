// SPDX-License-Identifier: Apache-2.0
//
// sbatch's options: which there are, and what those that count hosts, tasks, GPUs, time and memory
// take. Of Slurm 25.05, sbatch(1), with the older names that it still takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace topolaunch::topo {

struct SbatchWord {
  std::string name;   ///< as typed, without "--"; of short options the long name
  std::string value;  ///< empty where there is none
};

/// The options of one #SBATCH line, quotes taken off; short options that lint doesn't look at are
/// left out. wrong_usage for a quote that isn't closed.
Result<std::vector<SbatchWord>> sbatch_words(const std::string& line);

/// The option that sbatch reads `typed` as, without "--": itself, or the only one that begins with
/// it (getopt_long(3)). Empty where it reads none; plugins of a site may bring others.
std::string sbatch_option(std::string_view typed);

/// What the option `name` takes, where `value` is none of that; empty for a value that is right and
/// for options that are not looked at.
std::string_view wanted_sbatch_value(std::string_view name, std::string_view value);

/// The option that was meant by one that sbatch doesn't have; empty where none is near.
std::string meant_sbatch_option(std::string_view typed);

}  // namespace topolaunch::topo
