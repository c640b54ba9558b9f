// SPDX-License-Identifier: Apache-2.0
//
// NICs of one host out of the facts of several sources. Two facts mean one NIC if its name is the
// same (an RDMA device may be known to NCCL by its netdev), or if the PCI address is the same and
// one of them has no name. Several ports of one card keep their own names.
#pragma once

#include <vector>

#include "topo/fact.h"

namespace topolaunch::topo {

void merge_nics(const std::vector<const Fact*>& facts, Host& host, std::vector<Warning>& warnings);

}  // namespace topolaunch::topo
