// SPDX-License-Identifier: Apache-2.0
#include "topo/source/this_machine.h"

namespace topolaunch::topo {

TopologyChoice topology_choice(const Environment& environment) {
  TopologyChoice choice;
  const std::string root = environment.get_or("TOPOLAUNCH_FSROOT", "");
  choice.captured_files = !root.empty() && root != "/";
  const auto take = [&](const char* variable, TopologyChoice::Kind kind) {
    const std::string value = environment.get_or(variable, "");
    if (choice.kind != TopologyChoice::Kind::operating_system || value.empty()) return;
    choice.kind = kind;
    choice.value = value;
    choice.variable = variable;
  };
  // hwloc 2.9 enables one after the other, each in place of the one before: the last one wins.
  take("HWLOC_XMLFILE", TopologyChoice::Kind::xml);
  take("HWLOC_SYNTHETIC", TopologyChoice::Kind::synthetic);
  take("HWLOC_FSROOT", TopologyChoice::Kind::folder);
  if (choice.kind == TopologyChoice::Kind::operating_system && choice.captured_files) {
    choice.kind = TopologyChoice::Kind::folder;
    choice.value = root;
    choice.variable = "TOPOLAUNCH_FSROOT";
  }
  choice.this_machine = choice.kind == TopologyChoice::Kind::operating_system ||
                        environment.get_or("HWLOC_THISSYSTEM", "0") == "1";
  return choice;
}

}  // namespace topolaunch::topo
