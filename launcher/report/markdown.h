// SPDX-License-Identifier: Apache-2.0
//
// A saved run as Markdown, for a ticket: verdict, checks, bandwidth, ranks, environment, command.
#pragma once

#include <string>

#include "launcher/saved_run.h"

namespace topolaunch::launcher {

/// `before`: the run to compare with; may be null.
std::string run_markdown(const SavedRun& run, const SavedRun* before);

/// `text` as one line of Markdown that no character of it can format: for cells and paragraphs.
std::string markdown_words(std::string_view text);

}  // namespace topolaunch::launcher
