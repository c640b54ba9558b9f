// SPDX-License-Identifier: Apache-2.0
//
// bench: topobench on the solved placement; its table, or its JSON, is this verb's stdout.
#pragma once

#include "base/outside.h"
#include "launcher/options.h"
#include "launcher/voice.h"

namespace topolaunch::launcher {

Result<Answer> bench_verb(const BenchOptions& options, const Outside& outside, const Voice& voice);

}  // namespace topolaunch::launcher
