// SPDX-License-Identifier: Apache-2.0
//
// The run's demand on the quota: from options and solution to quota::AdmitRequest, and from what the
// quota answers to words for the report.
#pragma once

#include <string>

#include "base/outside.h"
#include "launcher/options.h"
#include "launcher/report/story.h"
#include "quota/admit.h"

namespace topolaunch::launcher {

/// What the run asks for: the distinct GPUs of its ranks, or its ranks where the site counts those.
quota::AdmitRequest admit_request(const RunOptions& options, const std::string& run_id,
                                  const topo::Topology& topology,
                                  const mapping::Solution& solution, const Outside& outside);

QuotaStory quota_story(const quota::Admission& admission, const quota::AdmitRequest& request);

/// The shorter of the user's limit and the grant's.
std::optional<Seconds> shorter(std::optional<Seconds> a, std::optional<Seconds> b);

/// User name for records: $USER, else the number.
std::string user_name(const Environment& environment);

}  // namespace topolaunch::launcher
