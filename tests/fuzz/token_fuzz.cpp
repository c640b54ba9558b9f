// SPDX-License-Identifier: Apache-2.0
//
// Token text from outside: whole tokens, and headers and payloads that are put into a well-signed
// token here, so that the fuzzer gets past the signature. Whatever is accepted must survive a round
// trip and stay within its limits.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "base/json.h"
#include "quota/base64url.h"
#include "quota/revocation.h"
#include "quota/token.h"

namespace {

using namespace topolaunch;
using namespace topolaunch::quota;

struct Issuer {
  PrivateKey key = PrivateKey::generate();
  TrustStore trust;
  Issuer() {
    if (!trust.add(Json{{"issuer", "https://q.example"}, {"keys", Json::array({key.public_jwk()})}}, "")) std::abort();
  }
};

void check(const Claims& claims) {
  if (claims.grant.gpus < 1 || claims.grant.gpu_seconds < 0 || !is_team_name(claims.grant.team)) std::abort();
  const auto again = claims_from_json(to_json(claims));
  if (!again || !(again->grant == claims.grant)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Issuer issuer;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Expectation expect{1'798'000'000, "", -1, false, std::int64_t{1} << 50};
  if (verify_token(text, issuer.trust, expect)) std::abort();  // nobody signed this
  const auto json = parse_json(text, "", JsonLimits{8, 64});
  if (json && json->is_object()) {
    if (const auto claims = claims_from_json(*json)) check(*claims);
    static_cast<void>(PublicKey::from_jwk(*json, ""));
    TrustStore other;
    static_cast<void>(other.add(*json, ""));
    // Signing is slow, so only what has a chance behind the signature is signed.
    const Json header{{"alg", "Ed25519"}, {"typ", kTokenType}, {"kid", issuer.key.kid()}};
    for (const auto& [head, body] : {std::pair(to_line(header), text), std::pair(text, std::string("{}"))}) {
      const std::string bytes = to_base64url(head) + "." + to_base64url(body);
      const std::string token = bytes + "." + to_base64url(issuer.key.sign(bytes));
      if (const auto claims = verify_token(token, issuer.trust, expect)) check(*claims);
      static_cast<void>(open_revocation_list(token, issuer.trust));
    }
  }
  if (const auto bytes = from_base64url(text); bytes && to_base64url(*bytes) != text) std::abort();
  return 0;
}
