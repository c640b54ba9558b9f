// SPDX-License-Identifier: Apache-2.0
//
// A machine of this folder made ready for discovery: root.txt unpacked, and the variables that replay
// it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace topolaunch::test {

/// Unpacks a root.txt ("PATH = CONTENT", "PATH -> TARGET", "PATH/") below `folder`, which is made.
Status unpack_root(const std::string& text, const std::string& file, const std::string& folder);

/// Names of the machines in `folder`: its subfolders with an nvml.json, sorted.
std::vector<std::string> machine_names(const std::string& folder);

}  // namespace topolaunch::test
