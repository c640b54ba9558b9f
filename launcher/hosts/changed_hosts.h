// SPDX-License-Identifier: Apache-2.0
//
// What is remembered of a host can be out of date, and only the host itself can tell, when it joins
// a job: it is forgotten then (supervise/job_run_joining.cpp), and the start fails before anything
// of the job has begun. Here the start is made again with all hosts asked.
#pragma once

#include <functional>
#include <vector>

#include "base/outside.h"
#include "launcher/hosts/job_hosts.h"
#include "launcher/voice.h"

namespace topolaunch::launcher {

/// `start(refresh)`; once more with refresh = true, and a word why, if it failed because a host of
/// `hosts` was not what was remembered of it.
Result<Answer> asked_again_if_changed(bool refresh, const std::vector<JobHost>& hosts,
                                      const Outside& outside, const Voice& voice,
                                      const std::function<Result<Answer>(bool refresh)>& start);

}  // namespace topolaunch::launcher
