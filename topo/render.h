// SPDX-License-Identifier: Apache-2.0
//
// A topology in words for a terminal: at most 80 columns, ASCII, no escape codes (what a file says
// is printed with other bytes replaced by '?'). Hosts that look alike are shown once.
#pragma once

#include <string>
#include <string_view>

#include "topo/topology.h"

namespace topolaunch::topo {

/// What `topolaunch topo` prints: hosts, network, what was looked at, warnings.
std::string render_tree(const Topology& topology);

/// One host without its name: sockets and NUMA nodes with their GPUs and NICs, then the links of the
/// GPUs. Equal hosts give equal text.
std::string render_host(const Host& host);

/// `text` broken at blanks into lines of at most 80 columns that begin with `indent` blanks (the
/// first one too); words that are longer are left whole.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t first_indent);

}  // namespace topolaunch::topo
