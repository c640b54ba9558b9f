// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervise/job_run.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "launcher/engine/mpi_use.h"
#include "launcher/json_fields.h"
#include "launcher/shim/observe.h"
#include "launcher/shim/order.h"

namespace topolaunch::launcher {
namespace {

/// Seconds. A job that isn't running by then says which ranks are missing.
constexpr double kStartLimit = 60;
constexpr double kHeartbeat = 10;
/// What outlives the ranks may end by itself (a tee that still writes), then gets SIGTERM, then is
/// killed.
constexpr double kLinger = 0.5, kLingerAfterTerm = 2;
/// An engine has this long to notice that its ranks are gone.
constexpr double kEnginePatience = 5, kEnginePatienceAfterFailure = 0.3;
/// A rank that was killed from outside (SIGKILL): the job is broken, and nothing of it may be left
/// after 5 s, whatever --grace says.
constexpr double kGraceAfterKill = 3;
/// A second Ctrl-C within this is the first one, sent twice (to the process and to its group).
constexpr double kSameSignal = 0.25;
/// When a rank is looked at for a mapped MPI library: 0.3 s after the start, then twice as late each
/// time, until a minute is over. Imports are done by then.
constexpr double kLastMpiLook = 60;
/// A killed process that is still there after this hangs in the kernel: nobody can end it.
constexpr double kAfterKill = 10;

double sooner(double a, double b) { return a == 0 ? b : b == 0 ? a : std::min(a, b); }

}  // namespace

JobRun::JobRun(const Plan& plan, const Outside& outside, Launch launch)
    : plan_(plan), outside_(outside), launch_(std::move(launch)) {}

Result<std::unique_ptr<Run>> JobRun::start(const Plan& plan, const Outside& outside, Launch launch) {
  if (plan.ranks.empty() || plan.command.empty()) {
    return fail(Code::internal, "a plan without ranks or command can't be started");
  }
  std::unique_ptr<JobRun> run(new JobRun(plan, outside, std::move(launch)));
  if (auto begun = run->begin(); !begun) return tl::unexpected(std::move(begun).error());
  return std::unique_ptr<Run>(std::move(run));
}

Status JobRun::begin() {
  begun_ = now();
  auto server = ControlServer::open();
  if (!server) return tl::unexpected(std::move(server).error());
  server_ = std::move(*server);
  auto keeper = Keeper::start(plan_.id, outside_.files);
  if (!keeper) return tl::unexpected(std::move(keeper).error());
  keeper_.emplace(std::move(*keeper));
  signals_.ignore_sigpipe();
  auto processes = prepare();
  if (!processes) return tl::unexpected(std::move(processes).error());
  if (!keeper_->launch(std::move(*processes), launch_.scratch)) lost_keeper();
  memory_.emplace(outside_.files, std::string());
  while (!done_ && !start_error_ && !by_ &&
         !all([](const RankProcess& r) { return r.stage >= Stage::running; })) {
    turn();
    if (!start_error_ && now() - begun_ > kStartLimit) {
      std::string missing;
      for (const RankProcess& rank : ranks_) {
        if (rank.stage >= Stage::running) continue;
        missing += (missing.empty() ? "" : ", ") + std::to_string(rank.plan->rank) + " (" +
                   rank.plan->host + ")";
      }
      fail_start({Code::unavailable, "ranks not started within a minute: " + missing,
                  "look at these hosts", {}, 0});
    }
  }
  if (!start_error_) return {};
  // Nothing that was started may stay.
  while (!done_) {
    kill_at_ = sooner(kill_at_, now());
    turn();
  }
  drain_output();
  keeper_->finish();
  return fail(std::move(*start_error_));
}

/// Pipes, control variables, and who shares our terminal.
Result<std::vector<KeptProcess>> JobRun::prepare() {
  passes_stdio_ =
      plan_.ranks.size() == 1 && plan_.tag == Plan::Tag::none && plan_.log_directory.empty();
  output_.emplace(RankOutput::Options{plan_.tag == Plan::Tag::rank, plan_.log_directory, 1, 2});
  const bool terminal = ::isatty(0) != 0 || (passes_stdio_ && (::isatty(1) != 0 || ::isatty(2) != 0));
  ranks_.resize(plan_.ranks.size());
  streams_.resize(plan_.ranks.size());
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    ranks_[r].plan = &plan_.ranks[r];
    // mpirun signals the whole group of a rank, so ours must not be one of them.
    ranks_[r].own_group = !(r == 0 && terminal && launch_.shims);
    if (r == 0) {
      Descriptor in = !launch_.shims && ::isatty(0) != 0
                          ? stdin_relay_.begin(0)
                          : Descriptor(::fcntl(0, F_DUPFD_CLOEXEC, 3));
      if (!in) in.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
      streams_[r].push_back(std::move(in));
    }
    for (const int number : {1, 2}) {
      if (passes_stdio_) {
        Descriptor own(::fcntl(number, F_DUPFD_CLOEXEC, 3));
        if (!own) own.reset(::open("/dev/null", O_WRONLY | O_CLOEXEC));
        streams_[r].push_back(std::move(own));
        continue;
      }
      auto pipe = output_->open_stream(static_cast<int>(r), number);
      if (!pipe) return tl::unexpected(std::move(pipe).error());
      streams_[r].push_back(std::move(*pipe));
    }
  }
  for (KeptProcess& process : launch_.processes) {
    process.environment[kControlAddress] = server_->address();
    process.environment[kControlSecret] = server_->secret();
    process.environment["TOPOLAUNCH_RUN_ID"] = plan_.id;
    if (launch_.shims) continue;
    auto out = output_->open_stream(RankOutput::kEngine, 1);
    auto err = output_->open_stream(RankOutput::kEngine, 2);
    if (!out) return tl::unexpected(std::move(out).error());
    if (!err) return tl::unexpected(std::move(err).error());
    process.out = std::move(*out);
    process.err = std::move(*err);
  }
  return std::move(launch_.processes);
}

