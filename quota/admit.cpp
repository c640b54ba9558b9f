// SPDX-License-Identifier: Apache-2.0
#include "quota/admit.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/counted.h"
#include "quota/digest.h"
#include "quota/guarded_file.h"
#include "quota/open_ledger.h"
#include "quota/policy.h"
#include "quota/printable.h"
#include "quota/revocation.h"
#include "quota/transition.h"

namespace topolaunch::quota {
namespace {

constexpr const char* kTokenFileVariable = "TOPOLAUNCH_QUOTA_TOKEN_FILE";
constexpr const char* kNone = "quota: none configured";

/// A token that passed every step, and the ledger that it is for.
struct Checked {
  Claims claims;
  std::string sha256;
  std::unique_ptr<LedgerStore> ledger;
  std::vector<std::string> warnings;
};

/// Lists go into a ledger that may be written; one that is only read is not the last word.
Status take_revocations(Checked& checked, const TrustStore& trust, const AdmitRequest& request, std::int64_t now,
                        LedgerUse use) {
  auto lists = load_revocation_lists(trust, ::geteuid());
  if (!lists) return fail(std::move(lists).error());
  const ListRule rule{request.revocation_max_age, request.stale_revocation_denies};
  if (auto fresh = check_fresh(*lists, rule, now, checked.warnings); !fresh) return fresh;
  if (use == LedgerUse::read) {
    const Grant& grant = checked.claims.grant;
    const std::string why = revoked_by(*lists, grant.issuer, grant.jti, checked.claims.kid);
    if (why.empty()) return {};
    return fail(Code::denied, fmt::format("grant '{}' (team {}) is revoked: {}", grant.jti, grant.team, why));
  }
  for (const RevocationList& list : *lists) {
    if (auto taken = checked.ledger->accept_revocations(list.issuer, list.sequence, list.jtis, list.kids); !taken) {
      return taken;
    }
  }
  return {};
}

Result<Checked> check(const std::string& path, const AdmitRequest& request, const Outside& outside, LedgerUse use) {
  const unsigned caller = ::geteuid();
  auto text = read_guarded(path, caller, kSecretFile);
  if (!text) return fail(std::move(text).error().within("quota token"));
  auto trust = TrustStore::load(
      request.trust_folders.empty() ? trust_folders(outside.environment) : request.trust_folders, caller);
  if (!trust) return fail(std::move(trust).error());
  const std::int64_t now = outside.clock.unix_seconds();
  Expectation expect;
  expect.now = now;
  expect.uid = static_cast<std::int64_t>(caller);
  expect.uid_required = request.uid_required;
  expect.longest_life = request.longest_life;
  // First without a ledger: a token that is bad by itself must not make one.
  auto claims = verify_token(*text, *trust, expect);
  if (!claims) return fail(std::move(claims.error().error).at(path));
  auto ledger = open_ledger(request.ledger_url, use, outside);
  if (!ledger) return fail(std::move(ledger).error());
  expect.audience = (*ledger)->urn();
  claims = verify_token(*text, *trust, expect);
  if (!claims) return fail(std::move(claims.error().error).at(path));
  Checked checked{std::move(*claims), sha256_hex(*text), std::move(*ledger), {}};
  if (!checked.claims.images.empty() &&
      std::ranges::find(checked.claims.images, request.demand.image) == checked.claims.images.end()) {
    return fail(Error{Code::denied, "quota token refused at grant: it allows certain container images only, and this job "
                      + (request.demand.image.empty() ? "names none" : "runs " + printable(request.demand.image)),
                      request.demand.image.empty() ? "the site names the image: image_digest or TOPOLAUNCH_IMAGE_DIGEST"
                                                   : "", path, 0});
  }
  if (auto clock = checked.ledger->check_clock(); !clock) return fail(clock.error());
  if (auto taken = take_revocations(checked, *trust, request, now, use); !taken) return fail(taken.error());
  return checked;
}

Result<Admission> reserve(const std::string& path, const AdmitRequest& request, const Outside& outside) {
  auto checked = check(path, request, outside, LedgerUse::write);
  if (!checked) return fail(std::move(checked).error());
  LedgerStore& ledger = *checked->ledger;
  const Grant& grant = checked->claims.grant;
  auto dead = ledger.reap(this_machine(outside));
  if (!dead) return fail(std::move(dead).error());
  Owner owner = this_process(outside);
  auto hold = ledger.reserve({request.run_id, grant, checked->claims.kid, request.demand, owner});
  if (!hold) return fail(std::move(hold).error().within("quota"));
  Admission out;
  for (const RunRecord& run : *dead) {
    out.warnings.push_back(fmt::format("quota: run {} ended without a word: {}, charged {} GPU-seconds", run.run_id,
                                       run.state, run.charged));
  }
  out.warnings.insert(out.warnings.end(), checked->warnings.begin(), checked->warnings.end());
  auto account = ledger.balance(grant.jti);
  // The run is admitted; only what is left can't be said where the ledger isn't read a second time.
  const std::string free = account && *account ? std::to_string((*account)->free()) : "an unknown number of";
  if (request.demand.count == 0) {
    out.text = fmt::format("quota: team {}, no {}s counted, {} GPU-seconds free", grant.team, request.demand.unit, free);
  } else {
    out.text = fmt::format("quota: team {} holds {} x {} s = {} GPU-seconds, {} stay free", grant.team,
                           counted(request.demand.count, request.demand.unit), hold->wall_seconds, hold->gpu_seconds, free);
  }
  out.jti = grant.jti;
  out.kid = checked->claims.kid;
  out.team = grant.team;
  out.project = grant.project;
  out.subject = grant.subject;
  out.token_sha256 = checked->sha256;
  out.ledger = ledger.urn();
  out.hold.emplace(std::move(checked->ledger), std::move(*hold), request.demand.count, std::move(owner), outside.clock);
  return out;
}

Result<Quote> quote_of(const std::string& path, const AdmitRequest& request, const Outside& outside) {
  Quote out;
  auto checked = check(path, request, outside, LedgerUse::read);
  if (!checked) return fail(std::move(checked).error());
  const Grant& grant = checked->claims.grant;
  auto account = checked->ledger->balance(grant.jti);
  if (!account) return fail(std::move(account).error());
  auto why = checked->ledger->revoked(grant.jti, checked->claims.kid, grant.issuer);
  if (!why) return fail(std::move(why).error());
  if (*why) return fail(Code::denied, fmt::format("grant '{}' (team {}) is revoked: {}", grant.jti, grant.team, printable(**why)));
  Balance balance = account->value_or(Balance{grant, 0, 0, 0, 0, {}});
  if (auto same = same_grant(balance.grant, grant); !same) return fail(same.error());
  auto allowed = allow(balance, request.demand, outside.clock.unix_seconds());
  if (!allowed) return fail(std::move(allowed).error().within("quota"));
  if (allowed->wall_seconds > 0) out.wall_limit = Seconds(static_cast<double>(allowed->wall_seconds));
  out.wall_why = allowed->wall_why;
  out.gpu_seconds = allowed->gpu_seconds;
  out.text = fmt::format("quota: team {} would hold {} x {} s = {} GPU-seconds of {} free", grant.team,
                         counted(request.demand.count, request.demand.unit), allowed->wall_seconds,
                         allowed->gpu_seconds, balance.free());
  out.account = std::move(balance);
  return out;
}

/// The token that is named, under the site's rule; empty = none, and none needed.
Result<std::string> named_token(const AdmitRequest& request, const Outside& outside) {
  auto path = token_path(request.token_path, outside.environment);
  if (!path || !path->empty() || request.rule == Rule::unset) return path;
  return fail(Code::denied, "quota: this site requires a quota token, and none is named",
              fmt::format("--quota-token FILE or {}", kTokenFileVariable));
}

/// A name that means no ledger is wrong, whether a token will need the ledger or not.
Status check_ledger_name(const AdmitRequest& request) {
  if (request.ledger_url.empty()) return {};
  if (auto path = named_ledger(request.ledger_url); !path) return fail(std::move(path).error());
  return {};
}

constexpr const char* kNotEnforced = "quota: not enforced (the site only warns)";

/// Whether the site's rule lets a run go on that `error` would refuse. A token that was given in the
/// open is refused all the same.
bool only_warned(const AdmitRequest& request, const Error& error) {
  return request.rule == Rule::warn && error.code != Code::wrong_usage;
}

std::string would_be_refused(const Error& error) {
  return "quota: would be refused: " + error.text();
}

}  // namespace

Result<Rule> parse_rule(const std::string& text) {
  if (text == "require") return Rule::require;
  if (text == "warn") return Rule::warn;
  if (text == "off") return Rule::off;
  return fail(Code::wrong_usage, fmt::format("'{}' is not a quota rule", printable(text)), "require, warn or off");
}

Result<std::string> token_path(const std::string& option, const Environment& environment) {
  const auto is_token = [](const std::string& text) {  // base64url of "{"... and two dots
    return text.starts_with("eyJ") && std::ranges::count(text, '.') == 2;
  };
  const std::string variable = environment.get_or(kTokenFileVariable, "");
  if (is_token(option) || is_token(variable) || environment.has("TOPOLAUNCH_QUOTA_TOKEN")) {
    return fail(Code::wrong_usage, "a quota token itself was given where everybody on this machine can read it",
                fmt::format("write it to a file of mode 0600 and name that: --quota-token FILE or {}", kTokenFileVariable));
  }
  return option.empty() ? variable : option;
}

Result<Admission> admit(const AdmitRequest& request, const Outside& outside) {
  if (Status ok = check_ledger_name(request); !ok) return fail(std::move(ok).error());
  Admission none;
  if (request.rule == Rule::off) {
    none.text = "quota: off";
    return none;
  }
  auto path = named_token(request, outside);
  if (path && path->empty()) {
    none.text = kNone;
    return none;
  }
  auto result = path ? reserve(*path, request, outside) : Result<Admission>(fail(std::move(path).error()));
  if (result || !only_warned(request, result.error())) return result;
  none.text = kNotEnforced;
  none.warnings.push_back(would_be_refused(result.error()));
  return none;
}

Result<Quote> quote(const AdmitRequest& request, const Outside& outside) {
  if (Status ok = check_ledger_name(request); !ok) return fail(std::move(ok).error());
  Quote out;
  out.text = request.rule == Rule::off ? "quota: off" : kNone;
  if (request.rule == Rule::off) return out;
  auto path = named_token(request, outside);
  if (path && path->empty()) return out;
  auto result = path ? quote_of(*path, request, outside) : Result<Quote>(fail(std::move(path).error()));
  if (result || !only_warned(request, result.error())) return result;
  out.text = fmt::format("{}; {}", kNotEnforced, would_be_refused(result.error()));
  return out;
}

}  // namespace topolaunch::quota
