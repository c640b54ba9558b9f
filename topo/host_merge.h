// SPDX-License-Identifier: Apache-2.0
//
// merge_host(): the facts about one host -> Host. First the CPU side, then GPUs, then their links,
// then NICs; a warning for everything that sources disagree on or that cannot be.
#pragma once

#include <string>
#include <vector>

#include "topo/fact.h"

namespace topolaunch::topo {

struct MergedHost {
  Host host;
  std::vector<Warning> warnings;
};

/// `facts` are all about the host called `name`, in the order in which the sources were asked.
MergedHost merge_host(const std::string& name, const std::vector<const Fact*>& facts);

}  // namespace topolaunch::topo
