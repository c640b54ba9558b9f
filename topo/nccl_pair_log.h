// SPDX-License-Identifier: Apache-2.0
//
// Logs of nccl-tests over two hosts, one a pair; given together they make a table. A log may hold
// several tests: sendrecv counts before all_reduce, that before the others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topo/fact.h"

namespace topolaunch::topo {

bool looks_like_nccl_log(std::string_view text);

/// One fact with origin "measured FILE:LINE". invalid_input with the line for a log of one host or
/// of more than two, of several worlds of one rank each, or one that broke off before its average.
Result<std::vector<Fact>> facts_from_nccl_log(std::string_view text, const std::string& file);

}  // namespace topolaunch::topo
