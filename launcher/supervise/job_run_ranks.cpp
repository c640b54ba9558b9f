// SPDX-License-Identifier: Apache-2.0
//
// JobRun: what it hears of its ranks: from their shims, from the keeper, and how they end.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <nlohmann/json.hpp>

#include "launcher/json_fields.h"
#include "launcher/shim/observe.h"
#include "launcher/shim/order.h"
#include "launcher/supervise/job_run.h"

namespace topolaunch::launcher {
namespace {

/// A rank that was killed from outside (SIGKILL): the job is broken, and nothing of it may be left
/// after 5 s, whatever --grace says.
constexpr double kGraceAfterKill = 3;
/// A process that was killed and is still there after this hangs in the kernel.
constexpr double kAfterKill = 10;
/// Between the end of an engine over several hosts and what is said of it.
constexpr double kVerdictPause = 1;

}  // namespace

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
  if (links_ && in.has("agent") && server_->is_secret(secret)) {
    return hear_agent(stranger, in.text_or("agent", {}));
  }
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
  if (!rank.pidfd && errno == ESRCH) {  // killed while it waited
    stranger.channel.close();
    return rank_ended(rank);
  }
  rank.channel = std::move(stranger.channel);
  rank.channel.set_limit(Channel::kMaxMessage);
  rank.stage = Stage::greeted;
  if (by_ || start_error_) {  // the job is ending, and this one could not be told before
    rank.told_to_stop = true;
    rank.signal(SIGTERM);
    return;
  }
  // mpirun takes its host for this one, and it must know.
  if (HostLink* const link = std::exchange(rank.link, nullptr)) {
    const bool expected = link->stage == HostLink::Stage::expected;
    if (expected && ranks_of(*link).empty()) link->stage = HostLink::Stage::empty;
    release_orders();
  }
  if (released_ && rank.channel.open() && !rank.has_order) give_order(rank);
}

Order JobRun::order_of(const RankProcess& rank) const {
  Order order = order_for(plan_, *rank.plan);
  order.unset.insert(order.unset.end(), launch_.engine_only.begin(), launch_.engine_only.end());
  order.ignored_signals = signals_.ignored();
  order.process_group = rank.own_group ? 0 : ::getpgrp();
  order.has_stdin = rank.plan->rank == 0;
  order.has_output = true;
  return order;
}

void JobRun::give_order(RankProcess& rank) {
  rank.has_order = true;
  rank.channel.post(to_json(order_of(rank)),
                    std::move(streams_[static_cast<std::size_t>(rank.plan->rank)]));
  hear_rank(rank);
}

void JobRun::hear_rank(RankProcess& rank) {
  if (!rank.channel.open()) return;
  std::vector<Json> messages;
  bool alive = rank.channel.flush();
  alive = rank.channel.receive(messages) && alive;
  for (const Json& message : messages) take_word(rank, message);
  if (alive) return;
  // exec has closed the shim's end: it is the command now, if it had come so far.
  rank.channel.close();
  begin_running(rank);
}

/// What a shim says, here or through the keeper of its host.
void JobRun::take_word(RankProcess& rank, const Json& message) {
  JsonFields in(message, "shim", "");
  rank.became = in.number_or("boot_seconds", 0, 1e12, rank.became);
  if (const Json* const said = in.has("observation") ? in.object("observation") : nullptr) {
    if (auto seen = observation_from_json(*said)) {
      rank.observation = std::move(*seen);
      if (rank.stage < Stage::observed) rank.stage = Stage::observed;
    }
  }
  if (const Json* const said = in.has("error") ? in.object("error") : nullptr) {
    JsonFields error(*said, "shim", "error");
    const int code = error.integer_or("code", 1, 255, exit_status(Code::internal));
    std::string text = error.text_or("message", "the command can't be started");
    if (ranks_.size() > 1) {
      text = "rank " + std::to_string(rank.plan->rank) + " on " + rank.plan->host + ": " + text;
    }
    fail_start({static_cast<Code>(code), text, error.text_or("next", {}), {}, 0});
  }
}

