// SPDX-License-Identifier: Apache-2.0
//
// The verbs and their options as CLI11 apps. One entry a verb; only what is asked for is built.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/cli.h"
#include "launcher/cli_options.h"

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

/// Verbs of the product's contract that this version does not have.
const std::vector<PlannedName>& planned_verbs();

}  // namespace topolaunch::launcher
