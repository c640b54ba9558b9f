// SPDX-License-Identifier: Apache-2.0
//
// The links of a host's GPUs in the `topo` verb's tree: nvidia-smi's matrix with a legend that says
// what each word carries; one line where all pairs are alike.
#pragma once

#include <string>

#include "topo/topology.h"

namespace topolaunch::topo {

std::string link_matrix(const Host& host);

}  // namespace topolaunch::topo
