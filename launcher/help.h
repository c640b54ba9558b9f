// SPDX-License-Identifier: Apache-2.0
//
// `topolaunch --help`: one screen of 80 x 24, written by hand because a generated list of all
// options would not fit one.
#pragma once

#include <string>

namespace topolaunch::launcher {

std::string general_help();
std::string version_text();

}  // namespace topolaunch::launcher
