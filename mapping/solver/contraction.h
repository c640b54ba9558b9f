// SPDX-License-Identifier: Apache-2.0
//
// Contraction: groups that talk so much more than everything else that they must sit together, found as
// components of the heaviest edges. Where they are all of one size that fills innermost blocks exactly (the
// tensor-parallel groups of a training job), each becomes one vertex and the problem shrinks by that size.
#pragma once

#include <optional>
#include <vector>

#include "mapping/solver/place_tree.h"

namespace topolaunch::mapping {

struct Contraction {
  std::vector<int> part;  ///< by vertex
  int parts = 0, size = 1;
  CommGraph graph;        ///< of parts
  PlaceTree tree;         ///< a place of it is `size` places of one innermost block
  std::vector<std::vector<int>> places;  ///< by place of `tree`
};

/// Nothing if there are no such groups.
std::optional<Contraction> contract(const CommGraph& graph, const PlaceTree& tree);

/// Places of the vertices from places of the parts.
std::vector<int> expand(const Contraction& contraction, const std::vector<int>& part_place);
/// Places of the parts from places of the vertices, where every part sits together in one of the groups of
/// places; nothing otherwise.
std::optional<std::vector<int>> restrict_to_parts(const Contraction& contraction, const std::vector<int>& place);

}  // namespace topolaunch::mapping
