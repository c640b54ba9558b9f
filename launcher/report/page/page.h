// SPDX-License-Identifier: Apache-2.0
//
// A run as one HTML page: verdict first, then the placement as a drawing, pairs, bandwidth, groups,
// quota, environment, the command to repeat it. One file, nothing from elsewhere, readable without
// script; whatever the run's files say is text, never markup.
#pragma once

#include <string>

#include "launcher/saved_run.h"

namespace topolaunch::launcher::page {

/// `before`: the run to compare with; may be null.
std::string report_page(const SavedRun& run, const SavedRun* before);

}  // namespace topolaunch::launcher::page
