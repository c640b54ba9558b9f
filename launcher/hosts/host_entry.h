// SPDX-License-Identifier: Apache-2.0
//
// Where in the state folder stands what a host has said of itself (host_cache.h), for those who
// have no need to read it.
#pragma once

#include <optional>
#include <string>

#include "base/environment.h"

namespace topolaunch::launcher {

/// hosts/NAME.json; nothing for a name that can't be a file's, or without a state folder.
std::optional<std::string> host_entry(const std::string& name, const Environment& environment);
void forget_host(const std::string& name, const Environment& environment);

}  // namespace topolaunch::launcher
