// SPDX-License-Identifier: Apache-2.0
//
// RankProcess: one rank as topolaunch sees it, from the first word of its shim to its end.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "launcher/ending.h"
#include "launcher/plan.h"
#include "launcher/supervise/channel.h"
#include "launcher/supervise/descriptor.h"
#include "launcher/supervise/host_links.h"

namespace topolaunch::launcher {

/// For a process that is not our child: true once it has ended; `status` is set if the kernel still
/// knows it.
bool has_ended(pid_t pid, int pidfd, std::optional<int>& status);

struct RankProcess {
  enum class Stage {
    expected,  ///< no word yet
    greeted,   ///< its shim has its order
    observed,  ///< its shim has looked round and is about to become the command
    running,   ///< it is the command
    ended
  };

  const RankPlan* plan = nullptr;
  Stage stage = Stage::expected;
  Channel channel;
  bool has_order = false;
  pid_t pid = 0;
  Descriptor pidfd;           ///< none for a rank on another host
  HostLink* link = nullptr;   ///< to its host, if that is another
  bool own_group = true;  ///< false: it shares topolaunch's group (a terminal's foreground)
  std::optional<RankObservation> observation;
  double became =
      0;  ///< boot seconds at which its shim was about to become the command; 0 = not said
  std::optional<int> status;  ///< wait status; nothing = ended, and nobody could say how
  bool told_to_stop = false;  ///< by us, before it ended
  double ended_at = 0;
  std::string memory_evidence;

  bool ended() const { return stage == Stage::ended; }
  /// To the rank and what it started (its process group), if it is there.
  void signal(int number) const;
  /// For a rank that is not our keeper's child: true once it has ended; `status` is set if the
  /// kernel still knows it.
  bool look_for_end();
  /// 128 + n for a signal; 1 when nobody could say.
  int exit_status() const;
  int signal_number() const;
  /// "rank 3 (host a, GPU 3 at 0000:9a:00.0) exited with status 7"
  std::string end_in_words() const;
};

}  // namespace topolaunch::launcher
