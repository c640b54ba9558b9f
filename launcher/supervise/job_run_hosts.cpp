// SPDX-License-Identifier: Apache-2.0
//
// JobRun: its ranks on other hosts, through the hosts' keepers.
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <nlohmann/json.hpp>

#include "launcher/json_fields.h"
#include "launcher/supervise/free_port.h"
#include "launcher/supervise/job_run.h"

namespace topolaunch::launcher {
namespace {

/// When a host is lost, the ranks elsewhere have this long; the job is broken.
constexpr double kGraceAfterLoss = 3;
/// A rank that fails because its peer's host is gone can be seen before the loss itself.
constexpr double kLossExplains = 3;

std::string how_it_ended(const std::optional<int>& status) {
  if (!status) return "ended";
  if (WIFSIGNALED(*status)) return "was killed by " + signal_name(WTERMSIG(*status));
  return "ended with status " + std::to_string(WEXITSTATUS(*status));
}

}  // namespace

void JobRun::watch_hosts(PollSet& set) {
  links_->watch(set);
  for (HostLink& host : links_->hosts()) {
    if (host.agent_end.empty()) {
      set.add(host.agent.get(), POLLIN, [this, h = &host](short) { agent_ended(*h); });
    }
  }
  RankProcess& first = ranks_.front();
  if (first.link == nullptr || first.stage < Stage::observed || input_credit_ == 0) return;
  set.add(remote_input_.get(), POLLIN, [this, &first](short) {
    std::array<char, 65536> buffer;
    const ssize_t n = ::read(remote_input_.get(), buffer.data(),
                             std::min(buffer.size(), input_credit_));
    if (n < 0 && errno == EINTR) return;
    const Json message{{"input", first.plan->rank}};
    if (n > 0) {
      input_credit_ -= static_cast<std::size_t>(n);
      first.link->channel.post_bytes(message,
                                     std::string_view(buffer.data(), static_cast<std::size_t>(n)));
    } else {
      first.link->channel.post(message);
      remote_input_.reset();
    }
    first.link->channel.flush();
  });
}

void JobRun::agent_ended(HostLink& host) {
  std::optional<int> status;
  if (!has_ended(host.agent_pid, host.agent.get(), status)) return;
  host.agent_end = how_it_ended(status);
  host.agent.reset();
  if (host.stage != HostLink::Stage::expected) return;
  const int code = status && WIFEXITED(*status) ? WEXITSTATUS(*status) : 0;
  const std::string agent = launch_.agent.front();
  std::string next = "its own words are above; try: " + agent + " " + host.name + " true";
  if (code == 127) next = "install topolaunch and Open MPI there, at the same paths as here";
  fail_start({Code::unavailable,
              "nothing was started on host " + host.name + ": " + agent + " " + host.agent_end,
              std::move(next),
              {},
              0});
}

void JobRun::hear_hosts() {
  for (HostNews& news : links_->take_news()) {
    HostLink& host = links_->hosts()[news.host];
    if (news.what == HostNews::What::arrived) {
      if (Status ok = recognise(host); !ok) fail_start(std::move(ok).error());
      if (!start_error_) release_orders();
    }
    if (news.what == HostNews::What::said) hear_host(host, *news.message);
    if (news.what == HostNews::What::lost) lost_host(host, news.why);
  }
  links_->let_strangers_go(now());
  // What was shown is off our hands: the hosts may send on.
  if (output_->behind()) return;
  for (HostLink& host : links_->hosts()) {
    if (host.untaken == 0 || !host.linked()) continue;
    host.channel.post(Json{{"took", std::exchange(host.untaken, 0)}});
    host.channel.flush();
  }
}

void JobRun::hear_host(HostLink& host, Json& message) {
  JsonFields in(message, "host", "");
  const auto rank_of = [&](const char* key) -> RankProcess* {
    const int r = in.integer_or(key, 0, INT_MAX - 1, -1);
    if (r < 0 || static_cast<std::size_t>(r) >= ranks_.size()) return nullptr;
    RankProcess& rank = ranks_[static_cast<std::size_t>(r)];
    return rank.link == &host ? &rank : nullptr;  // a host speaks for its own ranks only
  };
  if (RankProcess* const rank = rank_of("output")) {
    if (!message.contains("bytes") || !message["bytes"].is_binary()) return;
    const auto& bytes = message["bytes"].get_binary();
    host.untaken += static_cast<int>(bytes.size());
    output_->feed(rank->plan->rank, in.integer_or("stream", 1, 2, 1),
                  {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return;
  }
  if (RankProcess* const rank = rank_of("rank")) {
    take_word(*rank, message);
  } else if (const Json* const said = in.has("error") ? in.object("error") : nullptr) {
    JsonFields error(*said, "host", "error");
    fail_start({static_cast<Code>(error.integer_or("code", 1, 255, exit_status(Code::internal))),
                "host " + host.name + ": " + error.text_or("message", "can't start there"),
                error.text_or("next", {}),
                {},
                0});
  }
  if (RankProcess* const rank = rank_of("running")) begin_running(*rank);
  if (RankProcess* const rank = rank_of("ended"); rank != nullptr && !rank->ended()) {
    if (in.has("status")) rank->status = in.integer_or("status", 0, 0xffff, 1 << 8);
    rank->memory_evidence = in.text_or("memory", {});
    rank_ended(*rank);
  }
  if (in.has("took")) {
    input_credit_ += static_cast<std::size_t>(in.integer_or("took", 0, INT_MAX - 1, 0));
  }
  const std::string there = ranks_of(host);  // those that are left there
  const int status = in.integer_or("daemon", 0, 0xffff, 0);
  const bool begun = std::ranges::any_of(ranks_, [&](const RankProcess& rank) {
    return rank.link == &host && rank.stage >= Stage::running;
  });
  // One that leaves in peace before its ranks have begun was told to: mpirun's end tells why.
  if (in.has("daemon") && (begun || status != 0) && !there.empty() && !by_ && !first_failure_) {
    begin_end(Ending::By::engine,
              WIFSIGNALED(status) ? 128 + WTERMSIG(status) : std::max(1, WEXITSTATUS(status)),
              launch_.program + "'s daemon (orted) on host " + host.name + " " +
                  how_it_ended(status) + " under " + there,
              SIGTERM, std::min(plan_.grace.count(), kGraceAfterLoss));
  }
  if (in.has("empty")) {
    for (RankProcess& rank : ranks_) {
      if (rank.link == &host && !rank.ended() && rank.stage > Stage::expected) rank_ended(rank);
    }
  }
}

/// Orders go out once it is known where the ranks meet.
void JobRun::release_orders() {
  if (!released_ && !meet()) return;
  if (!std::exchange(released_, true)) {
    for (RankProcess& rank : ranks_) {
      if (rank.link == nullptr && rank.stage == Stage::greeted && !rank.has_order) give_order(rank);
    }
  }
  for (HostLink& host : links_->hosts()) {
    if (!host.linked() || std::exchange(host.has_orders, true)) continue;
    Json orders = Json::array();
    for (const RankProcess& rank : ranks_) {
      if (rank.link != &host) continue;
      Order order = order_of(rank);
      order.process_group = 0;
      // The plan's word counts more than what goes along.
      order.place.environment.insert(launch_.carried.begin(), launch_.carried.end());
      orders.push_back(to_json(order));
    }
    host.channel.post(Json{{"orders", std::move(orders)}});
    host.channel.flush();
  }
}

/// MASTER_ADDR and MASTER_PORT, where the plan leaves them open: rank 0's host as it is seen on the
/// connection to here, and a port that was free there. False: not known yet.
bool JobRun::meet() {
  if (!plan_.master_address.empty() && plan_.master_port > 0) return true;
  const HostLink* const host = ranks_.front().link;
  std::string address;
  int port = 0;
  if (host != nullptr) {
    address = host->said.address;
    port = host->said.free_port;
    if (!host->linked()) return false;
  } else {
    // Rank 0 is here: at the address at which another host has reached us.
    const auto other = std::ranges::find_if(links_->hosts(), &HostLink::linked);
    const bool all_here = all([](const RankProcess& r) { return r.link == nullptr; });
    if (other == links_->hosts().end() && !all_here) return false;
    address = all_here ? "127.0.0.1" : other->our_address;
    if (is_reachable_as(launch_.wanted_address)) address = launch_.wanted_address;
    port = is_free_port(launch_.wanted_port) ? launch_.wanted_port : free_port().value_or(0);
  }
  const auto note = [&](const char* name, const std::string& wanted, const std::string& got) {
    if (wanted.empty() || wanted == got) return;
    notes_.push_back(std::string(name) + "=" + wanted + " can't be had on rank 0's host " +
                     ranks_.front().plan->host + ": " + got + " was taken");
  };
  if (port <= 0 || address.empty()) {
    fail_start({Code::unavailable,
                "no free port, or no address, for MASTER_PORT on " + ranks_.front().plan->host,
                "set MASTER_ADDR and MASTER_PORT",
                {},
                0});
    return false;
  }
  if (plan_.master_address.empty()) note("MASTER_ADDR", launch_.wanted_address, address);
  if (plan_.master_port <= 0 && launch_.wanted_port > 0) {
    note("MASTER_PORT", std::to_string(launch_.wanted_port), std::to_string(port));
  }
  if (plan_.master_address.empty()) plan_.master_address = address;
  if (plan_.master_port <= 0) plan_.master_port = port;
  for (RankPlan& rank : plan_.ranks) {
    rank.environment["MASTER_ADDR"] = plan_.master_address;
    rank.environment["MASTER_PORT"] = std::to_string(plan_.master_port);
  }
  return true;
}

void JobRun::lost_host(HostLink& host, const std::string& why) {
  const std::string there = ranks_of(host);
  std::string cause = "host " + host.name + " was lost";
  if (!there.empty()) cause += " with " + there;
  cause += ": " + why;
  const bool starting = !all([](const RankProcess& r) { return r.stage >= Stage::running; });
  if (starting) fail_start({Code::unavailable, cause, "start again without that host", {}, 0});
  for (RankProcess& rank : ranks_) {
    if (rank.link != &host || rank.ended()) continue;
    rank.told_to_stop = true;
    rank_ended(rank);
  }
  if (there.empty() || starting) return;
  const bool explains = by_ == Ending::By::job && first_failure_ &&
                        now() - ranks_[static_cast<std::size_t>(*first_failure_)].ended_at <
                            kLossExplains;
  if (explains) {
    by_.reset();
    first_failure_.reset();
  }
  if (by_ || first_failure_) return;
  begin_end(Ending::By::host_lost, exit_status(Code::unavailable), std::move(cause), SIGTERM,
            std::min(plan_.grace.count(), kGraceAfterLoss));
}

void JobRun::tell_hosts(const Json& message) {
  if (!links_) return;
  for (HostLink& host : links_->hosts()) {
    if (!host.linked()) continue;
    host.channel.post(message);
    host.channel.flush();
  }
}

bool JobRun::hosts_done() const {
  return !links_ || std::ranges::none_of(links_->hosts(), &HostLink::linked);
}

void JobRun::note_silent_hosts() {
  if (!links_) return;
  for (const HostLink& host : links_->hosts()) {
    if (host.linked()) notes_.push_back("host " + host.name + " has not said that all is ended");
  }
}

std::string JobRun::ranks_of(const HostLink& host) const {
  std::string list;
  int count = 0;
  for (const RankProcess& rank : ranks_) {
    if (rank.link != &host || rank.ended()) continue;
    list += (count++ == 0 ? "" : ", ") + std::to_string(rank.plan->rank);
  }
  if (count == 0) return {};
  return (count == 1 ? "rank " : "ranks ") + list;
}

std::string JobRun::unanswered_hosts() const {
  std::string list;
  if (!links_) return list;
  for (const HostLink& host : links_->hosts()) {
    if (host.stage != HostLink::Stage::expected) continue;
    list += (list.empty() ? "host " : ", ") + host.name;
  }
  return list;
}

}  // namespace topolaunch::launcher
