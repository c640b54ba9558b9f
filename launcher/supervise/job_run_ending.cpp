// SPDX-License-Identifier: Apache-2.0
//
// JobRun: how a job is brought to its end, and what is said of it.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "launcher/engine/mpi_use.h"
#include "launcher/supervise/job_run.h"

namespace topolaunch::launcher {
namespace {

/// What outlives the ranks may end by itself (a tee that still writes), then gets SIGTERM, then is
/// killed.
constexpr double kLinger = 0.5, kLingerAfterTerm = 2;
/// An engine has this long to notice that its ranks are gone.
constexpr double kEnginePatience = 5, kEnginePatienceAfterFailure = 0.3;
/// A second Ctrl-C within this is the first one, sent twice (to the process and to its group).
constexpr double kSameSignal = 0.25;
/// When a rank is looked at for a mapped MPI library: 0.3 s after the start, then twice as late
/// each time, until a minute is over. Imports are done by then.
constexpr double kLastMpiLook = 60;
/// A killed process that is still there after this hangs in the kernel: nobody can end it.
constexpr double kAfterKill = 10;

}  // namespace

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

void JobRun::begin_end(Ending::By by, int exit_status, std::string cause, int signal,
                       double grace) {
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
              "rank " + std::to_string(rank.plan->rank) + " uses MPI (" + library +
                  ") and engine " + plan_.engine +
                  " gives none: each rank would be a world of one; use --engine mpirun",
              SIGTERM, plan_.grace.count());
    return;
  }
}

void JobRun::proceed(double at) {
  if (!by_ && output_) {
    // The ranks are read on, so that they can end in order.
    if (std::string failure = output_->failure(); !failure.empty()) {
      begin_end(Ending::By::output, exit_status(Code::try_again), std::move(failure), SIGTERM,
                plan_.grace.count());
    }
  }
  if (!by_ && plan_.time_limit && first_run_ > 0 && at - first_run_ >= plan_.time_limit->count() &&
      !all([](const RankProcess& r) { return r.ended(); })) {
    begin_end(Ending::By::time_limit, 124,
              "time limit of " + to_text(*plan_.time_limit) + " reached", SIGTERM,
              plan_.grace.count());
  }
  look_for_mpi(at);
  if (waiting_ && heartbeat_ && at >= next_heartbeat_) {
    next_heartbeat_ = at + kHeartbeat;
    const std::string reason = heartbeat_(Seconds(first_run_ > 0 ? at - first_run_ : 0));
    if (!reason.empty() && !by_) {
      begin_end(Ending::By::engine, exit_status(Code::denied), reason, SIGTERM,
                plan_.grace.count());
    }
  }
  const bool ranks_gone = all([](const RankProcess& r) { return r.ended(); });
  if (engine_verdict_ > 0 && (at >= engine_verdict_ || (alone_ && hosts_done()))) judge_engine();
  if (alone_ && hosts_done() && (ranks_gone || by_ || start_error_)) {
    done_ = true;
    return;
  }
  if (alone_ && hosts_done() && engine_ended_ && engine_verdict_ == 0) {
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
        tell_hosts(Json{{"sweep", SIGTERM}});
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
    tell_hosts(Json{{"kill", true}});
    if (keeper_->alive()) keeper_->kill_all();
  }
  if (killed_ && at - kill_at_ > kAfterKill) {
    for (const Kin& kin : kin_below(keeper_->pid())) {
      notes_.push_back("process can't be ended: " + kin.name + " (" + std::to_string(kin.pid) +
                       ", state " + kin.state + ")");
    }
    note_silent_hosts();
    done_ = true;
  }
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
  int engine = !engine_status_                ? 0
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
    output_->show_engine_words();
  }
  // The last words, written when the ranks had ended.
  if (std::string failure = output_->failure(); !by_ && out.exit_status == 0 && !failure.empty()) {
    out.by = Ending::By::output;
    out.exit_status = exit_status(Code::try_again);
    out.cause = std::move(failure);
  }
  if (plan_.unheard && output_ && out.exit_status != 0) {
    out.last_words = output_->last_words(out.first_failure ? out.first_failure->rank : 0);
    // A rank that ended the job may not be the one that the engine blames: whoever said something.
    for (const RankProcess& rank : ranks_) {
      if (out.last_words.empty()) out.last_words = output_->last_words(rank.plan->rank);
    }
    if (out.last_words.empty()) out.last_words = output_->last_words(RankOutput::kEngine);
  }
  if (first_run_ > 0) out.elapsed = Seconds(std::max(0.0, last_end_ - first_run_));
  out.notes = launch_.notes;
  out.notes.insert(out.notes.end(), notes_.begin(), notes_.end());
  if (output_ && !output_->problem().empty()) out.notes.push_back(output_->problem());
  return out;
}

}  // namespace topolaunch::launcher
