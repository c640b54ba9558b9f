// SPDX-License-Identifier: Apache-2.0
//
// What --summary FILE holds ("topolaunch.summary/1"): how the run ended and by whom, so that a job's
// own exit status 77 is no denial.
#pragma once

#include "base/json.h"
#include "launcher/report/story.h"

namespace topolaunch::launcher {

std::string_view ended_by_name(Ending::By by);
Json summary_json(const Story& story);
/// The same for a run that never started: ended_by "refusal".
Json refusal_json(const std::string& run_id, const Error& error);

Json observations_json(const std::vector<RankObservation>& observations);
Result<std::vector<RankObservation>> observations_from_json(const Json& json,
                                                            const std::string& file);

}  // namespace topolaunch::launcher
