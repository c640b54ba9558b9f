// SPDX-License-Identifier: Apache-2.0
//
// What `--topology` was given: a file (format.h), a folder with a machine's /sys and /proc, a
// program to ask, or a spec; as sources for discover().
#pragma once

#include "base/files.h"
#include "topo/format.h"
#include "topo/survey.h"

namespace topolaunch::topo {

/// Whether the argument is a file, with all that is in it: no spec, no program to ask, no folder, not
/// one of several topologies of a file (FILE#NAME).
bool is_whole_file(const std::string& argument, const Files& files);

}  // namespace topolaunch::topo
