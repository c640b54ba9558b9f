// SPDX-License-Identifier: Apache-2.0
#include "launcher/verbs/doctor.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "base/capabilities.h"
#include "launcher/examine.h"
#include "topo/render.h"

namespace topolaunch::launcher {
namespace {

std::string config_text(const Settings& settings) {
  std::string out;
  for (const std::string& file : settings.files) out += "read: " + file + "\n";
  if (settings.files.empty()) out += "read: no configuration file\n";
  for (const SettingName& name : setting_names()) {
    const Setting* const winner = settings.find(name.key);
    if (winner == nullptr) {
      out += fmt::format("  {:<26} not set ({})\n", name.key, name.variable);
      continue;
    }
    std::string values;
    for (const std::string& value : winner->values) values += (values.empty() ? "" : ", ") + value;
    out += fmt::format("  {:<26} {}   from {}{}\n", name.key, values, winner->origin,
                       winner->locked ? ", locked" : "");
    for (const Setting& lost : settings.overridden) {
      if (lost.key != name.key) continue;
      out += fmt::format("  {:<26}   overrides '{}' from {}\n", "", lost.values.front(),
                         lost.origin);
    }
  }
  return out + "flags come before all of them, except for locked keys\n";
}

std::string config_json(const Settings& settings) {
  Json json;
  json["schema"] = "topolaunch.config/1";
  json["files"] = settings.files;
  json["settings"] = Json::array();
  for (const Setting& one : settings.effective) {
    json["settings"].push_back(Json{
        {"key", one.key}, {"values", one.values}, {"origin", one.origin}, {"locked", one.locked}});
  }
  return to_pretty(json);
}

constexpr std::array<std::string_view, 3> kStates{"ok", "missing", "note"};

std::string_view state_word(Finding::State state) {
  return kStates[static_cast<std::size_t>(state)];
}

std::string findings_json(const Examination& seen) {
  Json json;
  json["schema"] = "topolaunch.doctor/1";
  json["version"] = build_version();
  json["advice"] = seen.advice;
  json["parts"] = Json::array();
  for (const Finding& finding : seen.findings) {
    json["parts"].push_back(Json{{"group", group_title(finding.group)},
                                 {"name", finding.name},
                                 {"state", state_word(finding.state)},
                                 {"detail", finding.detail},
                                 {"next", finding.next}});
  }
  return to_pretty(json);
}

std::string findings_text(const Examination& seen) {
  constexpr std::size_t kIndent = 27;
  std::string out = fmt::format("topolaunch {} ({})\n", build_version(), build_compiler());
  for (const std::string& line : seen.advice) out += topo::wrapped(line, 2, 0);
  std::string_view title;
  for (const Finding& finding : seen.findings) {
    if (group_title(finding.group) != title) {
      title = group_title(finding.group);
      out += fmt::format("\n{}\n", title);
    }
    out += fmt::format("  {:<7}  {:<14}  ", state_word(finding.state), finding.name);
    out += topo::wrapped(finding.detail, kIndent, kIndent).substr(kIndent);
    if (!finding.next.empty()) out += topo::wrapped("-> " + finding.next, kIndent + 3, kIndent);
  }
  return out;
}

}  // namespace

Result<Answer> doctor_verb(const DoctorOptions& options, const Settings& settings,
                           const Outside& outside) {
  if (options.config) {
    return Answer{options.json ? config_json(settings) : config_text(settings), 0};
  }
  const Examination seen = examine(outside);
  return Answer{options.json ? findings_json(seen) : findings_text(seen), 0};
}

}  // namespace topolaunch::launcher
