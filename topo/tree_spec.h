// SPDX-License-Identifier: Apache-2.0
//
// "tree:8:32:16" specs: a plain hierarchy, arities innermost first, for mapping problems without
// GPUs. 8 seats a host, 32 hosts a leaf, 16 leaves: 4,096 seats on 512 hosts.
//
// How mapping reads it: seats are the slots of the hosts (Host::slots); Fabric::distances[k] is the
// distance of two seats whose closest common level is k: 0 the host, 1 the leaf, 2 a switch of level
// 1, ... Without --distance they are 1, 10, 100, ...
#pragma once

#include <string_view>
#include <vector>

#include "topo/fact.h"

namespace topolaunch::topo {

struct TreeSpec {
  std::vector<int> arities;       ///< innermost first; [0] = seats of a host
  std::vector<double> distances;  ///< as many as arities
};

/// `text` without "tree:", as "8:32:16"; blanks are allowed. `distances` may be empty. wrong_usage for
/// anything that isn't 1 to 16 positive numbers, another number of distances, distances that fall
/// outwards, over 1,048,576 hosts or 16,777,216 seats.
Result<TreeSpec> parse_tree(std::string_view text, const std::vector<double>& distances);
/// Facts with origin "tree".
std::vector<Fact> tree_facts(const TreeSpec& spec);

}  // namespace topolaunch::topo
