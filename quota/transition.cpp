// SPDX-License-Identifier: Apache-2.0
#include "quota/transition.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"
#include "quota/policy.h"
#include "quota/printable.h"

namespace topolaunch::quota {
namespace {

tl::unexpected<Error> wrong_state(const RunRecord& run, const char* what) {
  return fail(Code::denied, fmt::format("run {} is {}, it can't be {}", run.run_id, run.state, what));
}

Status check_epoch(const RunRecord& run, int epoch) {
  if (epoch == run.epoch) return {};
  return fail(Code::denied, fmt::format("run {} is fenced: another launcher took it over (epoch {}, this one has {})",
                                        run.run_id, run.epoch, epoch),
              "stop this launcher's ranks");
}

void own(RunRecord& run, const Owner& owner) {
  run.host = owner.host;
  run.boot_id = owner.boot_id;
  run.pid_namespace = owner.pid_namespace;
  run.pid = owner.pid;
  run.pid_start = owner.pid_start;
}

/// Gives the hold back and takes `use` from it; what goes over comes from the free budget as far as
/// there is any, so that neither the grant nor another run's hold is ever touched.
void close(Change& change, const char* operation, const char* state, std::int64_t use, std::int64_t now,
           const std::string& note) {
  Balance& account = change.account;
  RunRecord& run = change.run;
  const std::int64_t charge = std::min(use, run.held + std::max<std::int64_t>(account.free(), 0));
  const std::int64_t from_hold = std::min(charge, run.held);
  account.held -= run.held;
  account.settled += charge;
  account.gpus_in_use -= run.gpus;
  change.postings.push_back({operation, "held", "spent", from_hold, note});
  if (charge > from_hold) change.postings.push_back({operation, "free", "spent", charge - from_hold, "over its hold"});
  if (run.held > from_hold) change.postings.push_back({operation, "held", "free", run.held - from_hold, "hold not used"});
  if (use > charge) {
    change.postings.push_back({operation, "free", "spent", 0, fmt::format("{} GPU-seconds could not be charged", use - charge)});
  }
  run.held = 0;
  run.used = use;
  run.charged = charge;
  run.state = state;
  run.ended_at = now;
  run.lease_until = 0;
}

std::int64_t bounded(std::int64_t gpu_seconds) {
  return std::clamp<std::int64_t>(gpu_seconds, 0, kLongestWallSeconds * 1'000'000);
}

}  // namespace

Status same_grant(const Grant& known, const Grant& token) {
  if (known == token) return {};
  return fail(Code::denied,
              fmt::format("grant '{}' (team {}) is in the ledger with other limits than this token has", token.jti,
                          token.team),
              "a changed grant needs a new token with a new jti");
}

Status same_request(const RunRecord& run, const ReserveRequest& request) {
  if (run.jti == request.grant.jti && run.gpus == request.demand.count) return {};
  return fail(Code::denied, fmt::format("run {} is known already, with {} on grant '{}'", run.run_id,
                                        counted(run.gpus, run.unit), run.jti),
              "use a new run id");
}

Hold hold_of(const RunRecord& run, bool already) {
  return Hold{run.run_id, run.epoch, run.held, run.wall_seconds, run.wall_why, run.hold_until, already};
}

Result<Change> reserved(Balance account, const ReserveRequest& request, std::int64_t now) {
  if (request.run_id.empty() || request.run_id.size() > 64) {
    return fail(Code::wrong_usage, "a run id has 1 to 64 characters");
  }
  if (!account.revoked.empty()) {
    return fail(Code::denied, fmt::format("grant '{}' (team {}) is revoked: {}", account.grant.jti, account.grant.team,
                                          printable(account.revoked)),
                "ask its issuer for a new token");
  }
  const Demand& demand = request.demand;
  auto allowed = allow(account, demand, now);
  if (!allowed) return fail(std::move(allowed).error());
  Change change{std::move(account), {}, {}};
  RunRecord& run = change.run;
  run.run_id = request.run_id;
  run.jti = request.grant.jti;
  run.team = request.grant.team;
  run.project = request.grant.project;
  run.subject = request.grant.subject;
  run.user = demand.user;
  run.command = demand.command;
  run.unit = demand.unit;
  for (const std::string& model : demand.gpu_models) run.gpu_type += (run.gpu_type.empty() ? "" : ", ") + model;
  own(run, request.owner);
  if (run.host.empty()) run.host = demand.host;
  run.state = "RESERVED";
  run.gpus = demand.count;
  run.held = allowed->gpu_seconds;
  run.wall_seconds = allowed->wall_seconds;
  run.wall_why = allowed->wall_why;
  run.reserved_at = now;
  run.lease_until = now + kReserveLeaseSeconds;
  run.hold_until = now + (run.wall_seconds > 0 ? run.wall_seconds + kHoldGraceSeconds : kOpenEndedSeconds);
  change.account.held += run.held;
  change.account.gpus_in_use += run.gpus;
  change.postings.push_back({"reserve", "free", "held", run.held,
                             fmt::format("{} for {} s", counted(run.gpus, run.unit), run.wall_seconds)});
  return change;
}

Result<Change> started(Balance account, RunRecord run, int epoch, const Owner& owner, std::int64_t now) {
  if (auto status = check_epoch(run, epoch); !status) return fail(status.error());
  if (run.state == "RUNNING") return Change{std::move(account), std::move(run), {}};
  if (run.state != "RESERVED") return wrong_state(run, "started");
  own(run, owner);
  run.state = "RUNNING";
  run.started_at = now;
  run.renewed_at = now;
  run.lease_until = now + kLeaseSeconds;
  // The job's time starts now, not when it was reserved.
  run.hold_until = now + (run.wall_seconds > 0 ? run.wall_seconds + kHoldGraceSeconds : kOpenEndedSeconds);
  return Change{std::move(account), std::move(run), {{"start", "held", "held", 0, ""}}};
}

Result<Change> renewed(Balance account, RunRecord run, int epoch, std::int64_t gpu_seconds, std::int64_t now) {
  if (auto status = check_epoch(run, epoch); !status) return fail(status.error());
  if (run.state != "RUNNING" && run.state != "LOST") return wrong_state(run, "renewed");
  Change change{std::move(account), std::move(run), {}};
  if (change.run.state == "LOST") change.postings.push_back({"found", "held", "held", 0, "it renewed again"});
  change.run.state = "RUNNING";
  change.run.used = std::max(change.run.used, bounded(gpu_seconds));
  change.run.renewed_at = now;
  change.run.lease_until = now + kLeaseSeconds;
  return change;
}

Result<Change> settled(Balance account, RunRecord run, int epoch, std::int64_t gpu_seconds,
                       const std::string& exit_class, std::int64_t now) {
  if (auto status = check_epoch(run, epoch); !status) return fail(status.error());
  Change change{std::move(account), std::move(run), {}};
  if (change.run.state == "SETTLED" || change.run.state == "SETTLED_ESTIMATED") return change;
  if (change.run.state != "RUNNING" && change.run.state != "LOST") return wrong_state(change.run, "settled");
  change.run.exit_class = exit_class;
  close(change, "settle", "SETTLED", std::max(change.run.used, bounded(gpu_seconds)), now, exit_class);
  return change;
}

Result<Change> released(Balance account, RunRecord run, std::int64_t now) {
  Change change{std::move(account), std::move(run), {}};
  if (change.run.state == "RELEASED") return change;
  if (change.run.state != "RESERVED") return wrong_state(change.run, "released");
  close(change, "release", "RELEASED", 0, now, "");
  return change;
}

Result<Change> taken_over(Balance account, RunRecord run, const Owner& owner, const Witness& witness,
                          std::int64_t now) {
  if (!run.open()) return wrong_state(run, "taken over");
  if (life_of(run.owner(), witness) != Life::dead) {
    return fail(Code::denied, fmt::format("run {} may still be run by pid {} on {}", run.run_id, run.pid, run.host),
                "it can be taken over once that process has ended");
  }
  own(run, owner);
  run.epoch += 1;
  run.lease_until = now + kLeaseSeconds;
  Change change{std::move(account), std::move(run), {}};
  change.postings.push_back({"takeover", "held", "held", 0, fmt::format("epoch {}", change.run.epoch)});
  return change;
}

Result<Change> refunded(Balance account, RunRecord run, std::int64_t gpu_seconds, const std::string& reason) {
  if (run.state != "SETTLED" && run.state != "SETTLED_ESTIMATED") return wrong_state(run, "refunded");
  if (gpu_seconds <= 0 || gpu_seconds > run.charged - run.refunded) {
    return fail(Code::denied, fmt::format("run {} was charged {} GPU-seconds, {} are refunded already; {} is too much",
                                          run.run_id, run.charged, run.refunded, gpu_seconds));
  }
  Change change{std::move(account), std::move(run), {}};
  change.run.refunded += gpu_seconds;
  change.account.refunded += gpu_seconds;
  change.postings.push_back({"refund", "spent", "free", gpu_seconds, reason});
  return change;
}

std::optional<Change> reaped(Balance account, RunRecord run, const Witness& witness, std::int64_t now) {
  if (!run.open()) return {};
  const Life life = life_of(run.owner(), witness);
  if (life == Life::alive) return {};  // it will settle, or give back, by itself
  const bool dead = life == Life::dead;
  Change change{std::move(account), std::move(run), {}};
  RunRecord& r = change.run;
  if (r.state == "RESERVED") {
    if (!dead && r.lease_until > now) return {};
    close(change, "reap", "RELEASED", 0, now, dead ? "its launcher is gone" : "never started");
    return change;
  }
  if (dead) {  // it can't have renewed since, so what it last said is what is known
    r.exit_class = "launcher_gone";
    close(change, "reap", "SETTLED_ESTIMATED", r.used, now, "its launcher is gone; charged to its last renewal");
    return change;
  }
  if (r.lease_until > now) return {};
  if (r.hold_until <= now) {  // nobody can say when it ended: the whole hold, never more
    r.exit_class = "lost";
    close(change, "reap", "SETTLED_ESTIMATED", std::max(r.used, r.held), now, "lost; charged its whole hold");
    return change;
  }
  if (r.state == "LOST") return {};
  r.state = "LOST";
  change.postings.push_back({"lost", "held", "held", 0, "no renewal within its lease"});
  return change;
}

}  // namespace topolaunch::quota
