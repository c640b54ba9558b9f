// SPDX-License-Identifier: Apache-2.0
//
// The variables that NCCL reads: NCCL says nothing of one that it doesn't know, so a misspelt one is
// as if it were not set.
#pragma once

#include <string>
#include <string_view>

namespace topolaunch::topo {

/// The variable that `name` most likely was meant to be; empty where NCCL knows it, where nothing is
/// near, or where it is no variable of NCCL's.
std::string misspelt_nccl_name(std::string_view name);

}  // namespace topolaunch::topo