void JobRun::fail_start(Error error) {
  if (!start_error_ && !by_) start_error_ = std::move(error);
}

bool JobRun::all(bool (*is)(const RankProcess&)) const { return std::ranges::all_of(ranks_, is); }

int JobRun::milliseconds(double at) const {
  double next = at + (waiting_ ? kHeartbeat : 1.0);
  const auto consider = [&](double when) {
    if (when > 0) next = std::min(next, when);
  };
  if (waiting_) consider(next_heartbeat_);
  if (!by_ && plan_.time_limit && first_run_ > 0) consider(first_run_ + plan_.time_limit->count());
  if (!killed_) consider(kill_at_);
  consider(patience_);
  consider(next_mpi_look_);
  if (killed_) consider(at + 0.05);
  int wait = static_cast<int>(std::ceil(std::max(0.0, next - at) * 1000));
  const int settle = output_ ? output_->milliseconds_to_settle(at) : -1;
  if (settle >= 0) wait = std::min(wait, settle);
  return wait;
}

void JobRun::turn() {
  PollSet set;
  set.add(signals_.fd(), POLLIN, [this](short) { hear_signals(); });
  if (server_) set.add(server_->fd(), POLLIN, [this](short) { greet(); });
  for (const auto& stranger : strangers_) {
    set.add(stranger->channel.fd(), POLLIN, [this, s = stranger.get()](short) { hear_stranger(*s); });
  }
  for (RankProcess& rank : ranks_) {
    if (rank.channel.open()) {
      const short events = rank.channel.has_outbox() ? POLLIN | POLLOUT : POLLIN;
      set.add(rank.channel.fd(), events, [this, &rank](short) { hear_rank(rank); });
    }
    if (!launch_.shims && !rank.ended()) {
      set.add(rank.pidfd.get(), POLLIN, [this](short) { look_at_ranks(); });
    }
  }
  if (keeper_->alive()) set.add(keeper_->fd(), POLLIN, [this](short) { hear_keeper(); });
  if (output_) output_->watch(set);
  stdin_relay_.watch(set);
  set.wait(milliseconds(now()));

  std::erase_if(strangers_, [](const auto& s) { return !s->channel.open(); });
  judge_ends();
  const double at = now();
  output_->settle(at);
  proceed(at);
}

// ---- the control channel

