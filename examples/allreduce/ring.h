// SPDX-License-Identifier: Apache-2.0
//
// The sum of everybody's array on everybody, by passing parts round a ring: n-1 steps in which each
// part collects its sum, n-1 steps in which the sums go round.
#pragma once

#include <cstdint>
#include <vector>

#include "examples/allreduce/rendezvous.h"

namespace example {

void allreduce(const Job& job, const Neighbours& neighbours, std::vector<float>& data,
               Clock::time_point until);

/// What rank `rank` puts in at `index`, small enough for exact sums in float over 65,536 ranks.
float contribution(int rank, std::size_t index);
/// What has to come out.
float expected(int ranks, std::size_t index);

}  // namespace example
