// SPDX-License-Identifier: Apache-2.0
//
// What people paste of nvidia-smi: `topo -m`, `topo -p2p r`, `nvlink -s`, `-L` and csv queries, one
// or several of them one behind the other, with prompts, legends and escape sequences in between.
// GPUs are one by their number, which all of nvidia-smi's outputs share, or by UUID and PCI
// address.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topo/fact.h"

namespace topolaunch::topo {

bool looks_like_smi(std::string_view text);

/// Facts with origin "nvidia-smi FILE:LINE", of `host`. Lines that belong to none of the outputs
/// are passed over with one note. invalid_input with the line for an output that contradicts
/// itself.
Result<std::vector<Fact>> facts_from_smi(std::string_view text, const std::string& file,
                                         const std::string& host);

}  // namespace topolaunch::topo
