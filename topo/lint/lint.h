// SPDX-License-Identifier: Apache-2.0
//
// `topolaunch lint` without its command line: which checks a text gets, by what it is.
#pragma once

#include <string>
#include <vector>

#include "topo/topology.h"

namespace topolaunch::topo {

/// A topology file in any format that --topology reads, a gres.conf, or node labels. `real` is what
/// --against gave; nullptr without it. Errors of reading are the caller's to show.
Result<std::vector<Warning>> lint_file(const std::string& text, const std::string& file,
                                       const Topology* real);

/// A topology that was read: what assemble() saw, and the checks on top.
std::vector<Warning> lint_topology(const Topology& said, const Topology* real);

/// A batch script, a training job's request, or a manifest. `real` as above.
Result<std::vector<Warning>> lint_job(const std::string& text, const std::string& file);

}  // namespace topolaunch::topo
