// SPDX-License-Identifier: Apache-2.0
//
// The lists of nvidia-smi: `-L` (GPUs and their MIG devices) and `nvlink -s` (GPUs and their
// links).
//
//   GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-db5b5fab-...)
//     MIG 3g.40gb     Device  0: (UUID: MIG-73ab4876-...)
//     Link 0: 26.562 GB/s
//     Link 1: <inactive>
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topo/fact.h"
#include "topo/smi/lines.h"

namespace topolaunch::topo::smi {

struct ListedGpu {
  int line = 0;
  int number = 0;
  std::string model, uuid;
  std::vector<MigInstance> mig;
  int links = 0, inactive = 0;
  Bandwidth bandwidth;    ///< of all active links together
  bool all_down = false;  ///< the driver says that all its links are down, and not how many
};

bool begins_device_list(const Line& line);

/// Takes the lines of one list from `at` on, which is left behind its last one. invalid_input with
/// the line for a line of the list that can't be read or stands before the GPU that it belongs to.
Result<std::vector<ListedGpu>> take_device_list(const std::vector<Line>& lines, std::size_t& at,
                                                const std::string& file);

/// Their facts. `ends_known`: a matrix of the same text says where the links end; then these facts
/// only say what is down.
std::vector<Fact> facts_of(const std::vector<ListedGpu>& gpus, bool ends_known,
                           const std::string& file, const std::string& host);

}  // namespace topolaunch::topo::smi
