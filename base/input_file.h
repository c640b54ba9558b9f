// SPDX-License-Identifier: Apache-2.0
//
// Files that a user names as input. Of a file that isn't there, Files says not_found, which as an
// exit status (127) is for the job's command alone; here it is invalid_input (65) like any other
// file that can't be read. "-" is standard input.
#pragma once

#include <string>

#include "base/files.h"

namespace topolaunch {

Result<std::string> read_input(const Files& files, const std::string& path);

}  // namespace topolaunch
