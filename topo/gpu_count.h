// SPDX-License-Identifier: Apache-2.0
//
// GPUs that are only counted: a node list says eight, an instance type means eight. Where a source
// sees the GPUs themselves the count is held against them; where none does, it stands for them.
#pragma once

#include <string>
#include <vector>

#include "topo/fact.h"

namespace topolaunch::topo {

/// GPUs without PCI addresses, with what is known of their model, for a host whose facts count GPUs
/// and describe none. Empty otherwise, with a warning if the numbers differ.
std::vector<Fact> counted_gpus(const std::string& host, const std::vector<const Fact*>& facts,
                               std::vector<Warning>& warnings);

}  // namespace topolaunch::topo