void JobRun::begin_running(RankProcess& rank) {
  if (rank.stage != Stage::observed || start_error_) return;
  rank.stage = Stage::running;
  // A short job may have ended before we get to hear that it was started. The clock of another
  // host doesn't count as ours does.
  const double at = now();
  const double began = rank.became > begun_ && rank.became <= at ? rank.became : at;
  if (first_run_ == 0 && !launch_.gives_mpi && ranks_.size() > 1) next_mpi_look_ = at + mpi_pause_;
  first_run_ = sooner(first_run_, began);
}

// ---- ends

void JobRun::hear_keeper() {
  for (const KeeperNews& news : keeper_->news()) {
    using What = KeeperNews::What;
    const bool is_rank = launch_.shims && news.process >= 0 &&
                         static_cast<std::size_t>(news.process) < ranks_.size();
    if (news.what == What::failed) {
      const std::string name = launch_.program.empty() ? "the shim" : launch_.program;
      fail_start(
          {Code::unavailable, "can't start " + name + ": " + std::strerror(news.value), {}, {}, 0});
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
  if (links_) {
    // It may have ended because a host was lost, which the host's connection will say in a moment.
    engine_verdict_ = now() + kVerdictPause;
    return;
  }
  judge_engine();
}

/// The engine has ended, and ranks have not.
void JobRun::judge_engine() {
  engine_verdict_ = 0;
  const int status = *engine_status_;
  if (status == 0 && all([](const RankProcess& r) { return r.ended(); })) return;
  const std::string how = WIFSIGNALED(status)
                              ? "was killed by " + signal_name(WTERMSIG(status))
                              : "ended with status " + std::to_string(WEXITSTATUS(status));
  const int exit = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : std::max(1, WEXITSTATUS(status));
  if (all([](const RankProcess& r) { return r.stage >= Stage::running; })) {
    if (!by_ && !first_failure_) {
      begin_end(Ending::By::engine, exit, launch_.program + " " + how + " under its ranks", SIGKILL,
                0);
    }
    kill_at_ = now();
    return;
  }
  fail_start({Code::unavailable,
              launch_.program + " " + how + " before all ranks had started",
              launch_.program + "'s own words are above",
              {},
              0});
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
    fail_start(
        {Code::unavailable, rank.end_in_words() + " before its command was started", {}, {}, 0});
  }
  rank.stage = Stage::ended;
  rank.channel.close();
  rank.ended_at = last_end_ = now();
  fresh_ends_.push_back(rank.plan->rank);
}

/// Which of the ranks that ended in this turn has failed first. Seen at once, the order is: ended
/// by itself before ended by a stop signal (that mpirun sent because of the other), then by number.
void JobRun::judge_ends() {
  std::optional<int> first;
  const auto stopped = [&](int r) {
    const int signal = ranks_[static_cast<std::size_t>(r)].signal_number();
    return signal == SIGTERM || signal == SIGKILL;
  };
  for (const int r : fresh_ends_) {
    const RankProcess& rank = ranks_[static_cast<std::size_t>(r)];
    const bool failed = rank.status && *rank.status != 0;
    // The engine has ended, and so it ends its ranks.
    if (engine_verdict_ > 0 && stopped(r)) ranks_[static_cast<std::size_t>(r)].told_to_stop = true;
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
  if (rank.link == nullptr && rank.exit_status() == 128 + SIGKILL)
    rank.memory_evidence = memory_->evidence(rank.pid);
  if (!by_) begin_end(Ending::By::job, rank.exit_status(), rank.end_in_words(), SIGTERM, grace);
}

void JobRun::lost_keeper() {
  for (RankProcess& rank : ranks_) rank.told_to_stop = rank.told_to_stop || !rank.ended();
  if (!by_) {
    by_ = Ending::By::engine;
    by_status_ = exit_status(Code::internal);
    cause_ = "topolaunch's keeper process was killed, so the job was ended";
  }
  fail_start({Code::internal,
              "topolaunch's keeper process was killed while the job was started",
              {},
              {},
              0});
  for (const std::string& name : keeper_->take_over(kAfterKill)) {
    notes_.push_back("process can't be ended: " + name);
  }
  if (links_) {
    tell_hosts(Json{{"kill", true}});
    kill_at_ = now();
  }
  for (RankProcess& rank : ranks_) {
    if (!rank.ended() && !launch_.shims) static_cast<void>(rank.look_for_end());
    if (!rank.ended()) rank_ended(rank);
  }
  alone_ = engine_ended_ = true;
}

}  // namespace topolaunch::launcher
