// SPDX-License-Identifier: Apache-2.0
//
// What `--topology` was given: a file, recognised from its content (never from its name), or a spec.
#pragma once

#include <string>
#include <string_view>

#include "topo/fact.h"

namespace topolaunch::topo {

enum class TopologyFormat {
  hwloc_xml,
  nccl_xml,
  nccl_graph,        ///< recognised to be refused by name
  topolaunch_json,   ///< any JSON object; the codec looks at its schema
  slurm_topology,
  unknown
};

/// Looks at the first element, brace or line. Byte order marks and leading blanks don't count.
TopologyFormat recognise(std::string_view text);

/// Recognises and reads `text`. `host` as for given_sources(). invalid_input with file and line.
Result<std::vector<Fact>> facts_from_file(const std::string& text, const std::string& file,
                                          const std::string& host);

}  // namespace topolaunch::topo
