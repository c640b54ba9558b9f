// SPDX-License-Identifier: Apache-2.0
//
// The sections of the report page, each a function of the run; empty where it has nothing to say.
#pragma once

#include "launcher/report/page/html.h"
#include "launcher/saved_run.h"

namespace topolaunch::launcher::page {

Html verdict_section(const SavedRun& run);
Html comparison_section(const SavedRun& run, const SavedRun& before);
Html placement_section(const SavedRun& run);
Html bandwidth_section(const SavedRun& run, const SavedRun* before);
Html pairs_section(const SavedRun& run);
Html groups_section(const SavedRun& run);
Html quota_section(const SavedRun& run);
Html environment_section(const SavedRun& run);
Html repeat_section(const SavedRun& run);

}  // namespace topolaunch::launcher::page
