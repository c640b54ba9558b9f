// SPDX-License-Identifier: Apache-2.0
//
// The tiles of a host's drawing: one GPU with the ranks on it, one NIC or several that are alike.
#pragma once

#include <vector>

#include "topo/draw/drawing.h"
#include "topo/draw/ranks.h"
#include "topo/topology.h"

namespace topolaunch::topo::draw {

inline constexpr double kTile = 124;

/// `ranks` may be null.
Drawing gpu_tile(const Host& host, const Gpu& gpu, const RankIndex* ranks);
/// A tile each; five and more that differ in name and address alone are one.
std::vector<Drawing> nic_tiles(const std::vector<const Nic*>& nics);
/// Ranks of a host that sit on no GPU.
std::vector<Drawing> rank_tiles(const Host& host, const RankIndex* ranks);

}  // namespace topolaunch::topo::draw
