// SPDX-License-Identifier: Apache-2.0
//
// The verbs and their options as CLI11 apps. One entry a verb; only what is asked for is built.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/cli.h"

namespace topolaunch::launcher {

struct VerbEntry {
  std::string_view name;
  std::string_view usage;    ///< what follows "topolaunch NAME"
  std::string_view summary;
  bool takes_command = false;  ///< something may stand behind "--"
  /// Makes the request's options and binds the app's options to them.
  void (*build)(CLI::App& app, Request& request) = nullptr;
};

/// Those of this version, `run` first.
const std::vector<VerbEntry>& verbs();

/// Names that the product's contract has and this version does not: refused with one clear sentence.
struct PlannedName {
  std::string_view name;
  std::string_view instead;  ///< what to do until then
};
const std::vector<PlannedName>& planned_verbs();
const std::vector<PlannedName>& planned_options();

/// Thrown by an option's own check, carries the error out of CLI11's parser.
struct OptionProblem {
  Error error;
};

}  // namespace topolaunch::launcher
