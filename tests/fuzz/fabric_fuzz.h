// SPDX-License-Identifier: Apache-2.0
//
// What every fuzzer of a fabric's format does with facts: whatever they are, they make a topology
// that can be shown, written as JSON and as a Slurm tree, and that tree is read again.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "topo/assemble.h"
#include "topo/render.h"
#include "topo/slurm_conf.h"
#include "topo/slurm_tree_write.h"
#include "topo/topology_json.h"

namespace topolaunch::topo {

inline void use(Result<std::vector<Fact>> facts) {
  if (!facts) {
    if (facts.error().text().find('\n') != std::string::npos) __builtin_trap();
    return;
  }
  Survey survey;
  survey.facts = std::move(*facts);
  const auto topology = assemble(std::move(survey));
  if (!topology) __builtin_trap();
  (void)render_tree(*topology);
  (void)to_line(to_json(*topology));
  (void)facts_from_topology_conf(slurm_tree(*topology), "again");
}

}  // namespace topolaunch::topo
