// SPDX-License-Identifier: Apache-2.0
//
// Host keeper: what the keeper and topolaunch are on their own host, for one other host of a job.
//
//   topolaunch -> mpirun -> ssh ==> host keeper -> orted -> shims that become the ranks
//        ^                              |
//        +--------- TCP ----------------+
//
// It is a subreaper, so every process of the job on its host is below it. It gives the shims their
// orders, carries output, input and signals, and says how each rank ended. When the connection to
// topolaunch ends, for whatever reason, it ends all that is below it. Above it stands a guard that
// does nothing but end what is left when the host keeper is killed.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/outside.h"
#include "launcher/supervise/channel.h"
#include "launcher/supervise/control.h"
#include "launcher/supervise/job_cgroup.h"
#include "launcher/supervise/memory_kills.h"
#include "launcher/supervise/poll_set.h"
#include "launcher/supervise/rank_process.h"

namespace topolaunch::launcher {

/// Bytes of output that may be on their way to topolaunch; more is left in the pipes.
inline constexpr std::size_t kOutputWindow = std::size_t{1} << 20;

/// What it is told on its standard input, in one line of JSON, by the agent's wrapper.
struct HostHello {
  std::string run_id, host;            ///< `host` as the plan calls it
  std::string secret;                  ///< for the handshake
  std::vector<std::string> addresses;  ///< of topolaunch, likeliest first
  int port = 0;
  std::string wanted_address;  ///< MASTER_ADDR and MASTER_PORT, if the user set them and rank 0
  int wanted_port = 0;         ///< starts there
};
/// Of the job's part on this host.
std::string cgroup_of(const HostHello& hello, const Files& files);
Json to_json(const HostHello& hello);
Result<HostHello> host_hello_from_json(const Json& json);

class HostKeeper {
 public:
  HostKeeper(Channel launcher, HostHello hello, ControlServer server, const Outside& outside);
  /// Starts `daemon` (orted) and stays until nothing is left. `child_signals`: a signalfd.
  int run(const std::vector<std::string>& daemon, int child_signals);

 private:
  using Stage = RankProcess::Stage;
  struct Seat {
    int rank = 0;
    RankProcess process;
    std::shared_ptr<const Json> order;
    std::array<Descriptor, 2> pipes;  ///< its stdout and stderr, to read
    Descriptor input;                 ///< its stdin, to write
    std::string waiting_input;
    bool input_ended = false;
  };
  struct Stranger {
    Channel channel;
    pid_t pid = 0;
  };

  bool start(const std::vector<std::string>& daemon);
  void watch(PollSet& set);
  void say(const Json& message) { launcher_.post(message); }

  // The launcher
  void hear_launcher();
  void obey(Json& message);
  Seat* seat_of(const Json& message, const char* key);

  // Shims
  void greet();
  void hear(Stranger& stranger);
  void give_order(Seat& seat);
  void hear(Seat& seat);
  void read_output(Seat& seat, std::size_t stream, bool all);
  void move_input(Seat& seat);

  // Ends
  void reap();
  void look_at(Seat& seat);
  void ended(Seat& seat);
  void kill_round();
  void farewell();
  void say_empty();

  Channel launcher_;
  HostHello hello_;
  ControlServer server_;
  const Outside& outside_;
  JobCgroup group_;
  MemoryKills memory_;
  std::map<int, Seat> seats_;
  std::vector<std::unique_ptr<Stranger>> strangers_;
  pid_t daemon_ = 0;
  std::size_t unanswered_ = 0;  ///< bytes of output that topolaunch has not taken yet
  bool launcher_gone_ = false, killing_ = false, alone_ = false;
};

}  // namespace topolaunch::launcher
