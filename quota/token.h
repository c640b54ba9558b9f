// SPDX-License-Identifier: Apache-2.0
//
// The quota token: a grant of GPU time that its issuer has signed, kept as a file and verified
// without asking anybody. docs/schema/quota-token.schema.json is its payload.
//
//   auto text  = read_guarded(path, caller, kSecretFile);
//   auto token = verify_token(*text, trust, Expectation{now, ledger->urn(), caller});
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "quota/jws.h"
#include "quota/ledger_store.h"
#include "quota/trust.h"

namespace topolaunch::quota {

/// What a token says. Times are unix seconds.
struct Claims {
  Grant grant;            ///< jti, subject, team, project, issuer, limits
  std::string audience;   ///< the one ledger that this grant may be spent at
  std::int64_t issued_at = 0;
  std::string version;    ///< "1.0"
  std::optional<std::int64_t> uid;
  bool preemptible = false;
  bool may_borrow = false;  ///< kept and shown; nothing borrows yet, so a grant is a hard limit
  std::int64_t borrow_percent = 0, borrow_gpus = 0;
  std::vector<std::string> images;  ///< "sha256:..." of container images; empty = any
  std::string parent;               ///< jti of the grant this one was carved from; empty = none
  std::string kid;                  ///< key that signed it; not a claim
};

/// What a verifier holds a token against.
struct Expectation {
  std::int64_t now = 0;
  std::string audience;  ///< urn of the ledger; empty = not checked (inspect without a ledger)
  std::int64_t uid = -1;  ///< of the caller; -1 = not checked
  bool uid_required = false;
  std::int64_t longest_life = std::int64_t{35} * 86400;  ///< exp - iat at most
};

/// nbf may lie this far ahead of our clock; exp has no such grace (governance practice of WLCG).
inline constexpr std::int64_t kLeewaySeconds = 60;

/// The claims of a payload, strictly: integers only, nothing unknown inside "tlq".
Verified<Claims> claims_from_json(const Json& payload);
Json to_json(const Claims& claims);

/// Form, header, key, signature, then issuer, audience, time, grant and user: everything but
/// revocation and the ledger's clock, which the ledger checks.
Verified<Claims> verify_token(std::string_view text, const TrustStore& trust, const Expectation& expect);

/// A name that may become a label or a path component: a-z, 0-9 and inner '-', at most 40.
bool is_team_name(std::string_view text);

}  // namespace topolaunch::quota
