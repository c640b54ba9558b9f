// SPDX-License-Identifier: Apache-2.0
//
// What this host calls itself.
#pragma once

#include <string>

namespace topolaunch {

/// gethostname(2); "localhost" where that fails.
std::string own_host_name();

}  // namespace topolaunch
