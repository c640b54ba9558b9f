// SPDX-License-Identifier: Apache-2.0
//
// Grids: a graph whose heaviest edges are those of a box of points in one to three dimensions with
// open boundaries (a stencil), whatever its vertices are called; and the ways to tile such a box
// with the nested blocks of a tree.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "mapping/solver/place_tree.h"

namespace topolaunch::mapping {

struct Grid {
  std::array<int, 3> size{1, 1, 1};
  std::vector<std::array<int, 3>> at;  ///< by vertex
};

/// Nothing where the graph is no such grid. Found by distances from corners, then every edge
/// checked.
std::optional<Grid> find_grid(const CommGraph& graph);

/// Places by vertex: boxes of the grid on the tree's blocks, the fewest cut edges first, at most
/// `most`. Empty where blocks of a level differ in size or the sizes do not divide.
std::vector<std::vector<int>> grid_tilings(const Grid& grid, const PlaceTree& tree,
                                           std::size_t most);

}  // namespace topolaunch::mapping
