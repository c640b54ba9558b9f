// SPDX-License-Identifier: Apache-2.0
//
// The variables of one rank: what torchrun sets (so that every framework that reads its environment
// works), NODE_RANK, the GPU list, and TOPOLAUNCH_* about the rank's place. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "launcher/plan.h"

namespace topolaunch::launcher {

/// What is needed besides the rank's own plan.
struct RankSurroundings {
  std::string run_id;
  int world_size = 1;
  int local_world_size = 1;
  int group_world_size = 1;       ///< number of groups: of hosts, where none is in several
  std::string master_address;     ///< empty = not known: not set
  int master_port = 0;            ///< 0 = not known: not set
  std::string visible_devices;    ///< "" with has_devices == false: not set
  bool has_devices = false;
  bool pci_order = false;         ///< visible_devices holds numbers in PCI order
  int threads = 0;                ///< cores of the rank's share; 0 = leave OMP_NUM_THREADS alone
  std::string leaf;               ///< switch of the host; empty = unknown
  /// Coordinates of --parallel: ("tp", 3), ("tp_size", 8) is derived by the caller's list.
  std::vector<std::pair<std::string, int>> coordinates;
};

/// `given` is the environment topolaunch was started in: what the user set there on purpose
/// (OMP_NUM_THREADS, MASTER_ADDR, ...) stays.
std::map<std::string, std::string> rank_environment(const RankPlan& rank,
                                                    const RankSurroundings& around,
                                                    const Environment& given);

/// Variables of `given` that the ranks get another value for, in words for a notice: a stale RANK
/// of an outer launcher, another device list. Empty = none.
std::vector<std::string> replaced_variables(const std::map<std::string, std::string>& environment,
                                            const Environment& given);

/// Variables of `given` that no rank may see: quota tokens and where they lie, ledger addresses
/// (they may hold a password), and what an outer topolaunch told its own ranks.
std::vector<std::string> withheld_variables(const Environment& given);

}  // namespace topolaunch::launcher