void JobRun::greet() {
  while (auto peer = server_->accept()) {
    // Nobody of ours is unheard for long; a crowd of strangers must not take all descriptors.
    if (strangers_.size() > 2 * ranks_.size() + 16) continue;
    auto stranger = std::make_unique<Stranger>();
    stranger->channel = std::move(peer->channel);
    stranger->pid = peer->pid;
    strangers_.push_back(std::move(stranger));
  }
}

void JobRun::hear_stranger(Stranger& stranger) {
  std::vector<Json> messages;
  const bool alive = stranger.channel.receive(messages);
  if (messages.empty()) {
    if (!alive) stranger.channel.close();
    return;
  }
  JsonFields in(messages.front(), "greeting", "");
  const std::string secret = in.text_or("secret", {});
  const int number = in.integer_or("rank", 0, INT_MAX - 1, -1);
  const bool known = number >= 0 && static_cast<std::size_t>(number) < ranks_.size();
  if (!server_->is_secret(secret) || !known ||
      ranks_[static_cast<std::size_t>(number)].stage != Stage::expected) {
    stranger.channel.close();
    return;
  }
  RankProcess& rank = ranks_[static_cast<std::size_t>(number)];
  rank.pid = stranger.pid;
  // The shim waits for our answer, so its number is still its own.
  rank.pidfd = open_pidfd(rank.pid);
  rank.channel = std::move(stranger.channel);
  rank.channel.set_limit(Channel::kMaxMessage);
  rank.stage = Stage::greeted;
  give_order(rank);
}

void JobRun::give_order(RankProcess& rank) {
  Order order = order_for(plan_, *rank.plan);
  order.ignored_signals = signals_.ignored();
  order.process_group = rank.own_group ? 0 : ::getpgrp();
  order.has_stdin = rank.plan->rank == 0;
  order.has_output = true;
  rank.channel.post(to_json(order),
                    std::move(streams_[static_cast<std::size_t>(rank.plan->rank)]));
  hear_rank(rank);
}

void JobRun::hear_rank(RankProcess& rank) {
  if (!rank.channel.open()) return;
  std::vector<Json> messages;
  bool alive = rank.channel.flush();
  alive = rank.channel.receive(messages) && alive;
  for (const Json& message : messages) {
    JsonFields in(message, "shim", "");
    if (in.has("observation")) {
      if (auto seen = observation_from_json(*in.object("observation"))) {
        rank.observation = std::move(*seen);
        if (rank.stage == Stage::greeted) rank.stage = Stage::observed;
      }
    }
    if (in.has("error")) {
      JsonFields error(*in.object("error"), "shim", "error");
      const int code = error.integer_or("code", 1, 255, exit_status(Code::internal));
      std::string text = error.text_or("message", "the command can't be started");
      if (ranks_.size() > 1) {
        text = "rank " + std::to_string(rank.plan->rank) + " on " + rank.plan->host + ": " + text;
      }
      fail_start({static_cast<Code>(code), text, error.text_or("next", {}), {}, 0});
    }
  }
  if (alive) return;
  // exec has closed the shim's end: it is the command now, if it had come so far.
  rank.channel.close();
  if (rank.stage == Stage::observed && !start_error_) {
    rank.stage = Stage::running;
    if (first_run_ == 0) {
      first_run_ = now();
      if (!launch_.gives_mpi && ranks_.size() > 1) next_mpi_look_ = first_run_ + mpi_pause_;
    }
  }
}

// ---- ends

void JobRun::hear_keeper() {
  for (const KeeperNews& news : keeper_->news()) {
    using What = KeeperNews::What;
    const bool is_rank = launch_.shims && news.process >= 0 &&
                         static_cast<std::size_t>(news.process) < ranks_.size();
    if (news.what == What::failed) {
      const std::string name = launch_.program.empty() ? "the shim" : launch_.program;
      fail_start({Code::unavailable,
                  "can't start " + name + ": " + std::strerror(news.value), {}, {}, 0});
      engine_ended_ = alone_ = true;
    } else if (news.what == What::ended && is_rank) {
      RankProcess& rank = ranks_[static_cast<std::size_t>(news.process)];
      hear_rank(rank);  // what it said before comes first
      rank.status = news.value;
      rank_ended(rank);
    } else if (news.what == What::ended) {
      engine_ended(news.value);
    } else if (news.what == What::alone) {
      look_at_ranks();
      alone_ = true;
    } else if (news.what == What::gone) {
      lost_keeper();
    }
  }
}

