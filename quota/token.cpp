// SPDX-License-Identifier: Apache-2.0
#include "quota/token.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "quota/printable.h"

namespace topolaunch::quota {

Verified<Claims> verify_token(std::string_view text, const TrustStore& trust, const Expectation& expect) {
  auto opened = open_jws(text, kTokenType, trust);
  if (!opened) return tl::unexpected<Refusal>(opened.error());
  auto payload = parse_signed_json(opened->payload, Step::grant);
  if (!payload) return tl::unexpected<Refusal>(payload.error());
  auto claims = claims_from_json(*payload);
  if (!claims) return claims;
  claims->kid = opened->kid;
  const Grant& grant = claims->grant;

  if (grant.issuer != opened->issuer) {
    return refuse(Step::issuer, fmt::format("it says '{}', but its key belongs to '{}'",
                                            printable(grant.issuer), opened->issuer));
  }
  if (!expect.audience.empty() && claims->audience != expect.audience) {
    return refuse(Step::audience, fmt::format("it is for {}, this ledger is {}",
                                              printable(claims->audience), expect.audience),
                  "name its ledger with --ledger, or ask for a token for this one");
  }
  const std::int64_t now = expect.now;
  if (grant.expires <= now) {
    return refuse(Step::time, fmt::format("it expired at {}", iso8601(grant.expires)),
                  "ask its issuer for a new one");
  }
  if (claims->issued_at > now + kLeewaySeconds) {
    return refuse(Step::time, fmt::format("it was issued at {}, which is in the future", iso8601(claims->issued_at)),
                  "check this machine's clock");
  }
  if (grant.not_before > now + kLeewaySeconds) {
    return refuse(Step::time, fmt::format("it is not valid before {}", iso8601(grant.not_before)));
  }
  if (grant.expires <= claims->issued_at) return refuse(Step::time, "it expires before it was issued");
  if (grant.expires - claims->issued_at > expect.longest_life) {
    return refuse(Step::time, fmt::format("it is valid for {} days, the site allows {}",
                                          (grant.expires - claims->issued_at) / 86400, expect.longest_life / 86400));
  }
  if (expect.uid_required && !claims->uid) {
    return refuse(Step::user, "it names no uid, which this site requires");
  }
  if (expect.uid >= 0 && claims->uid && *claims->uid != expect.uid) {
    return refuse(Step::user, fmt::format("it is for uid {}, you are uid {}", *claims->uid, expect.uid));
  }
  return claims;
}

}  // namespace topolaunch::quota
