// SPDX-License-Identifier: Apache-2.0
//
// The admission of a run: token file and ledger in, a hold or a refusal out.
//
//   AdmitRequest request;            // from options and configuration
//   request.run_id = id;  request.demand = {...};
//   auto admission = admit(request, outside);
//   if (!admission) return fail(admission.error());           // 77 denied, 75 not now, 65, 69, 78
//   if (admission->hold) limit = admission->hold->wall_limit();
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/outside.h"
#include "quota/hold.h"
#include "quota/token.h"

namespace topolaunch::quota {

/// The site's rule: --quota, quota.rule in the configuration.
enum class Rule {
  unset,    ///< a token that is named is enforced; without one: "quota: none configured"
  require,  ///< without a token: denied
  warn,     ///< what would be refused is said, and the job runs
  off,      ///< a token is not even looked at
};
Result<Rule> parse_rule(const std::string& text);  ///< "require", "warn", "off"

struct AdmitRequest {
  std::string run_id;
  std::string token_path;   ///< --quota-token; empty = $TOPOLAUNCH_QUOTA_TOKEN_FILE
  std::string ledger_url;   ///< --ledger; empty = the default one (quota/open_ledger.h)
  Rule rule = Rule::unset;
  Demand demand;
  std::vector<std::string> trust_folders;  ///< empty = the default ones (quota/trust.h)
  bool uid_required = false;               ///< quota.require_uid
  std::int64_t longest_life = std::int64_t{35} * 86400;  ///< quota.max_token_days x 86400
  std::int64_t revocation_max_age = 0;     ///< quota.revocation_max_age, seconds; 0 = no limit
  bool stale_revocation_denies = false;    ///< quota.stale_revocation = "deny": else a warning
};

/// How far a quota is enforced; stands in every manifest.
inline constexpr const char* kEnforcement = "advisory";

struct Admission {
  std::optional<RunHold> hold;        ///< none: nothing is configured, or the rule let it pass
  std::string text;                   ///< "quota: none configured", "quota: vision holds 8 GPUs x 3600 s ..."
  std::vector<std::string> warnings;
  // For the manifest; empty without a hold. Never the token.
  std::string jti, kid, team, project, subject, token_sha256, ledger;
};

/// Verifies, reaps what is dead on this machine, reserves.
Result<Admission> admit(const AdmitRequest& request, const Outside& outside);

/// What admit would do, reserving nothing: for --dry-run and `quota quote`.
struct Quote {
  std::optional<Balance> account;  ///< none: no token
  std::optional<Seconds> wall_limit;
  std::string wall_why;
  std::int64_t gpu_seconds = 0;    ///< that would be held
  std::string text;
};
Result<Quote> quote(const AdmitRequest& request, const Outside& outside);

/// The path of the token that counts; empty if none is named. wrong_usage for a token given as text,
/// where everybody on the machine could read it.
Result<std::string> token_path(const std::string& option, const Environment& environment);

}  // namespace topolaunch::quota