void JobRun::engine_ended(int status) {
  engine_ended_ = true;
  engine_status_ = status;
  for (RankProcess& rank : ranks_) hear_rank(rank);
  look_at_ranks();
  if (all([](const RankProcess& r) { return r.ended(); })) return;
  const std::string how = WIFSIGNALED(status)
                              ? "was killed by " + signal_name(WTERMSIG(status))
                              : "ended with status " + std::to_string(WEXITSTATUS(status));
  const int exit = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : std::max(1, WEXITSTATUS(status));
  if (all([](const RankProcess& r) { return r.stage >= Stage::running; })) {
    if (!by_ && !first_failure_) {
      begin_end(Ending::By::engine, exit, launch_.program + " " + how + " under its ranks", SIGKILL, 0);
    }
    kill_at_ = now();
    return;
  }
  fail_start({Code::unavailable, launch_.program + " " + how + " before all ranks had started",
              launch_.program + "'s own words are above", {}, 0});
  kill_at_ = now();
}

void JobRun::look_at_ranks() {
  if (launch_.shims) return;
  for (RankProcess& rank : ranks_) {
    if (rank.ended() || !rank.look_for_end()) continue;
    hear_rank(rank);
    rank_ended(rank);
  }
}

void JobRun::rank_ended(RankProcess& rank) {
  if (rank.ended()) return;
  if (rank.stage < Stage::running) {
    fail_start({Code::unavailable, rank.end_in_words() + " before its command was started", {}, {}, 0});
  }
  rank.stage = Stage::ended;
  rank.channel.close();
  rank.ended_at = last_end_ = now();
  fresh_ends_.push_back(rank.plan->rank);
}

/// Which of the ranks that ended in this turn has failed first. Seen at once, the order is: ended by
/// itself before ended by a stop signal (that mpirun sent because of the other), then by number.
void JobRun::judge_ends() {
  std::optional<int> first;
  const auto stopped = [&](int r) {
    const int signal = ranks_[static_cast<std::size_t>(r)].signal_number();
    return signal == SIGTERM || signal == SIGKILL;
  };
  for (const int r : fresh_ends_) {
    const RankProcess& rank = ranks_[static_cast<std::size_t>(r)];
    const bool failed = rank.status && *rank.status != 0;
    if (!failed || rank.told_to_stop) continue;
    if (!first || std::pair(stopped(r), r) < std::pair(stopped(*first), *first)) first = r;
  }
  fresh_ends_.clear();
  if (!first || first_failure_ || start_error_) return;
  first_failure_ = first;
  RankProcess& rank = ranks_[static_cast<std::size_t>(*first)];
  double grace = plan_.grace.count();
  if (rank.signal_number() == SIGKILL) grace = std::min(grace, kGraceAfterKill);
  // 137: a shell says so of the command that it waited for.
  if (rank.exit_status() == 128 + SIGKILL) rank.memory_evidence = memory_->evidence(rank.pid);
  if (!by_) begin_end(Ending::By::job, rank.exit_status(), rank.end_in_words(), SIGTERM, grace);
}

void JobRun::lost_keeper() {
  for (RankProcess& rank : ranks_) rank.told_to_stop = rank.told_to_stop || !rank.ended();
  if (!by_) {
    by_ = Ending::By::engine;
    by_status_ = exit_status(Code::internal);
    cause_ = "topolaunch's keeper process was killed, so the job was ended";
  }
  fail_start({Code::internal, "topolaunch's keeper process was killed while the job was started", {}, {}, 0});
  for (const std::string& name : keeper_->take_over(kAfterKill)) {
    notes_.push_back("process can't be ended: " + name);
  }
  for (RankProcess& rank : ranks_) {
    if (!rank.ended() && !launch_.shims) static_cast<void>(rank.look_for_end());
    if (!rank.ended()) rank_ended(rank);
  }
  alone_ = engine_ended_ = true;
}

// ---- ending

