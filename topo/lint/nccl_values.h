// SPDX-License-Identifier: Apache-2.0
//
// The values that NCCL knows for its variables. Of most it passes over one that it doesn't know; of
// a number it takes the digits in front ("4M" is 4, "many" is 0).
#pragma once

#include <string>
#include <string_view>

namespace topolaunch::topo {

/// What is wrong with the value: "'rign' is none of Tree, Ring, ..."; empty for one that NCCL
/// knows, for an empty one, for one that a shell has yet to fill in ($N), and for a variable whose
/// values aren't held against anything. `name` with NCCL_ in front.
std::string bad_nccl_value(std::string_view name, std::string_view value);

}  // namespace topolaunch::topo
