// SPDX-License-Identifier: Apache-2.0
//
// Pairs of one table that stand in it more than once, or are no pair.
#pragma once

#include <string>
#include <vector>

#include "topo/fact.h"

namespace topolaunch::topo {

/// Of PairFacts with the lines of one table. Two distances from one host to another, or one from a
/// host to itself, are invalid_input with the line. What was measured may stand there several
/// times: then one note says so and which value counts (pair_table.h), and one that a host paired
/// with itself is passed over; those facts are taken out.
Status settle_pairs(std::vector<Fact>& facts, const std::string& file);

}  // namespace topolaunch::topo