void JobRun::hear_signals() {
  for (const SignalInbox::Message& message : signals_.take()) {
    const bool ends = message.number == SIGINT || message.number == SIGTERM ||
                      message.number == SIGHUP || message.number == SIGQUIT;
    if (!ends) {
      forward(message.number, message.from_terminal);
      if (message.number == SIGTSTP) ::raise(SIGSTOP);  // goes on at SIGCONT, which is forwarded
      continue;
    }
    if (by_) {
      if (signalled_ == 0 || now() - signalled_ > kSameSignal) kill_at_ = now();
      signalled_ = now();
      continue;
    }
    const bool interrupt = message.number == SIGINT;
    signalled_ = now();
    begin_end(interrupt ? Ending::By::interrupt : Ending::By::signal, 128 + message.number,
              interrupt ? "interrupted" : "topolaunch got " + signal_name(message.number), 0,
              plan_.grace.count());
    forward(message.number, message.from_terminal);
    // Shims that are not the command yet have nothing to clear up.
    if (!all([](const RankProcess& r) { return r.stage >= Stage::running; })) kill_at_ = now();
  }
}

void JobRun::forward(int signal, bool from_terminal) {
  for (const RankProcess& rank : ranks_) {
    // What shares our group has got Ctrl-C from the terminal itself.
    if (from_terminal && !rank.own_group) continue;
    if (rank.stage == Stage::running) rank.signal(signal);
  }
}

void JobRun::begin_end(Ending::By by, int exit_status, std::string cause, int signal, double grace) {
  by_ = by;
  by_status_ = exit_status;
  cause_ = std::move(cause);
  for (RankProcess& rank : ranks_) {
    if (rank.ended()) continue;
    rank.told_to_stop = true;
    if (signal != 0) rank.signal(signal);
  }
  kill_at_ = sooner(kill_at_, now() + grace);
}

void JobRun::look_for_mpi(double at) {
  if (next_mpi_look_ == 0 || at < next_mpi_look_ || by_) return;
  mpi_pause_ *= 2;
  next_mpi_look_ = at - first_run_ > kLastMpiLook ? 0 : at + mpi_pause_;
  for (const RankProcess& rank : ranks_) {
    if (rank.stage != Stage::running) continue;
    const std::string library = mapped_mpi_library(rank.pid);
    if (library.empty()) continue;
    begin_end(Ending::By::engine, exit_status(Code::configuration),
              "rank " + std::to_string(rank.plan->rank) + " uses MPI (" + library + ") and engine " +
                  plan_.engine + " gives none: each rank would be a world of one; use --engine mpirun",
              SIGTERM, plan_.grace.count());
    return;
  }
}

void JobRun::proceed(double at) {
  if (!by_ && plan_.time_limit && first_run_ > 0 && at - first_run_ >= plan_.time_limit->count() &&
      !all([](const RankProcess& r) { return r.ended(); })) {
    begin_end(Ending::By::time_limit, 124, "time limit of " + to_text(*plan_.time_limit) + " reached",
              SIGTERM, plan_.grace.count());
  }
  look_for_mpi(at);
  if (waiting_ && heartbeat_ && at >= next_heartbeat_) {
    next_heartbeat_ = at + kHeartbeat;
    const std::string reason = heartbeat_(Seconds(first_run_ > 0 ? at - first_run_ : 0));
    if (!reason.empty() && !by_) {
      begin_end(Ending::By::engine, exit_status(Code::denied), reason, SIGTERM, plan_.grace.count());
    }
  }
  const bool ranks_gone = all([](const RankProcess& r) { return r.ended(); });
  if (alone_ && (ranks_gone || by_ || start_error_)) {
    done_ = true;
    return;
  }
  if (alone_ && engine_ended_) {
    done_ = true;
    return;
  }
  // The ranks are gone, and something is left: the engine first, then what the ranks left behind.
  if (ranks_gone && kill_at_ == 0 && !swept_ && patience_ == 0) {
    patience_ = at + (launch_.shims || engine_ended_ ? kLinger : kEnginePatience);
  }
  if (ranks_gone && by_ && !swept_ && patience_ == 0) patience_ = at + kEnginePatienceAfterFailure;
  if (patience_ > 0 && at >= patience_) {
    patience_ = 0;
    if (!swept_ && keeper_->alive()) {
      swept_ = true;
      if (!launch_.shims && !engine_ended_) {
        // mpirun 4.1 sleeps while it ends a job, and crashes when SIGTERM wakes it.
        kill_at_ = at;
      } else {
        keeper_->sweep(SIGTERM);
        // After a stop that was announced, what is left has the rest of the grace.
        if (kill_at_ == 0) kill_at_ = at + std::min(plan_.grace.count(), kLingerAfterTerm);
      }
    }
  }
  if (kill_at_ > 0 && at >= kill_at_ && !killed_) {
    killed_ = true;
    for (RankProcess& rank : ranks_) {
      if (!rank.ended()) rank.told_to_stop = true;
      rank.signal(SIGKILL);
    }
    if (keeper_->alive()) keeper_->kill_all();
  }
  if (killed_ && at - kill_at_ > kAfterKill) {
    for (const Kin& kin : kin_below(keeper_->pid())) {
      notes_.push_back("process can't be ended: " + kin.name + " (" + std::to_string(kin.pid) +
                       ", state " + kin.state + ")");
    }
    done_ = true;
  }
}

