// SPDX-License-Identifier: Apache-2.0
//
// Signed lists of what is revoked, for verifiers that can't ask the issuer: *.revoked.jws beside the
// issuer's keys in the trust folder, JWS with typ "topolaunch-revoked+jwt" and the payload
//   {"iss":"https://...", "iat":1798000000, "seq":7, "next":1798086400, "jtis":["..."], "kids":["..."]}
// `seq` only ever grows; the ledger remembers the highest one and refuses an older list.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "quota/jws.h"

namespace topolaunch::quota {

struct RevocationList {
  std::string issuer;
  std::int64_t issued_at = 0;
  std::int64_t sequence = 0;
  std::int64_t next = 0;  ///< when a newer one is promised; 0 = not said
  std::vector<std::string> jtis, kids;
};

inline constexpr std::size_t kMaxRevocationBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxRevocationEntries = 20'000;

Verified<RevocationList> open_revocation_list(std::string_view text, const TrustStore& trust);
Json to_json(const RevocationList& list);

/// All lists of the trust folders. denied for one that doesn't verify: a list that can't be read may
/// be the one that matters.
Result<std::vector<RevocationList>> load_revocation_lists(const TrustStore& trust, unsigned caller);

/// Empty if the list is fresh, else in words why it is not: older than `max_age` seconds (0 = no
/// limit), or past its own `next`.
std::string staleness(const RevocationList& list, std::int64_t now, std::int64_t max_age);

/// How old lists may be, and what is done about older ones.
struct ListRule {
  std::int64_t max_age = 0;    ///< seconds; 0 = no limit
  bool stale_denies = false;   ///< else a warning
};

/// denied for a list that is too old where that denies; else warnings.
Status check_fresh(const std::vector<RevocationList>& lists, const ListRule& rule, std::int64_t now,
                   std::vector<std::string>& warnings);

/// In words, which list revokes a grant or its key; empty = none.
std::string revoked_by(const std::vector<RevocationList>& lists, const std::string& issuer,
                       const std::string& jti, const std::string& kid);

}  // namespace topolaunch::quota
