// SPDX-License-Identifier: Apache-2.0
//
// The command line: words -> Request. Everything behind the first "--" is the job's command (for
// bench: topobench's options) and is not looked at.
//
//   auto request = parse_command_line({"-n", "2", "--", "env"}, settings, looks_like_a_command);
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "launcher/options.h"
#include "launcher/settings.h"

namespace topolaunch::launcher {

/// Text to print on stdout; the process then ends with 0.
struct HelpRequest {
  std::string text;
};

using Request = std::variant<HelpRequest, RunOptions, TopoOptions, LintOptions, MapOptions,
                             BenchOptions, ValidateOptions, PsOptions, ReportOptions,
                             DoctorOptions, QuotaVerbOptions>;

/// wrong_usage (64) with the nearest known name; configuration (78) if a flag contradicts what the
/// site has locked, or a configured value is not possible. `is_command` tells whether a word
/// could be started, so that a forgotten "--" is told apart from a mistyped verb.
Result<Request> parse_command_line(const std::vector<std::string>& words, const Settings& settings,
                                   const std::function<bool(const std::string&)>& is_command);

}  // namespace topolaunch::launcher
