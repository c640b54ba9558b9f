// SPDX-License-Identifier: Apache-2.0
//
// JobRun: a started job, whatever engine started it. One loop, one thread: the ranks' words on the
// control channel, their output, signals, time limit, ends. An engine says only which processes
// bring the ranks to life.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launcher/engine.h"
#include "launcher/output/rank_output.h"
#include "launcher/output/stdin_relay.h"
#include "launcher/shim/order.h"
#include "launcher/supervise/control.h"
#include "launcher/supervise/host_links.h"
#include "launcher/supervise/keeper.h"
#include "launcher/supervise/memory_kills.h"
#include "launcher/supervise/rank_process.h"
#include "launcher/supervise/signal_inbox.h"

namespace topolaunch::launcher {

/// What an engine adds to a plan.
struct Launch {
  std::string program;  ///< for messages: "mpirun"; empty = the ranks themselves
  std::vector<KeptProcess>
      processes;        ///< process r is rank r's shim where `shims`, else one engine
  std::vector<std::string> engine_only;  ///< variables set for the engine that ranks must not see
  std::string scratch;  ///< a folder for the engine's own files; goes with the job
  std::map<std::string, std::string> files;  ///< by name, in there before the engine starts
  /// Where ranks start on other hosts: these, by what (ssh), and the variables that go along.
  std::vector<std::string> hosts, agent;
  std::map<std::string, std::string> carried;
  std::string wanted_address;  ///< MASTER_ADDR and MASTER_PORT as the user set them
  int wanted_port = 0;
  std::string control_secret;  ///< for the hosts' keepers
  bool shims = true;
  bool gives_mpi = false;          ///< false: a rank with libmpi mapped ends the job
  std::vector<std::string> notes;  ///< what has to be said about the engine
  /// (rank, wait status) of the first failing rank as the engine's own words tell, if they do.
  std::function<std::optional<std::pair<int, int>>(const std::string&)> failure_in_words;
};

/// The sooner of two moments, where 0 = none.
inline double sooner(double a, double b) { return a == 0 ? b : b == 0 ? a : std::min(a, b); }

class JobRun final : public Run {
 public:
  static Result<std::unique_ptr<Run>> start(const Plan& plan, const Outside& outside,
                                            Launch launch);
  Result<Ending> wait(const std::function<std::string(Seconds)>& heartbeat) override;

 private:
  using Stage = RankProcess::Stage;
  static constexpr double kHeartbeat = 10;  ///< seconds between two calls
  struct Stranger {
    Channel channel;
    pid_t pid = 0;
  };

  JobRun(const Plan& plan, const Outside& outside, Launch launch);
  Status begin();
  Result<std::vector<KeptProcess>> prepare();
  Status write_scratch() const;

  void turn();
  int milliseconds(double now) const;
  double now() const { return outside_.clock.boot_seconds(); }

  // The control channel
  void greet();
  void hear_stranger(Stranger& stranger);
  Order order_of(const RankProcess& rank) const;
  void give_order(RankProcess& rank);
  void hear_rank(RankProcess& rank);
  void take_word(RankProcess& rank, const Json& message);
  void begin_running(RankProcess& rank);

  // Other hosts
  Status open_hosts();
  void hear_agent(Stranger& stranger, const std::string& host);
  void hear_hosts();
  void hear_host(HostLink& host, Json& message);
  void watch_hosts(PollSet& set);
  Status recognise(const HostLink& host) const;
  void release_orders();
  bool meet();
  void agent_ended(HostLink& host);
  void lost_host(HostLink& host, const std::string& why);
  void tell_hosts(const Json& message);
  bool hosts_done() const;
  void note_silent_hosts();
  std::string ranks_of(const HostLink& host) const;
  std::string unanswered_hosts() const;

  // Ends
  void hear_keeper();
  void engine_ended(int status);
  void judge_engine();
  void look_at_ranks();
  void rank_ended(RankProcess& rank);
  void judge_ends();
  void lost_keeper();

  // Ending
  void hear_signals();
  void begin_end(Ending::By by, int exit_status, std::string cause, int signal, double grace);
  void forward(int signal, bool from_terminal);
  void proceed(double now);
  void look_for_mpi(double now);
  void drain_output();
  Ending ending();

  bool all(bool (*is)(const RankProcess&)) const;
  void fail_start(Error error);

  Plan plan_;
  Outside outside_;
  Launch launch_;
  SignalInbox signals_;
  std::optional<ControlServer> server_;
  std::optional<HostLinks> links_;  ///< none: all ranks are on this host
  std::optional<Keeper> keeper_;
  Descriptor nowhere_;  ///< where the output of an unheard job goes
  std::optional<RankOutput> output_;
  std::optional<MemoryKills> memory_;
  StdinRelay stdin_relay_;
  std::vector<RankProcess> ranks_;
  std::vector<std::unique_ptr<Stranger>> strangers_;
  std::vector<std::vector<Descriptor>> streams_;  ///< per rank, until its order is sent
  bool released_ = true;          ///< orders may go out: where the ranks meet is known
  Descriptor remote_input_;       ///< our stdin, for a rank 0 on another host
  std::size_t input_credit_ = 0;  ///< bytes of it that may be on their way

  bool passes_stdio_ = false;  ///< one rank, no tag, no files: it gets our own
  std::optional<Error> start_error_;
  bool waiting_ = false;         ///< wait() was called: heartbeats
  std::vector<int> fresh_ends_;  ///< ranks that ended in this turn
  std::optional<int> first_failure_;
  std::optional<int> engine_status_;  ///< wait status
  bool engine_ended_ = false, alone_ = false, killed_ = false, swept_ = false, done_ = false;

  // Why the job is ending; nothing = it isn't.
  std::optional<Ending::By> by_;
  int by_status_ = 0;
  std::string cause_;
  std::vector<std::string> notes_;
  double begun_ = 0, first_run_ = 0, last_end_ = 0, signalled_ = 0;
  double kill_at_ = 0, patience_ = 0;  ///< 0 = not set
  double engine_verdict_ = 0;  ///< when to judge an engine that has ended; 0 = not set
  double next_heartbeat_ = 0, next_mpi_look_ = 0, mpi_pause_ = 0.3;
  std::function<std::string(Seconds)> heartbeat_;
};

}  // namespace topolaunch::launcher
