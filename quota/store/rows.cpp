// SPDX-License-Identifier: Apache-2.0
#include "quota/store/rows.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "quota/printable.h"

#define RUN_COLUMNS                                                                                          \
  "run_id, jti, state, epoch, gpus, held, used, charged, refunded, wall_seconds, reserved_at, started_at, "  \
  "renewed_at, ended_at, lease_until, hold_until, pid, pid_start, team, project, subject, user, host, "      \
  "boot_id, pid_namespace, gpu_type, unit, command, exit_class, wall_why"
#define ACCOUNT_COLUMNS                                                                       \
  "jti, claims, settled, held, refunded, (SELECT coalesce(sum(run.gpus), 0) FROM run WHERE "  \
  "run.jti = account.jti AND run.state IN ('RESERVED', 'RUNNING', 'LOST'))"
#define RUN_MARKS "?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?"

namespace topolaunch::quota {

const char* const kSelectAccounts = "SELECT " ACCOUNT_COLUMNS " FROM account ORDER BY jti";
const char* const kSelectAccountByJti = "SELECT " ACCOUNT_COLUMNS " FROM account WHERE jti = ?";
const char* const kSelectRunById = "SELECT " RUN_COLUMNS " FROM run WHERE run_id = ?";
const char* const kSelectRuns = "SELECT " RUN_COLUMNS " FROM run ORDER BY reserved_at, run_id";
const char* const kSelectOpenRuns =
    "SELECT " RUN_COLUMNS " FROM run WHERE state IN ('RESERVED', 'RUNNING', 'LOST') ORDER BY reserved_at, run_id";
const char* const kInsertRun = "INSERT INTO run (" RUN_COLUMNS ") VALUES (" RUN_MARKS ")";
// An UPDATE of all columns, so that a row which refunds refer to is never deleted for a moment.
const char* const kReplaceRun = "UPDATE run SET (" RUN_COLUMNS ") = (" RUN_MARKS ") WHERE run_id = ?1";

namespace {

/// Whoever owns the file can write anything into it: sums of a few of these must not overflow.
constexpr std::int64_t kLargest = std::int64_t{1} << 53;

std::int64_t number(const SqlRow& row, std::size_t i) {
  const auto* value = std::get_if<std::int64_t>(&row.at(i));
  return value != nullptr ? std::clamp(*value, -kLargest, kLargest) : 0;
}
std::string text(const SqlRow& row, std::size_t i) {
  const auto* value = std::get_if<std::string>(&row.at(i));
  return value != nullptr ? *value : std::string();
}

std::string claims_line(const Grant& g) {
  return to_line(Json{{"jti", g.jti}, {"subject", g.subject}, {"team", g.team}, {"project", g.project},
                      {"issuer", g.issuer}, {"gpus", g.gpus}, {"gpu_seconds", g.gpu_seconds},
                      {"priority", g.priority}, {"not_before", g.not_before}, {"expires", g.expires},
                      {"window_start", g.window_start}, {"window_end", g.window_end},
                      {"max_wall_seconds", g.max_wall_seconds}, {"types", g.types}});
}

}  // namespace

SqlRow row_of(const Balance& a) {
  return {a.grant.jti, claims_line(a.grant), a.grant.gpus, a.grant.gpu_seconds, a.settled, a.held, a.refunded};
}

Result<Balance> account_from_row(const SqlRow& row, const std::string& file) {
  auto json = parse_json(text(row, 1), file);
  if (!json) return fail(std::move(json).error().within("quota ledger"));
  const auto damaged = [&] {
    return fail(Error{Code::invalid_input, "quota ledger: the claims of grant '" + printable(text(row, 0)) + "' are damaged",
                      "restore it from a copy", file, 0});
  };
  Balance account;
  Grant& g = account.grant;
  try {  // nlohmann's at() and get() throw where a column was tampered with
    g.jti = json->at("jti").get<std::string>();
    g.subject = json->at("subject").get<std::string>();
    g.team = json->at("team").get<std::string>();
    g.project = json->at("project").get<std::string>();
    g.issuer = json->at("issuer").get<std::string>();
    g.gpus = json->at("gpus").get<std::int64_t>();
    g.gpu_seconds = json->at("gpu_seconds").get<std::int64_t>();
    g.priority = json->at("priority").get<int>();
    g.not_before = json->at("not_before").get<std::int64_t>();
    g.expires = json->at("expires").get<std::int64_t>();
    g.window_start = json->at("window_start").get<std::int64_t>();
    g.window_end = json->at("window_end").get<std::int64_t>();
    g.max_wall_seconds = json->at("max_wall_seconds").get<std::int64_t>();
    g.types = json->at("types").get<std::vector<std::string>>();
  } catch (const Json::exception&) {
    return damaged();
  }
  if (g.jti != text(row, 0) || g.gpus < 1 || g.gpus > kLargest || g.gpu_seconds < 0 || g.gpu_seconds > kLargest) {
    return damaged();
  }
  account.settled = number(row, 2);
  account.held = number(row, 3);
  account.refunded = number(row, 4);
  account.gpus_in_use = number(row, 5);
  return account;
}

SqlRow row_of(const RunRecord& r) {
  return {r.run_id,      r.jti,         r.state,      std::int64_t{r.epoch}, r.gpus,       r.held,       r.used,
          r.charged,     r.refunded,    r.wall_seconds, r.reserved_at,       r.started_at, r.renewed_at, r.ended_at,
          r.lease_until, r.hold_until,  r.pid,        r.pid_start,           r.team,       r.project,    r.subject,
          r.user,        r.host,        r.boot_id,    r.pid_namespace,       r.gpu_type,   r.unit,       r.command,
          r.exit_class,  r.wall_why};
}

RunRecord run_from_row(const SqlRow& row) {
  RunRecord r;
  r.run_id = text(row, 0);
  r.jti = text(row, 1);
  r.state = text(row, 2);
  r.epoch = static_cast<int>(number(row, 3));
  r.gpus = number(row, 4);
  r.held = number(row, 5);
  r.used = number(row, 6);
  r.charged = number(row, 7);
  r.refunded = number(row, 8);
  r.wall_seconds = number(row, 9);
  r.reserved_at = number(row, 10);
  r.started_at = number(row, 11);
  r.renewed_at = number(row, 12);
  r.ended_at = number(row, 13);
  r.lease_until = number(row, 14);
  r.hold_until = number(row, 15);
  r.pid = number(row, 16);
  r.pid_start = number(row, 17);
  r.team = text(row, 18);
  r.project = text(row, 19);
  r.subject = text(row, 20);
  r.user = text(row, 21);
  r.host = text(row, 22);
  r.boot_id = text(row, 23);
  r.pid_namespace = text(row, 24);
  r.gpu_type = text(row, 25);
  r.unit = text(row, 26);
  r.command = text(row, 27);
  r.exit_class = text(row, 28);
  r.wall_why = text(row, 29);
  return r;
}

JournalEntry entry_from_row(const SqlRow& row) {
  return {number(row, 0), number(row, 1), text(row, 2), text(row, 3), text(row, 4), text(row, 5),
          text(row, 6),   number(row, 7), text(row, 8), text(row, 9)};
}

}  // namespace topolaunch::quota
