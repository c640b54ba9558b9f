// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "quota/printable.h"
#include "quota/token.h"
#include "quota/uuid.h"

namespace topolaunch::quota {
namespace {

constexpr std::int64_t kLargest = (std::int64_t{1} << 53) - 1;  // the integers JSON readers agree on
constexpr std::int64_t kMostGpus = 1'000'000;

/// Reads members of one object; the first refusal stays and later reads give nothing.
class Members {
 public:
  Members(const Json& object, std::string prefix) : object_(object), prefix_(std::move(prefix)) {}

  bool has(const char* name) const { return object_.contains(name); }
  std::int64_t integer(const char* name, std::int64_t low, std::int64_t high) {
    const Json* value = find(name);
    if (value == nullptr) return low;
    // A float is refused even if it is whole: 1e300 and 1.5 must not become some integer.
    const bool fits = value->is_number_unsigned() ? value->get<std::uint64_t>() <= static_cast<std::uint64_t>(high)
                                                  : value->is_number_integer();
    if (!fits || value->get<std::int64_t>() < low || value->get<std::int64_t>() > high) {
      wrong(name, fmt::format("is not an integer from {} to {}", low, high));
      return low;
    }
    return value->get<std::int64_t>();
  }
  std::int64_t integer_or(const char* name, std::int64_t low, std::int64_t high, std::int64_t otherwise) {
    return has(name) ? integer(name, low, high) : otherwise;
  }
  std::string text(const char* name, std::size_t most = 255) {
    const Json* value = find(name);
    if (value == nullptr) return {};
    if (!value->is_string()) {
      wrong(name, value->is_array() ? "is a list, not one string" : "is not a string");
      return {};
    }
    auto out = value->get<std::string>();
    if (out.empty() || out.size() > most || std::ranges::any_of(out, [](char c) {
          return (c >= 0 && c < ' ') || c == 0x7f;
        })) {
      wrong(name, fmt::format("is empty, over {} bytes, or holds control characters", most));
    }
    return out;
  }
  bool boolean_or(const char* name, bool otherwise) {
    if (!has(name)) return otherwise;
    if (!object_.at(name).is_boolean()) wrong(name, "is not true or false");
    return object_.at(name).is_boolean() && object_.at(name).get<bool>();
  }
  std::vector<std::string> texts(const char* name) {
    std::vector<std::string> out;
    const Json* value = find(name);
    if (value == nullptr) return out;
    if (!value->is_array() || value->empty()) {
      wrong(name, "is not a list of strings");
      return out;
    }
    for (const Json& item : *value) {
      if (!item.is_string() || item.get_ref<const std::string&>().empty()) {
        wrong(name, "is not a list of strings");
        return out;
      }
      out.push_back(item.get<std::string>());
    }
    return out;
  }
  const Json* object(const char* name) {
    const Json* value = find(name);
    if (value != nullptr && !value->is_object()) {
      wrong(name, "is not an object");
      return nullptr;
    }
    return value;
  }
  void only(std::initializer_list<std::string_view> known) {
    for (const auto& [name, value] : object_.items()) {
      if (std::ranges::find(known, name) == known.end()) {
        // A restriction that we don't understand must not be skipped.
        wrong(printable(name).c_str(), "is not known to this version");
      }
    }
  }
  void wrong(const char* name, const std::string& why) {
    if (!refusal_) refusal_ = fmt::format("{}{} {}", prefix_, name, why);
  }
  const std::optional<std::string>& refusal() const { return refusal_; }

