// SPDX-License-Identifier: Apache-2.0
//
// Keeper: the process between topolaunch and the job.
//
//   topolaunch -> keeper -> shims that become the ranks         (engine local)
//                        -> mpirun -> shims that become ranks   (engine mpirun)
//
// It is a subreaper: every process of the job stays below it, forked twice or not. It holds one end
// of a channel to topolaunch; when the other end closes (topolaunch was killed) it ends all of
// them. Where cgroup v2 can be written it puts them into a cgroup as well. topolaunch is a
// subreaper too, so that killing the keeper alone hands the job to topolaunch, which ends it.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "base/outside.h"
#include "launcher/supervise/channel.h"
#include "launcher/supervise/kin.h"

namespace topolaunch::launcher {

/// A process for the keeper to start. argv[0] is a path, or "" for topolaunch itself.
struct KeptProcess {
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;  ///< on top of topolaunch's own
  Descriptor out, err;                             ///< none = topolaunch's own
  bool dies_with_keeper = false;  ///< PR_SET_PDEATHSIG; false where its starter is a thread
};

/// What the keeper says.
struct KeeperNews {
  enum class What { started, failed, ended, alone, gone } what = What::gone;
  int process = -1;  ///< index in what it was told to start
  pid_t pid = 0;     ///< of `started`
  int value = 0;     ///< `ended`: wait status; `failed`: errno
};

/// topolaunch's side.
class Keeper {
 public:
  /// Forks the keeper (no exec: loading topolaunch once more would cost milliseconds) and makes the
  /// caller a subreaper. `id` names the cgroup. The caller's signal mask is inherited: block what
  /// must not end it.
  static Result<Keeper> start(const std::string& id, const Outside& outside);
  Keeper(Keeper&& other) noexcept;
  Keeper& operator=(Keeper&&) = delete;
  /// Ends the keeper and all that is left below it.
  ~Keeper();

  pid_t pid() const { return pid_; }
  int fd() const { return channel_.fd(); }
  bool alive() const { return channel_.open(); }
  /// `scratch`: a folder to make before and to remove after; empty = none.
  bool launch(std::vector<KeptProcess> processes, const std::string& scratch = {});

  /// What has come in since; ends with `gone` when the keeper has died.
  std::vector<KeeperNews> news();
  /// Sends a signal to everything below the keeper.
  void sweep(int signal);
  /// Kills everything below the keeper, by cgroup where there is one.
  void kill_all();
  /// For a keeper that is gone: kills what it left to us, until nothing is left or `seconds` are
  /// over. Returns the names of those that would not die.
  std::vector<std::string> take_over(double seconds);
  /// Lets the keeper go and waits for it; nothing may be left below it.
  void finish();

 private:
  Keeper() = default;
  std::vector<Kin> orphans() const;

  pid_t pid_ = 0;
  Channel channel_;
  std::string cgroup_, id_, scratch_;
  std::vector<pid_t> children_before_;  ///< ours from before (exec keeps them): never touched
  bool was_subreaper_ = false;
};

}  // namespace topolaunch::launcher
