// SPDX-License-Identifier: Apache-2.0
//
// NCCL's topology file (NCCL_TOPO_FILE, NCCL_TOPO_DUMP_FILE) and RCCL's: XML, <system> over <cpu>
// over <pci> over <gpu> and <nic>. Read in every dialect that is about (parts without arch or
// affinity, bare addresses, numaid -1, several hosts in one file told apart by host_hash, AMD's
// xgmi); written so that NCCL reads it.
//
//   <cpu numaid="0" affinity="ffffffff" arch="x86_64"> <pci busid="0000:18:00.0" class="0x030200">
//   ...
//
// Not read: NCCL_GRAPH_DUMP_FILE (rings and trees that NCCL chose): it is told apart and refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topo/fact.h"

namespace topolaunch::topo {

/// Facts with origin "nccl-xml FILE:LINE". A file of one host doesn't name it: its facts are of
/// `host`, which may be empty (see Fact::host); hosts of a file with several are "host0", "host1",
/// ... invalid_input with the line for text that isn't this format, is cut off, or holds nothing.
Result<std::vector<Fact>> facts_from_nccl_xml(std::string_view text, const std::string& file,
                                              const std::string& host);

/// One host as a file for NCCL_TOPO_FILE (version 1). GPUs and NICs without a PCI address can't be
/// written: invalid_input names the first.
Result<std::string> nccl_xml(const Host& host);

}  // namespace topolaunch::topo