 private:
  const Json* find(const char* name) {
    const auto it = object_.find(name);
    if (it != object_.end()) return &*it;
    wrong(name, "is missing");
    return nullptr;
  }
  const Json& object_;
  std::string prefix_;
  std::optional<std::string> refusal_;
};

/// "1.x": another major version may mean other things by the same names.
bool is_version_one(const std::string& version) {
  return version.starts_with("1.") && version.size() > 2 && version.size() <= 8 &&
         std::all_of(version.begin() + 2, version.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<std::string> read_limits(const Json& tlq, Claims& claims) {
  Members m(tlq, "tlq.");
  m.only({"ver", "team", "project", "uid", "gpus", "gpu_seconds", "priority", "preemptible", "borrow", "types",
          "window", "max_wall_s", "images", "parent"});
  Grant& grant = claims.grant;
  claims.version = m.text("ver", 16);
  if (!m.refusal() && !is_version_one(claims.version)) {
    m.wrong("ver", fmt::format("is '{}'; this version understands 1.x", printable(claims.version)));
  }
  grant.team = m.text("team");
  if (!m.refusal() && !is_team_name(grant.team)) m.wrong("team", "is not lower-case letters, digits and inner '-', at most 40");
  if (m.has("project")) {
    grant.project = m.text("project");
    if (!m.refusal() && !is_team_name(grant.project)) {
      m.wrong("project", "is not lower-case letters, digits and inner '-', at most 40");
    }
  }
  if (m.has("uid")) claims.uid = m.integer("uid", 0, 0xfffffffeLL);
  grant.gpus = m.integer("gpus", 1, kMostGpus);
  grant.gpu_seconds = m.integer("gpu_seconds", 0, kLargest);
  grant.priority = static_cast<int>(m.integer_or("priority", 0, 100, 0));
  claims.preemptible = m.boolean_or("preemptible", false);
  grant.types = m.texts("types");
  grant.max_wall_seconds = m.integer_or("max_wall_s", 1, kLargest, 0);
  if (m.has("images")) claims.images = m.texts("images");
  if (m.has("parent") && !tlq.at("parent").is_null()) {
    claims.parent = m.text("parent");
    if (!m.refusal() && !is_uuid(claims.parent)) m.wrong("parent", "is not a UUID");
  }
  if (m.has("window")) {
    if (const Json* window = m.object("window")) {
      Members w(*window, "tlq.window.");
      w.only({"start", "end"});
      grant.window_start = w.integer("start", 0, kLargest);
      grant.window_end = w.integer("end", 1, kLargest);
      if (w.refusal()) return w.refusal();
      if (grant.window_end <= grant.window_start) m.wrong("window", "ends before it starts");
    }
  }
  if (m.has("borrow")) {
    if (const Json* borrow = m.object("borrow")) {
      Members b(*borrow, "tlq.borrow.");
      b.only({"allow", "limit_pct", "max_gpus"});
      claims.may_borrow = b.boolean_or("allow", false);
      claims.borrow_percent = b.integer_or("limit_pct", 0, 10000, 0);
      claims.borrow_gpus = b.integer_or("max_gpus", 0, kMostGpus, 0);
      if (b.refusal()) return b.refusal();
    }
  }
  return m.refusal();
}

}  // namespace

bool is_team_name(std::string_view text) {
  const auto alphanumeric = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !text.empty() && text.size() <= 40 && alphanumeric(text.front()) && alphanumeric(text.back()) &&
         std::ranges::all_of(text, [&](char c) { return alphanumeric(c) || c == '-'; });
}

Verified<Claims> claims_from_json(const Json& payload) {
  Claims claims;
  Grant& grant = claims.grant;
  Members m(payload, "");
  grant.issuer = m.text("iss");
  if (m.refusal()) return refuse(Step::issuer, *m.refusal());
  claims.audience = m.text("aud");
  if (m.refusal()) return refuse(Step::audience, *m.refusal());
  claims.issued_at = m.integer("iat", 0, kLargest);
  grant.expires = m.integer("exp", 0, kLargest);
  grant.not_before = m.integer_or("nbf", 0, kLargest, claims.issued_at);
  if (m.refusal()) return refuse(Step::time, *m.refusal());
  grant.subject = m.text("sub");
  grant.jti = m.text("jti");
  if (!m.refusal() && !is_uuid(grant.jti)) m.wrong("jti", "is not a UUID");
  const std::string scope = " " + m.text("scope", 1024) + " ";
  if (!m.refusal() && scope.find(" compute.create ") == std::string::npos) {
    m.wrong("scope", "does not hold compute.create");
  }
  const Json* tlq = m.object("tlq");
  if (m.refusal() || tlq == nullptr) return refuse(Step::grant, m.refusal().value_or("tlq is missing"));
  if (const auto why = read_limits(*tlq, claims)) return refuse(Step::grant, *why);
  return claims;
}

Json to_json(const Claims& claims) {
  const Grant& grant = claims.grant;
  Json tlq{{"ver", claims.version.empty() ? "1.0" : claims.version}, {"team", grant.team}};
  if (!grant.project.empty()) tlq["project"] = grant.project;
  if (claims.uid) tlq["uid"] = *claims.uid;
  tlq["gpus"] = grant.gpus;
  tlq["gpu_seconds"] = grant.gpu_seconds;
  tlq["priority"] = grant.priority;
  tlq["preemptible"] = claims.preemptible;
  if (claims.may_borrow) {
    tlq["borrow"] = Json{{"allow", true}, {"limit_pct", claims.borrow_percent}, {"max_gpus", claims.borrow_gpus}};
  }
  tlq["types"] = grant.types;
  if (grant.window_end > 0) tlq["window"] = Json{{"start", grant.window_start}, {"end", grant.window_end}};
  if (grant.max_wall_seconds > 0) tlq["max_wall_s"] = grant.max_wall_seconds;
  if (!claims.images.empty()) tlq["images"] = claims.images;
  if (!claims.parent.empty()) tlq["parent"] = claims.parent;
  return Json{{"iss", grant.issuer},          {"sub", grant.subject},
              {"aud", claims.audience},       {"iat", claims.issued_at},
              {"nbf", grant.not_before},      {"exp", grant.expires},
              {"jti", grant.jti},             {"scope", "compute.create"},
              {"tlq", std::move(tlq)}};
}

}  // namespace topolaunch::quota
