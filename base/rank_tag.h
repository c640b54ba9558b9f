// SPDX-License-Identifier: Apache-2.0
//
// Lines of a job's log that begin with the rank that has written them.
#pragma once

#include <string_view>

namespace topolaunch {

/// The line without the rank that its launcher has put in front: "3: " (srun --label),
/// "[1,3]<stdout>:" (mpirun --tag-output), "[3] " (topolaunch --tag), "[rank3]: " and "[default3]:"
/// (torchrun), "worker-3 | " (compose, and logs of several pods); and without the time of day that
/// a collector of logs has put before it ("2026-01-05T09:31:02.123Z "). A line without any as it
/// is.
std::string_view without_rank_tag(std::string_view line);

}  // namespace topolaunch
