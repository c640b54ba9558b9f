// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "quota/guarded_file.h"
#include "quota/open_ledger.h"
#include "quota/printable.h"
#include "quota/revocation.h"
#include "quota/verbs/verbs.h"

namespace topolaunch::quota {
namespace {

/// What ledger and lists say against a token that is good by itself; nothing if they say nothing.
std::optional<Refusal> by_ledger(LedgerStore& ledger, const Claims& claims, const TrustStore& trust,
                                 const AdmitRequest& request, std::int64_t now) {
  auto lists = load_revocation_lists(trust, ::geteuid());
  if (!lists) return Refusal{Step::revocation, lists.error()};
  std::vector<std::string> warnings;  // as such no refusal
  const ListRule rule{request.revocation_max_age, request.stale_revocation_denies};
  if (auto fresh = check_fresh(*lists, rule, now, warnings); !fresh) return Refusal{Step::revocation, fresh.error()};
  if (const auto why = revoked_by(*lists, claims.grant.issuer, claims.grant.jti, claims.kid); !why.empty()) {
    return refuse(Step::revocation, why).value();
  }
  auto why = ledger.revoked(claims.grant.jti, claims.kid, claims.grant.issuer);
  if (!why) return Refusal{Step::revocation, why.error()};
  if (*why) return refuse(Step::revocation, "it is revoked: " + printable(**why)).value();
  if (auto clock = ledger.check_clock(); !clock) return Refusal{Step::clock, clock.error()};
  return {};
}

std::string shown(const std::string& bytes) {
  auto json = parse_signed_json(bytes, Step::grant);
  return json ? to_pretty(*json) : printable(bytes, 400) + "\n";
}

}  // namespace

Result<Inspection> inspect(const InspectOptions& options, const Outside& outside) {
  const AdmitRequest& request = options.request;
  const unsigned caller = ::geteuid();
  auto path = token_path(request.token_path, outside.environment);
  if (!path) return fail(std::move(path).error());
  if (path->empty()) return fail(Code::wrong_usage, "no token is named", "quota inspect FILE");
  auto text = read_guarded(*path, caller, kSecretFile);
  if (!text) return fail(std::move(text).error().within("quota token"));
  auto trust = TrustStore::load(
      request.trust_folders.empty() ? trust_folders(outside.environment) : request.trust_folders, caller);
  if (!trust) return fail(std::move(trust).error());

  std::string ledger_text;
  auto ledger = open_ledger(request.ledger_url, LedgerUse::read, outside);
  if (!ledger) {
    if (!request.ledger_url.empty()) return fail(std::move(ledger).error());
    ledger_text = "not looked at: " + ledger.error().text();
  } else {
    ledger_text = (*ledger)->urn();
  }
  Expectation expect;
  expect.now = outside.clock.unix_seconds();
  expect.audience = ledger ? (*ledger)->urn() : "";
  expect.uid = static_cast<std::int64_t>(caller);
  expect.uid_required = request.uid_required;
  expect.longest_life = request.longest_life;
  auto claims = verify_token(*text, *trust, expect);
  std::optional<Refusal> refusal;
  if (!claims) {
    refusal = claims.error();
  } else if (ledger) {
    refusal = by_ledger(**ledger, *claims, *trust, request, expect.now);
  }
  Inspection out;
  out.accepted = !refusal;
  const std::string header = unverified_header(*text).value_or("");
  const std::string payload = unverified_payload(*text).value_or("");
  if (options.json) {
    Json json{{"schema", "topolaunch.quota-inspect/1"}, {"accepted", out.accepted}};
    json["step"] = refusal ? Json(name_of(refusal->step)) : Json(nullptr);
    json["why"] = refusal ? Json(refusal->error.message) : Json(nullptr);
    json["ledger"] = ledger_text;
    json["header"] = parse_signed_json(header, Step::header).value_or(Json(nullptr));
    json["claims"] = parse_signed_json(payload, Step::grant).value_or(Json(nullptr));
    out.text = to_pretty(json);
    return out;
  }
  out.text = fmt::format("header   {}", header.empty() ? "can't be read\n" : shown(header)) +
             fmt::format("claims   {}", payload.empty() ? "can't be read\n" : shown(payload)) +
             fmt::format("ledger   {}\n", ledger_text);
  out.text += refusal ? fmt::format("verdict  refused at {}: {}\n", name_of(refusal->step), refusal->error.text())
                      : "verdict  accepted\n";
  return out;
}

}  // namespace topolaunch::quota
