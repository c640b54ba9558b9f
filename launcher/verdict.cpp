// SPDX-License-Identifier: Apache-2.0
#include "launcher/verdict.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace topolaunch::launcher {
namespace {

constexpr std::array<std::string_view, 4> kNames{"pass", "fail", "could-not-test",
                                                 "not-applicable"};

}  // namespace

std::string_view outcome_name(Outcome outcome) { return kNames[static_cast<std::size_t>(outcome)]; }

Outcome Verdict::overall() const {
  const auto any = [&](Outcome outcome) { return first(outcome) != nullptr; };
  if (any(Outcome::fail)) return Outcome::fail;
  if (any(Outcome::could_not_test)) return Outcome::could_not_test;
  return any(Outcome::pass) ? Outcome::pass : Outcome::not_applicable;
}

const Check* Verdict::first(Outcome outcome) const {
  const auto it = std::ranges::find(checks, outcome, &Check::verdict);
  return it == checks.end() ? nullptr : &*it;
}

Json to_json(const Verdict& verdict) {
  Json json;
  json["schema"] = "topolaunch.verdict/1";
  json["verdict"] = outcome_name(verdict.overall());
  json["checks"] = Json::array();
  for (const Check& check : verdict.checks) {
    Json one;
    one["name"] = check.name;
    one["verdict"] = outcome_name(check.verdict);
    one["measured"] = check.measured;
    one["expected"] = check.expected;
    one["source"] = check.source;
    one["suspect"] = check.suspect;
    if (check.confidence >= 0) one["confidence"] = check.confidence;
    if (!check.confirm.empty()) one["confirm"] = check.confirm;
    json["checks"].push_back(std::move(one));
  }
  return json;
}

Result<Verdict> verdict_from_json(const Json& json, const std::string& file) {
  const auto wrong = [&](const std::string& what) {
    return fail(Error{Code::invalid_input, what, "it is written by topolaunch", file, 0});
  };
  if (!json.is_object() || json.value("schema", Json()) != "topolaunch.verdict/1") {
    return wrong("not a topolaunch.verdict/1 document");
  }
  Verdict verdict;
  const auto checks = json.find("checks");
  if (checks == json.end() || !checks->is_array()) return wrong("no list of checks");
  for (const Json& one : *checks) {
    Check check;
    if (!one.is_object()) return wrong("a check is not an object");
    const auto text = [&](const char* key, std::string& into) {
      const auto it = one.find(key);
      if (it != one.end() && it->is_string()) into = it->get<std::string>();
    };
    std::string outcome;
    text("name", check.name);
    text("verdict", outcome);
    text("measured", check.measured);
    text("expected", check.expected);
    text("source", check.source);
    text("suspect", check.suspect);
    text("confirm", check.confirm);
    if (const auto it = one.find("confidence"); it != one.end() && it->is_number()) {
      check.confidence = it->get<double>();
    }
    const auto it = std::ranges::find(kNames, outcome);
    if (it == kNames.end()) return wrong("unknown verdict '" + outcome + "'");
    check.verdict = static_cast<Outcome>(it - kNames.begin());
    verdict.checks.push_back(std::move(check));
  }
  return verdict;
}

}  // namespace topolaunch::launcher
