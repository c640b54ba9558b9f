// SPDX-License-Identifier: Apache-2.0
#include "quota/jws.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "quota/base64url.h"
#include "quota/printable.h"
#include "quota/trust.h"

namespace topolaunch::quota {
namespace {

struct Parts {
  std::string_view signed_bytes;  ///< header.payload as received
  std::string header, payload, signature;
};

Verified<Parts> split(std::string_view text, std::size_t limit) {
  if (text.size() > limit) return refuse(Step::form, fmt::format("longer than {} bytes", limit));
  const auto first = text.find('.');
  const auto second = first == std::string_view::npos ? first : text.find('.', first + 1);
  if (second == std::string_view::npos || text.find('.', second + 1) != std::string_view::npos) {
    return refuse(Step::form, "not three parts with dots between (JWS compact form)");
  }
  Parts parts;
  parts.signed_bytes = text.substr(0, second);
  const std::array<std::pair<std::string_view, std::string*>, 3> fields{
      {{text.substr(0, first), &parts.header},
       {text.substr(first + 1, second - first - 1), &parts.payload},
       {text.substr(second + 1), &parts.signature}}};
  constexpr std::array<std::string_view, 3> names{"header", "payload", "signature"};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    auto bytes = from_base64url(fields[i].first);
    if (!bytes) return refuse(Step::form, fmt::format("the {} is not base64url without padding", names[i]));
    if (bytes->empty() && i < 2) return refuse(Step::form, fmt::format("the {} is empty", names[i]));
    *fields[i].second = std::move(*bytes);
  }
  return parts;
}

Verified<std::string> text_member(const Json& header, const char* name) {
  const auto it = header.find(name);
  if (it == header.end()) return refuse(Step::header, fmt::format("\"{}\" is missing", name));
  if (!it->is_string()) return refuse(Step::header, fmt::format("\"{}\" is not a string", name));
  return it->get<std::string>();
}

}  // namespace

std::string_view name_of(Step step) {
  switch (step) {
    case Step::file: return "file";
    case Step::form: return "form";
    case Step::header: return "header";
    case Step::key: return "key";
    case Step::signature: return "signature";
    case Step::issuer: return "issuer";
    case Step::audience: return "audience";
    case Step::time: return "time";
    case Step::grant: return "grant";
    case Step::user: return "user";
    case Step::revocation: return "revocation";
    case Step::clock: return "clock";
  }
  return "?";
}

tl::unexpected<Refusal> refuse(Step step, std::string why, std::string next) {
  return tl::unexpected<Refusal>(
      Refusal{step, Error{Code::denied, fmt::format("quota token refused at {}: {}", name_of(step), why),
                          std::move(next), {}, 0}});
}

Verified<Json> parse_signed_json(std::string_view bytes, Step step, std::size_t members) {
  // RFC 8259, 8.1: no byte order mark. A reader of files skips one; what is signed has none.
  if (bytes.starts_with("\xEF\xBB\xBF")) return refuse(step, "it begins with a byte order mark");
  auto json = parse_json(bytes, "", JsonLimits{8, members});
  if (!json) return refuse(step, printable(json.error().message, 200));
  if (!json->is_object()) return refuse(step, "not a JSON object");
  return std::move(*json);
}

Verified<OpenedJws> open_jws(std::string_view text, std::string_view type, const TrustStore& trust,
                             std::size_t limit) {
  auto parts = split(text, limit);
  if (!parts) return tl::unexpected<Refusal>(parts.error());
  auto header = parse_signed_json(parts->header, Step::header);
  if (!header) return tl::unexpected<Refusal>(header.error());
  // Extensions that change how the rest is read, and keys that the token brings along itself.
  for (const char* name : {"crit", "b64", "zip", "enc", "jku", "jwk", "x5u", "x5c"}) {
    if (header->contains(name)) return refuse(Step::header, fmt::format("\"{}\" is not accepted", name));
  }
  auto typ = text_member(*header, "typ");
  if (!typ) return tl::unexpected<Refusal>(typ.error());
  if (*typ != type) {
    return refuse(Step::header, fmt::format("typ is '{}', not '{}'", printable(*typ), type),
                  "this is another kind of token");
  }
  auto algorithm = text_member(*header, "alg");
  if (!algorithm) return tl::unexpected<Refusal>(algorithm.error());
  if (*algorithm != "Ed25519" && *algorithm != "EdDSA" && *algorithm != "ES256") {
    return refuse(Step::header, fmt::format("algorithm '{}' is not accepted", printable(*algorithm)),
                  "Ed25519 is what quota issue signs with");
  }
  auto kid = text_member(*header, "kid");
  if (!kid) return tl::unexpected<Refusal>(kid.error());
  const TrustStore::Entry* entry = trust.find(*kid);
  if (entry == nullptr) {
    return refuse(Step::key, fmt::format("no trusted key has the id '{}' ({})", printable(*kid), trust.text()),
                  "put the issuer's .jwks.json into the trust folder");
  }
  if (!entry->key.answers_to(*algorithm)) {
    return refuse(Step::key, fmt::format("the key '{}' is not one for algorithm '{}'", printable(*kid),
                                         printable(*algorithm)));
  }
  if (!entry->key.verify(parts->signed_bytes, parts->signature)) {
    return refuse(Step::signature, "the signature does not fit: changed, or signed by another key");
  }
  return OpenedJws{std::move(*kid), entry->issuer, std::move(*algorithm), std::move(parts->payload)};
}

Verified<std::string> unverified_payload(std::string_view text, std::size_t limit) {
  auto parts = split(text, limit);
  if (!parts) return tl::unexpected<Refusal>(parts.error());
  return std::move(parts->payload);
}

Verified<std::string> unverified_header(std::string_view text, std::size_t limit) {
  auto parts = split(text, limit);
  if (!parts) return tl::unexpected<Refusal>(parts.error());
  return std::move(parts->header);
}

std::string make_jws(std::string_view type, const Json& payload, const PrivateKey& key) {
  const Json header{{"alg", "Ed25519"}, {"typ", type}, {"kid", key.kid()}};
  const std::string bytes = to_base64url(to_line(header)) + "." + to_base64url(to_line(payload));
  return bytes + "." + to_base64url(key.sign(bytes));
}

}  // namespace topolaunch::quota
