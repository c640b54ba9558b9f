// SPDX-License-Identifier: Apache-2.0
//
// What stands in front of every line of a text that came by way of another program: a host's name
// ("node001: ", pdsh and clush), the number of a task ("0: ", srun --label), a quotation ("> ").
#pragma once

#include <string>
#include <vector>

#include "topo/smi/lines.h"

namespace topolaunch::topo::smi {

struct Prefix {
  std::string text;   ///< of the first line, "node001:"; empty = the lines have none
  std::string host;   ///< the name in it; empty for a number or a quotation
  std::string other;  ///< the first that differs, but for quotations; empty = all have the same
  int other_line = 0;
};

/// Takes the prefixes off, if every line that isn't blank has one.
Prefix strip_prefix(std::vector<Line>& lines);

}  // namespace topolaunch::topo::smi
