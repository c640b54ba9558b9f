// SPDX-License-Identifier: Apache-2.0
//
// Slurm's gres.conf: GPUs, the cores near them and the links between them, held against itself and
// against a host. GPU number n of a host is taken for /dev/nvidia<n>.
//
//   NodeName=g[001-008] Name=gpu Type=h100 File=/dev/nvidia[0-3] Cores=0-55
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topo/topology.h"

namespace topolaunch::topo {

/// One line about GPUs, with each File= of it written out.
struct GresLine {
  int line = 0;
  std::vector<std::string> hosts;  ///< empty: every host
  std::vector<std::string> files;  ///< "/dev/nvidia0"
  std::optional<CpuSet> cores;     ///< logical core numbers; nothing = not said
  std::vector<int> links;
  bool multiple_files = false;  ///< MIG: the files are one device
};

bool looks_like_gres(std::string_view text);

/// invalid_input with the line for a list that can't be read.
Result<std::vector<GresLine>> read_gres(std::string_view text, const std::string& file);

/// `real` may be nullptr: then the file is held against itself alone.
std::vector<Warning> check_gres(const std::vector<GresLine>& lines, const std::string& file,
                                const Host* real);

}  // namespace topolaunch::topo
