// SPDX-License-Identifier: Apache-2.0
#include "quota/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/clock.h"
#include "base/counted.h"
#include "quota/printable.h"

namespace topolaunch::quota {
namespace {

std::string named(const Grant& grant) { return fmt::format("grant '{}' (team {})", grant.jti, grant.team); }

Status check_dates(const Grant& grant, std::int64_t now) {
  if (grant.expires <= now) {
    return fail(Code::denied, fmt::format("{} expired at {}", named(grant), iso8601(grant.expires)),
                "ask its issuer for a new token");
  }
  if (grant.window_start > now) {
    return fail(Code::denied, fmt::format("the window of {} opens at {}", named(grant), iso8601(grant.window_start)));
  }
  if (grant.window_end > 0 && grant.window_end <= now) {
    return fail(Code::denied, fmt::format("the window of {} closed at {}", named(grant), iso8601(grant.window_end)));
  }
  return {};
}

Status check_types(const Grant& grant, const Demand& demand) {
  if (demand.count == 0) return {};
  const auto listed = [&](const std::string& name) { return std::ranges::find(grant.types, name) != grant.types.end(); };
  if (listed("*") || (!demand.instance_type.empty() && listed(demand.instance_type))) return {};
  std::string allowed;
  for (const std::string& type : grant.types) allowed += (allowed.empty() ? "'" : ", '") + printable(type) + "'";
  if (demand.gpu_models.empty()) {
    return fail(Code::denied, fmt::format("{} allows {} only, and the type of the {}s is not known", named(grant),
                                          allowed, demand.unit));
  }
  for (const std::string& model : demand.gpu_models) {
    if (!listed(model)) {
      return fail(Code::denied, fmt::format("asks for '{}', {} allows {}", printable(model), named(grant), allowed));
    }
  }
  return {};
}

Status check_count(const Balance& account, const Demand& demand) {
  const Grant& grant = account.grant;
  if (demand.count <= 0 || demand.count + account.gpus_in_use <= grant.gpus) return {};
  const bool never = demand.count > grant.gpus;
  return fail(never ? Code::denied : Code::try_again,
              fmt::format("asks for {}, {} allows {} at once, {} in use", counted(demand.count, demand.unit),
                          named(grant), grant.gpus, account.gpus_in_use),
              never ? fmt::format("use at most {}", grant.gpus)
                    : std::string("wait for a run to end (topolaunch quota usage --open)"));
}

}  // namespace

Result<Allowance> allow(const Balance& account, const Demand& demand, std::int64_t now) {
  const Grant& grant = account.grant;
  if (demand.count < 0 || demand.count > 1'000'000 || demand.wall_seconds < 0 ||
      demand.wall_seconds > kLongestWallSeconds) {
    return fail(Code::wrong_usage, fmt::format("asks for {} over {} s, which is out of range",
                                               counted(demand.count, demand.unit), demand.wall_seconds));
  }
  for (const Status& status : {check_dates(grant, now), check_types(grant, demand), check_count(account, demand)}) {
    if (!status) return fail(status.error());
  }
  if (grant.max_wall_seconds > 0 && demand.wall_seconds > grant.max_wall_seconds) {
    return fail(Code::denied, fmt::format("asks for {} s, {} allows {} s a run", demand.wall_seconds, named(grant),
                                          grant.max_wall_seconds),
                fmt::format("--time-limit {}s", grant.max_wall_seconds));
  }
  Allowance out;
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  std::int64_t wall = demand.wall_seconds > 0 ? demand.wall_seconds : kNone;
  const auto cut = [&](std::int64_t limit, std::string why) {
    if (limit >= wall) return;
    wall = limit;
    out.wall_why = std::move(why);
  };
  if (grant.max_wall_seconds > 0) cut(grant.max_wall_seconds, "the longest run that the grant allows");
  if (grant.window_end > 0) cut(grant.window_end - now, "the grant's window ends at " + iso8601(grant.window_end));
  if (demand.count == 0) {
    out.wall_seconds = wall == kNone ? 0 : wall;
    return out;
  }
  const std::string state = fmt::format("{} has {} of {} left, {} of them held by runs", named(grant), account.left(),
                                        grant.gpu_seconds, account.held);
  if (demand.wall_seconds == 0) {
    const std::int64_t share = std::min(account.left() / grant.gpus, account.free() / demand.count);
    cut(std::clamp<std::int64_t>(share, 1, kLongestWallSeconds),
        fmt::format("{} GPU-seconds left over the grant's {}", account.left(), counted(grant.gpus, demand.unit)));
  }
  const std::int64_t need = demand.count * wall;
  if (need > account.free()) {
    const bool never = need > account.left();
    const std::int64_t fits = (never ? account.left() : account.free()) / demand.count;
    return fail(never ? Code::denied : Code::try_again,
                fmt::format("needs {} x {} s = {} GPU-seconds, {}", counted(demand.count, demand.unit), wall, need, state),
                fits > 0 ? fmt::format("--time-limit {}s fits", fits)
                         : std::string(never ? "ask the issuer for more" : "wait for a run to end"));
  }
  out.wall_seconds = wall;
  out.gpu_seconds = need;
  return out;
}

}  // namespace topolaunch::quota
