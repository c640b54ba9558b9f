// SPDX-License-Identifier: Apache-2.0
//
// `nvidia-smi --query-gpu=... --format=csv[,noheader][,nounits]`: a GPU a line. The header says
// what the columns are; without one they are known by what stands in them (UUID, PCI address,
// NVLink domain). "[N/A]" and "[Unknown Error]" say nothing.
//
//   index, name, uuid, pci.bus_id, memory.total [MiB]
//   0, NVIDIA H100 80GB HBM3, GPU-ec3fbf4d-..., 00000000:18:00.0, 81559 MiB
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topo/fact.h"
#include "topo/smi/lines.h"

namespace topolaunch::topo::smi {

bool begins_query(const Line& line);

/// Takes the lines of one answer from `at` on, which is left behind its last one. invalid_input
/// with the line for a row of another number of cells, unless the text is cut there.
Result<std::vector<Fact>> take_query(const std::vector<Line>& lines, std::size_t& at,
                                     const std::string& file, const std::string& host);

/// "Unable to determine the device handle for GPU0000:AB:00.0: Unknown Error": the driver lost a
/// GPU.
std::optional<Fact> lost_gpu(const Line& line, const std::string& file, const std::string& host);

}  // namespace topolaunch::topo::smi
