// SPDX-License-Identifier: Apache-2.0
//
// hwloc XML made fit for the hwloc that is linked, before that one sees it: a file of hwloc 3 under
// version 2, PCI domains of more than 16 bits (which hwloc drops) under spare short ones, no document
// type, no entities, bounded depth and size.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "topo/topology.h"

namespace topolaunch::topo {

struct HwlocXml {
  std::string text;                                 ///< what hwloc is given
  std::map<std::uint32_t, std::uint32_t> domains;   ///< domain in `text` -> domain in the file
  std::string host_name;                            ///< empty if the file doesn't say
  std::vector<Warning> warnings;
};

/// invalid_input with the line if it isn't an hwloc topology.
Result<HwlocXml> prepare_hwloc_xml(const std::string& text, const std::string& file);

}  // namespace topolaunch::topo
