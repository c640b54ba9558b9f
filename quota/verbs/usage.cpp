// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/units.h"
#include "quota/open_ledger.h"
#include "quota/printable.h"
#include "quota/verbs/verbs.h"

namespace topolaunch::quota {
namespace {

Result<std::int64_t> since_when(const std::string& text, std::int64_t now) {
  if (text.empty()) return 0;
  if (auto time = parse_time(text)) return time;
  auto back = parse_duration(text);
  if (!back) {
    return fail(Code::wrong_usage, fmt::format("'{}' is neither a time nor a duration", printable(text)),
                "--since 2026-12-01 or --since 7d");
  }
  return now - static_cast<std::int64_t>(back->count());
}

/// RFC 4180; a leading =, +, - or @ would be a formula to a spreadsheet.
std::string csv_field(const std::string& text) {
  std::string out = "\"";
  if (!text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos) out += '\'';
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

struct Sum {
  std::int64_t runs = 0, open = 0, spent = 0, held = 0, refunded = 0;
};

std::string by_run(const std::vector<RunRecord>& runs, UsageOptions::Format format) {
  if (format == UsageOptions::Format::json) {
    Json list = Json::array();
    for (const RunRecord& r : runs) {
      list.push_back({{"run_id", r.run_id}, {"state", r.state}, {"team", r.team}, {"project", r.project}, {"user", r.user},
                      {"subject", r.subject}, {"host", r.host}, {"command", r.command}, {"jti", r.jti}, {"gpus", r.gpus},
                      {"gpu_type", r.gpu_type}, {"spent", r.charged}, {"used", r.used}, {"held", r.held},
                      {"refunded", r.refunded}, {"reserved_at", r.reserved_at}, {"started_at", r.started_at},
                      {"ended_at", r.ended_at}, {"wall_seconds", r.wall_seconds}, {"exit_class", r.exit_class}});
    }
    return to_pretty(Json{{"schema", "topolaunch.quota-usage/1"}, {"by", "run"}, {"runs", list}});
  }
  std::string out;
  if (format == UsageOptions::Format::csv) {
    out = "run_id,state,team,user,host,gpus,gpu_seconds_spent,gpu_seconds_held,gpu_seconds_refunded,reserved_at,ended_at,exit_class,command\r\n";
    for (const RunRecord& r : runs) {
      out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\r\n", csv_field(r.run_id), r.state, csv_field(r.team),
                         csv_field(r.user), csv_field(r.host), r.gpus, r.charged, r.held, r.refunded,
                         iso8601(r.reserved_at), r.ended_at > 0 ? iso8601(r.ended_at) : "", csv_field(r.exit_class),
                         csv_field(r.command));
    }
    return out;
  }
  if (runs.empty()) return "no runs\n";
  out = fmt::format("{:<36} {:<17} {:<14} {:<10} {:>5} {:>10} {:>10}  {:<20}  {}\n", "run", "state", "team", "user", "GPUs",
                    "spent/s", "held/s", "since", "command");
  for (const RunRecord& r : runs) {
    out += fmt::format("{:<36} {:<17} {:<14} {:<10} {:>5} {:>10} {:>10}  {:<20}  {}\n", printable(r.run_id), r.state, r.team,
                       printable(r.user, 32), r.gpus, r.charged - r.refunded, r.held,
                       iso8601(r.started_at > 0 ? r.started_at : r.reserved_at), printable(r.command, 60));
  }
  return out;
}

}  // namespace

Result<std::string> usage(const UsageOptions& options, const Outside& outside) {
  auto since = since_when(options.since, outside.clock.unix_seconds());
  if (!since) return fail(std::move(since).error());
  auto ledger = open_ledger(options.ledger_url, LedgerUse::read, outside);
  if (!ledger) return fail(std::move(ledger).error());
  auto runs = (*ledger)->runs();
  if (!runs) return fail(std::move(runs).error());
  std::erase_if(*runs, [&](const RunRecord& r) {
    // A run belongs to the time in which it was still going on.
    return (!r.open() && r.ended_at < *since) || (options.open_only && !r.open()) ||
           (!options.team.empty() && r.team != options.team) || (!options.user.empty() && r.user != options.user);
  });
  if (options.by == UsageOptions::By::run) return by_run(*runs, options.format);
  const bool by_team = options.by == UsageOptions::By::team;
  const std::string what = by_team ? "team" : "user";
  std::map<std::string, Sum> sums;
  for (const RunRecord& r : *runs) {
    Sum& sum = sums[by_team ? r.team : r.user];
    sum.runs += 1;
    sum.open += r.open() ? 1 : 0;
    sum.spent += r.charged - r.refunded;
    sum.held += r.held;
    sum.refunded += r.refunded;
  }
  if (options.format == UsageOptions::Format::json) {
    Json list = Json::array();
    for (const auto& [name, s] : sums) {
      list.push_back({{what, name}, {"runs", s.runs}, {"open", s.open}, {"spent", s.spent}, {"held", s.held}, {"refunded", s.refunded}});
    }
    return to_pretty(Json{{"schema", "topolaunch.quota-usage/1"}, {"by", what}, {what + "s", list}});
  }
  if (options.format == UsageOptions::Format::csv) {
    std::string out = what + ",runs,open,gpu_seconds_spent,gpu_seconds_held,gpu_seconds_refunded\r\n";
    for (const auto& [name, s] : sums) {
      out += fmt::format("{},{},{},{},{},{}\r\n", csv_field(name), s.runs, s.open, s.spent, s.held, s.refunded);
    }
    return out;
  }
  if (sums.empty()) return "no runs\n";
  std::string out = fmt::format("{:<24} {:>8} {:>8} {:>14} {:>14}\n", what, "runs", "open", "spent/s", "held/s");
  for (const auto& [name, s] : sums) {
    out += fmt::format("{:<24} {:>8} {:>8} {:>14} {:>14}\n", printable(name), s.runs, s.open, s.spent, s.held);
  }
  return out;
}

}  // namespace topolaunch::quota
