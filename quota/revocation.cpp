// SPDX-License-Identifier: Apache-2.0
#include "quota/revocation.h"

#include <fmt/format.h>

#include <algorithm>

#include <nlohmann/json.hpp>
#include <optional>

#include "base/clock.h"
#include "quota/guarded_file.h"
#include "quota/trust.h"

namespace topolaunch::quota {
namespace {

std::optional<std::int64_t> integer(const Json& object, const char* name) {
  const auto it = object.find(name);
  if (it == object.end() || !it->is_number_unsigned()) return {};
  if (it->get<std::uint64_t>() >= (std::uint64_t{1} << 53)) return {};
  return it->get<std::int64_t>();
}

bool strings(const Json& object, const char* name, std::vector<std::string>& out) {
  const auto it = object.find(name);
  if (it == object.end() || !it->is_array()) return false;
  for (const Json& item : *it) {
    if (!item.is_string()) return false;
    out.push_back(item.get<std::string>());
  }
  return true;
}

}  // namespace

Verified<RevocationList> open_revocation_list(std::string_view text, const TrustStore& trust) {
  auto opened = open_jws(text, kRevokedType, trust, kMaxRevocationBytes);
  if (!opened) return tl::unexpected<Refusal>(opened.error());
  auto payload = parse_signed_json(opened->payload, Step::revocation, kMaxRevocationEntries);
  if (!payload) return tl::unexpected<Refusal>(payload.error());
  RevocationList list;
  const auto issued_at = integer(*payload, "iat");
  const auto sequence = integer(*payload, "seq");
  const auto issuer = payload->find("iss");
  if (issuer == payload->end() || !issuer->is_string() || issuer->get<std::string>() != opened->issuer) {
    return refuse(Step::revocation, "the list's issuer is not the one that its key belongs to");
  }
  if (!issued_at || !sequence || !strings(*payload, "jtis", list.jtis) || !strings(*payload, "kids", list.kids)) {
    return refuse(Step::revocation, "the list lacks integers iat and seq, or lists of strings jtis and kids");
  }
  if (payload->contains("next")) {
    const auto next = integer(*payload, "next");
    if (!next) return refuse(Step::revocation, "the list's next is not an integer");
    list.next = *next;
  }
  list.issuer = opened->issuer;
  list.issued_at = *issued_at;
  list.sequence = *sequence;
  return list;
}

Json to_json(const RevocationList& list) {
  Json json{{"iss", list.issuer}, {"iat", list.issued_at}, {"seq", list.sequence}};
  if (list.next > 0) json["next"] = list.next;
  json["jtis"] = list.jtis;
  json["kids"] = list.kids;
  return json;
}

Result<std::vector<RevocationList>> load_revocation_lists(const TrustStore& trust, unsigned caller) {
  std::vector<RevocationList> lists;
  for (const std::string& folder : trust.folders()) {
    for (const std::string& file : files_ending(folder, ".revoked.jws")) {
      auto text = read_guarded(file, caller, kTrustFile);
      if (!text) return fail(std::move(text).error().within("revocation list"));
      auto list = open_revocation_list(*text, trust);
      if (!list) {
        Error error = list.error().error;
        error.file = file;
        return fail(std::move(error));
      }
      lists.push_back(std::move(*list));
    }
  }
  return lists;
}

std::string staleness(const RevocationList& list, std::int64_t now, std::int64_t max_age) {
  if (list.next > 0 && now > list.next) {
    return fmt::format("the revocation list of {} was to be renewed by {}", list.issuer, iso8601(list.next));
  }
  if (max_age > 0 && now - list.issued_at > max_age) {
    return fmt::format("the revocation list of {} is of {}, older than the {} s that the site allows", list.issuer,
                       iso8601(list.issued_at), max_age);
  }
  return {};
}

Status check_fresh(const std::vector<RevocationList>& lists, const ListRule& rule, std::int64_t now,
                   std::vector<std::string>& warnings) {
  for (const RevocationList& list : lists) {
    std::string stale = staleness(list, now, rule.max_age);
    if (stale.empty()) continue;
    if (rule.stale_denies) return fail(Code::denied, stale, "fetch the issuer's latest list");
    warnings.push_back("quota: " + stale);
  }
  return {};
}

std::string revoked_by(const std::vector<RevocationList>& lists, const std::string& issuer,
                       const std::string& jti, const std::string& kid) {
  for (const RevocationList& list : lists) {
    if (list.issuer != issuer) continue;
    if (std::ranges::find(list.jtis, jti) != list.jtis.end() ||
        std::ranges::find(list.kids, kid) != list.kids.end()) {
      return fmt::format("list {} of {} revokes it", list.sequence, list.issuer);
    }
  }
  return {};
}

}  // namespace topolaunch::quota
