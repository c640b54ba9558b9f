// SPDX-License-Identifier: Apache-2.0
//
// What a command line says of the ranks it starts: torchrun's options, wherever they stand in it.
#pragma once

#include <optional>
#include <string_view>

namespace topolaunch::topo {

struct RankCommand {
  bool torchrun = false;              ///< torchrun, or python -m torch.distributed.run
  std::optional<int> ranks_per_host;  ///< --nproc-per-node; nothing for "auto", "gpu" and variables
};

RankCommand rank_command(std::string_view command);

/// "--name=8" and "--name 8" in a command; '-' and '_' in the name are one.
std::optional<std::string_view> option_of(std::string_view command, std::string_view name);

}  // namespace topolaunch::topo
