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
#include "quota/uuid.h"
#include "quota/verbs/issuer_key.h"
#include "quota/verbs/verbs.h"

namespace topolaunch::quota {
namespace {

/// The list in `path` with one entry more, signed anew; a new list if there is no file.
Result<RevocationList> extended(const RevokeOptions& options, const IssuerKey& key, std::int64_t now) {
  RevocationList list;
  list.issuer = key.issuer;
  auto text = read_guarded(options.list_file, ::geteuid(), kTrustFile);
  if (text) {
    TrustStore trust;
    if (auto own = trust.add(Json{{"issuer", key.issuer}, {"keys", Json::array({key.key.public_jwk()})}}, options.key_file);
        !own) {
      return fail(own.error());
    }
    auto old = open_revocation_list(*text, trust);
    if (!old) return fail(std::move(old.error().error).at(options.list_file));
    list = std::move(*old);
  } else if (::access(options.list_file.c_str(), F_OK) == 0) {
    return fail(std::move(text).error());
  }
  const auto add = [](std::vector<std::string>& ids, const std::string& id) {
    if (!id.empty() && std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
  };
  add(list.jtis, options.jti);
  add(list.kids, options.kid);
  list.sequence += 1;
  list.issued_at = now;
  list.next = options.days > 0 ? now + static_cast<std::int64_t>(std::min(options.days, 3660.0) * 86400) : 0;
  return list;
}

}  // namespace

Result<std::string> revoke(const RevokeOptions& options, const Outside& outside) {
  if (options.jti.empty() == options.kid.empty()) {
    return fail(Code::wrong_usage, "name the grant or the key to revoke, one of them", "--jti UUID or --kid ID");
  }
  if (!options.jti.empty() && !is_uuid(options.jti)) {
    return fail(Code::wrong_usage, fmt::format("'{}' is not a grant's id", printable(options.jti)), "quota balance shows them");
  }
  const bool ledger_too = options.in_ledger && !options.jti.empty();
  if (!ledger_too && options.list_file.empty()) {
    return fail(Code::wrong_usage, "a key is revoked by a signed list only", "--list NAME.revoked.jws --key issuer.key.jwk");
  }
  const std::string what = options.jti.empty() ? options.kid : options.jti;
  Json json{{"schema", "topolaunch.quota-revoke/1"}, {"revoked", what}};
  std::string out;
  if (!options.list_file.empty()) {
    if (!options.list_file.ends_with(".revoked.jws")) {
      return fail(Code::wrong_usage, "a revocation list's name ends in .revoked.jws", "--list NAME.revoked.jws");
    }
    auto key = read_issuer_key(options.key_file);
    if (!key) return fail(std::move(key).error());
    auto list = extended(options, *key, outside.clock.unix_seconds());
    if (!list) return fail(std::move(list).error());
    if (auto written = write_file(options.list_file, make_jws(kRevokedType, to_json(*list), key->key) + "\n", 0644); !written) {
      return fail(written.error());
    }
    out += fmt::format("revoked {} in list {} ({}); put it beside the issuer's keys in the trust folders\n",
                       printable(what), list->sequence, options.list_file);
    json["list"] = options.list_file;
    json["sequence"] = list->sequence;
  }
  if (ledger_too) {
    auto ledger = open_ledger(options.ledger_url, LedgerUse::write, outside);
    if (!ledger) return fail(std::move(ledger).error());
    if (auto done = (*ledger)->revoke(options.jti, options.reason.empty() ? "by hand" : options.reason); !done) {
      return fail(done.error());
    }
    out += fmt::format("revoked {} in {}; running jobs go on, nothing new starts\n", options.jti, (*ledger)->urn());
    json["ledger"] = (*ledger)->urn();
  }
  return options.json ? to_pretty(json) : out;
}

}  // namespace topolaunch::quota
