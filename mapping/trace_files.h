// SPDX-License-Identifier: Apache-2.0
//
// The files of one recording: one of them is named, the other ranks' lie beside it.
#pragma once

#include <string>
#include <vector>

#include "base/files.h"

namespace topolaunch::mapping {

/// `file` and those beside it whose names differ from it in the number of the rank alone, sorted by
/// it: the number behind "rank", else the last that counts from 0 and is not of a run, step or host
/// by its word.
std::vector<std::string> sibling_files(const std::string& file, const Files& files);

}  // namespace topolaunch::mapping