void JobRun::drain_output() {
  output_->finish();
  while (output_->pending()) {
    PollSet set;
    output_->watch_sinks(set);
    bool enough = false;
    set.add(signals_.fd(), POLLIN, [&](short) {
      for (const auto& message : signals_.take()) {
        enough = enough || message.number == SIGINT || message.number == SIGTERM ||
                 message.number == SIGHUP;
      }
    });
    set.wait(-1);
    if (enough) break;  // the reader of our output has stopped, and the user wants to leave
  }
}

Result<Ending> JobRun::wait(const std::function<std::string(Seconds)>& heartbeat) {
  heartbeat_ = heartbeat;
  waiting_ = true;
  next_heartbeat_ = now() + kHeartbeat;
  while (!done_) turn();
  drain_output();
  keeper_->finish();
  return ending();
}

Ending JobRun::ending() {
  Ending out;
  // Ends that only the engine knows.
  if (!first_failure_ && engine_status_ && launch_.failure_in_words) {
    if (const auto told = launch_.failure_in_words(output_->last_words(RankOutput::kEngine))) {
      const auto r = static_cast<std::size_t>(told->first);
      if (r < ranks_.size() && !ranks_[r].status && !ranks_[r].told_to_stop) {
        ranks_[r].status = told->second;
        first_failure_ = told->first;
      }
    }
  }
  int engine = !engine_status_ ? 0
               : WIFSIGNALED(*engine_status_) ? 128 + WTERMSIG(*engine_status_)
                                              : WEXITSTATUS(*engine_status_);
  if (killed_ && !by_ && engine == 128 + SIGKILL) {  // by us, long after its ranks had ended
    engine = 0;
    notes_.push_back(launch_.program + " did not end by itself after its ranks and was killed");
  }
  for (RankProcess& rank : ranks_) {
    if (!rank.status && engine_status_ && engine == 0) rank.status = 0;
    RankEnding end;
    end.rank = rank.plan->rank;
    end.host = rank.plan->host;
    end.exit_status = rank.exit_status();
    end.signal = rank.signal_number();
    end.out_of_memory = !rank.memory_evidence.empty();
    end.ended_by_us = rank.told_to_stop;
    out.ranks.push_back(std::move(end));
    if (rank.observation) out.observations.push_back(*rank.observation);
  }
  if (first_failure_) out.first_failure = out.ranks[static_cast<std::size_t>(*first_failure_)];
  if (by_) {
    out.by = *by_;
    out.exit_status = by_status_;
    out.cause = cause_;
  } else if (first_failure_) {
    out.exit_status = out.first_failure->exit_status;
    out.cause = ranks_[static_cast<std::size_t>(*first_failure_)].end_in_words();
  } else if (engine != 0) {
    // MPI_Abort, a rank that left without MPI_Finalize, ...
    out.by = Ending::By::engine;
    out.exit_status = engine;
    out.cause = launch_.program + " ended with status " + std::to_string(engine) +
                ", though no rank failed by itself; its own words are above";
  }
  if (first_run_ > 0) out.elapsed = Seconds(std::max(0.0, last_end_ - first_run_));
  out.notes = launch_.notes;
  out.notes.insert(out.notes.end(), notes_.begin(), notes_.end());
  if (output_ && !output_->problem().empty()) out.notes.push_back(output_->problem());
  return out;
}

}  // namespace topolaunch::launcher
