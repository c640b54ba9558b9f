// SPDX-License-Identifier: Apache-2.0
//
// `topolaunch quota VERB` as functions: options in, what stdout gets out. Nothing prints. `json`
// gives one object with "schema": "topolaunch.quota-VERB/1" (docs/schema/quota.schema.json).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/outside.h"
#include "quota/admit.h"

namespace topolaunch::quota {

/// A pair of keys for an issuer: DIR/issuer.key.jwk (0600, the secret) and DIR/HOST.jwks.json (to be
/// put into trust folders).
struct KeygenOptions {
  std::string folder = ".";
  std::string issuer;  ///< https URL; empty = https://HOSTNAME/topolaunch
  bool trust = false;  ///< also puts the public part into the user's own trust folder
  bool json = false;
};
Result<std::string> keygen(const KeygenOptions& options, const Outside& outside);

/// Writes a signed token to a new file of mode 0600.
struct IssueOptions {
  std::string key_file;     ///< issuer.key.jwk
  std::string out;          ///< empty = TEAM-SUBJECT.token in the current folder
  std::string subject, team, project;
  std::int64_t gpus = 0;    ///< at once
  std::optional<std::int64_t> gpu_seconds;
  std::optional<double> gpu_hours;  ///< one of the two
  std::vector<std::string> types;   ///< empty = any
  std::string window;       ///< "START..END", each 2026-12-01 or 2026-12-01T08:00:00Z; empty = none
  double days = 30;         ///< until it expires
  std::string audience;     ///< urn of a ledger; empty = that of `ledger_url`, made if there is none
  std::string ledger_url;
  std::optional<std::int64_t> uid;
  std::int64_t max_wall_seconds = 0;
  int priority = 0;
  bool preemptible = false;
  bool json = false;
};
Result<std::string> issue(const IssueOptions& options, const Outside& outside);

/// What a token says and whether it would be accepted, step by step. Never shows its signature. A
/// refused token is no error of this verb: `accepted` says it (exit status 77 then).
struct InspectOptions {
  AdmitRequest request;  ///< token_path, ledger_url and the site's settings; the rest is not used
  bool json = false;
};
struct Inspection {
  bool accepted = false;
  std::string text;
};
Result<Inspection> inspect(const InspectOptions& options, const Outside& outside);

struct BalanceOptions {
  std::string ledger_url;
  std::string team;  ///< empty = all
  bool json = false;
};
Result<std::string> balance(const BalanceOptions& options, const Outside& outside);

struct UsageOptions {
  std::string ledger_url;
  enum class By { run, team, user } by = By::team;
  std::string since;       ///< "2026-12-01", "2026-12-01T08:00:00Z" or "7d" back; empty = all
  std::string team, user;  ///< only these; empty = all
  bool open_only = false;
  enum class Format { text, json, csv } format = Format::text;
};
Result<std::string> usage(const UsageOptions& options, const Outside& outside);

/// The journal, and whether its chain and sums hold.
struct HistoryOptions {
  std::string ledger_url;
  std::string jti, run_id;  ///< only these; empty = all
  bool json = false;
};
Result<std::string> history(const HistoryOptions& options, const Outside& outside);

/// What a run would cost and whether it would be admitted; an Error is the refusal.
struct QuoteOptions {
  AdmitRequest request;
  bool json = false;
};
Result<std::string> quote_text(const QuoteOptions& options, const Outside& outside);

/// Withdraws a grant: in a ledger, in a signed list for ledgers that can't be reached, or in both.
struct RevokeOptions {
  std::string jti;          ///< or `kid`
  std::string kid;          ///< a key: by list only
  std::string reason;
  bool in_ledger = true;
  std::string ledger_url;
  std::string list_file;    ///< NAME.revoked.jws, made or extended; needs key_file
  std::string key_file;
  double days = 0;          ///< until the list is to be renewed; 0 = not said
  bool json = false;
};
Result<std::string> revoke(const RevokeOptions& options, const Outside& outside);

/// Unix seconds of "2026-12-01" or "2026-12-01T08:00:00Z" (UTC); wrong_usage otherwise.
Result<std::int64_t> parse_time(const std::string& text);

}  // namespace topolaunch::quota
