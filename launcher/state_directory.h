// SPDX-License-Identifier: Apache-2.0
//
// The folder for what topolaunch keeps: runs/ (one folder each), passed/, cache/, ledger.
#pragma once

#include <string>

#include "base/environment.h"
#include "base/result.h"

namespace topolaunch::launcher {

/// $TOPOLAUNCH_STATE_DIR, $XDG_STATE_HOME/topolaunch or ~/.local/state/topolaunch; configuration
/// (78) when none of them and no HOME is set.
Result<std::string> state_directory(const Environment& environment);

}  // namespace topolaunch::launcher
