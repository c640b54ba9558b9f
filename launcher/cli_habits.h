// SPDX-License-Identifier: Apache-2.0
//
// What is typed by habit: options of mpirun, srun and torchrun, and a script where a verb would
// stand. None of it is taken; the next step says how it is written here.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace topolaunch::launcher {

/// Their options are written with one dash or two, with '-' or '_' between words: "-hostfile" and
/// "--nproc_per_node" as "--hostfile" and "--nproc-per-node". One letter stays as it is.
std::string usual_spelling(std::string_view option);

/// What to do in place of their `option` (a name without its value) under a verb with `app`'s
/// options: "use -n N"; empty for one that isn't theirs, or for which the verb has nothing.
std::string_view our_way(std::string_view option, const CLI::App& app);

/// The command that a word was meant as: itself where it can be started, a program of the working
/// directory by its path, a script by its interpreter; empty for anything else.
std::vector<std::string> meant_command(const std::string& word,
                                       const std::function<bool(const std::string&)>& is_command);

}  // namespace topolaunch::launcher
