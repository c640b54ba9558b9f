// SPDX-License-Identifier: Apache-2.0
//
// The last four lines of a run: what was placed where and why, estimate against measurement, quota,
// how it ended and where the files are.
#pragma once

#include <string>
#include <vector>

#include "launcher/report/story.h"

namespace topolaunch::launcher {

/// Four lines without a newline, each meant to stand behind "topolaunch: ".
std::vector<std::string> closing_lines(const Story& story);

/// "2 ranks on vm, CPUs 0 and 1": where the ranks are, in one phrase.
std::string placed_phrase(const Plan& plan);
/// "no gain possible: all GPUs reach each other at the same speed"
std::string no_gain_phrase(const mapping::Gain& gain);
/// "rank 3 on gpu01 (GPU 0000:18:00.0): killed by SIGKILL, out of memory"
std::string failure_phrase(const Plan& plan, const RankEnding& failure);
/// "exit 0", "exit 7: rank 3 ...", "time limit of 5 s: ended"
std::string ending_phrase(const Story& story);

}  // namespace topolaunch::launcher
