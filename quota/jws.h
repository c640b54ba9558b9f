// SPDX-License-Identifier: Apache-2.0
//
// JWS in compact form (RFC 7515), the two kinds that topolaunch knows: quota tokens and revocation
// lists. Reading it does not verify it: `open_jws` does both, in an order in which nothing of the
// payload is looked at before the signature over the received bytes is good.
//
//   auto opened = open_jws(text, kTokenType, trust);   // header, key, signature; then ->payload
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "quota/key.h"

namespace topolaunch::quota {

class TrustStore;

inline constexpr std::string_view kTokenType = "topolaunch-quota+jwt";
inline constexpr std::string_view kRevokedType = "topolaunch-revoked+jwt";

/// The steps of verification, in order. Each refusal names its step.
enum class Step { file, form, header, key, signature, issuer, audience, time, grant, user, revocation, clock };
std::string_view name_of(Step step);

/// One refusal, Code::denied: "quota token refused at NAME: why".
struct Refusal {
  Step step = Step::file;
  Error error;
};
template <class T>
using Verified = tl::expected<T, Refusal>;
tl::unexpected<Refusal> refuse(Step step, std::string why, std::string next = {});

/// A JWS whose signature is good.
struct OpenedJws {
  std::string kid;
  std::string issuer;  ///< of the key: who signed, whatever the payload says
  std::string algorithm;
  std::string payload;  ///< bytes; parse with parse_signed_json
};

/// Steps form, header, key, signature. `text` is at most kMaxJws bytes.
inline constexpr std::size_t kMaxJws = 8192;
Verified<OpenedJws> open_jws(std::string_view text, std::string_view type, const TrustStore& trust,
                             std::size_t limit = kMaxJws);

/// JSON object of at most `members` values, 8 deep, no key twice. Refusals are of step `step`.
Verified<Json> parse_signed_json(std::string_view bytes, Step step, std::size_t members = 64);

/// Payload of a compact JWS without verifying anything; refused at form.
Verified<std::string> unverified_payload(std::string_view text, std::size_t limit = kMaxJws);
Verified<std::string> unverified_header(std::string_view text, std::size_t limit = kMaxJws);

std::string make_jws(std::string_view type, const Json& payload, const PrivateKey& key);

}  // namespace topolaunch::quota
