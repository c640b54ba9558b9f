// SPDX-License-Identifier: Apache-2.0
//
// Measured pairs in a table, in three shapes:
//
//   GB/s,lk01,lk02          a matrix; its first cell may say the unit (GB/s, Gb/s, us, latency ...)
//   lk01,,48.54
//
//   src,dst,bytes,bytes_per_second          a row a pair; columns by their names, in any order
//
//   file,test,N,G,nodes,...,avg_bus_bw_GBs,peak_busbw_GBs      summaries of nccl-tests over two
//   hosts
//
// A matrix that says no unit is one of distances: more is farther.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topo/fact.h"

namespace topolaunch::topo {

bool looks_like_pair_csv(std::string_view text);

/// Facts with origin "measured FILE:LINE". invalid_input with the line for a table that is cut, or
/// whose rows and columns don't name the same hosts.
Result<std::vector<Fact>> facts_from_pair_csv(std::string_view text, const std::string& file);

}  // namespace topolaunch::topo
