// SPDX-License-Identifier: Apache-2.0
#include "launcher/verbs/doctor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/capabilities.h"
#include "launcher/bench_job.h"
#include "launcher/machine.h"
#include "launcher/run_directory.h"
#include "quota/open_ledger.h"

namespace topolaunch::launcher {
namespace {

/// One thing that was looked for.
struct Finding {
  std::string name;
  enum class State { ok, missing, note } state = State::ok;
  std::string detail;
  std::string next;  ///< how to get it
};

std::string first_line(const std::string& text) {
  const auto begin = text.find_first_not_of("\r\n\t ");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find('\n', begin) - begin);
}

Finding ask_program(const Outside& outside, const std::string& name,
                    const std::vector<std::string>& argv, const std::string& next) {
  const auto output = outside.commands.run(argv, Seconds(5));
  if (!output) return {name, Finding::State::missing, output.error().message, next};
  if (output->status != 0) {
    return {name, Finding::State::missing,
            fmt::format("'{}' ended with {}: {}", argv.front(), output->status,
                        first_line(output->err + output->out)),
            next};
  }
  return {name, Finding::State::ok, first_line(output->out + output->err), {}};
}

void find_sources(std::vector<Finding>& findings, const Outside& outside) {
  auto topology = look_at({}, outside);
  if (!topology) {
    findings.push_back({"discovery", Finding::State::missing, topology.error().message,
                        topology.error().next});
    return;
  }
  for (const topo::SurveyEntry& entry : topology->survey) {
    Finding finding{entry.source, Finding::State::ok, entry.why, {}};
    if (entry.status == topo::SurveyEntry::Status::unavailable) {
      finding.state = Finding::State::missing;
      finding.detail = "could not look: " + entry.why;
      if (entry.source == "nvml") {
        finding.next = "on a machine with NVIDIA GPUs: install the driver (apt: nvidia-driver, "
                       "non-free), or start the container with --gpus all";
      }
    }
    if (entry.status == topo::SurveyEntry::Status::nothing) {
      finding.state = Finding::State::note;
      finding.detail = "looked, saw nothing" + (entry.why.empty() ? "" : ": " + entry.why);
    }
    findings.push_back(std::move(finding));
  }
  const topo::Host& host = topology->hosts.front();
  std::string detail = fmt::format("{} of {} allowed", host.allowed_cpus.size(), host.cpus.size());
  if (host.cpu_quota) detail += fmt::format(", time of {:.1f} (control group)", *host.cpu_quota);
  findings.push_back({"cpus", Finding::State::ok, detail, {}});
}

/// What "no orphans" rests on here.
Finding find_cgroup(const Outside& outside) {
  Finding finding{"cgroup v2", Finding::State::note, {}, {}};
  constexpr const char* kInstead = "ranks are ended by subreaper and parent-death signals";
  const auto own = outside.files.read("/proc/self/cgroup", 65536);
  std::string path;
  if (own) {
    const auto at = own->find("0::/");
    if (at != std::string::npos) path = own->substr(at + 3, own->find('\n', at) - at - 3);
  }
  const std::string folder = "/sys/fs/cgroup" + (path == "/" ? std::string() : path);
  if (!outside.files.exists("/sys/fs/cgroup/cgroup.controllers") || path.empty()) {
    finding.detail = std::string("not mounted; ") + kInstead;
    return finding;
  }
  if (::access(folder.c_str(), W_OK) != 0) {
    finding.detail = folder + " can't be written; " + kInstead;
    finding.next = "systemd-run --user --scope -p Delegate=yes topolaunch ...";
    return finding;
  }
  finding.state = Finding::State::ok;
  finding.detail = "can be written";
  return finding;
}

void find_places(std::vector<Finding>& findings, const Outside& outside) {
  if (auto state = state_directory(outside.environment)) {
    std::string existing = *state;
    while (!existing.empty() && !outside.files.exists(existing)) {
      existing.erase(existing.rfind('/'));
    }
    const bool writable = ::access(existing.empty() ? "/" : existing.c_str(), W_OK) == 0;
    findings.push_back({"run files", writable ? Finding::State::ok : Finding::State::missing,
                        *state + "/runs" + (writable ? "" : " can't be written"),
                        writable ? "" : "set TOPOLAUNCH_STATE_DIR"});
  } else {
    findings.push_back(
        {"run files", Finding::State::missing, state.error().message, state.error().next});
  }
  auto ledger = quota::ledger_path("", outside);
  if (!ledger) {
    findings.push_back({"ledger", Finding::State::note, ledger.error().message, {}});
  } else if (!outside.files.exists(*ledger)) {
    findings.push_back({"ledger", Finding::State::note, "none yet at " + *ledger,
                        "topolaunch quota issue makes it"});
  } else {
    findings.push_back({"ledger", Finding::State::ok, *ledger + " (advisory)", {}});
  }
}

std::vector<Finding> examine(const Outside& outside) {
  std::vector<Finding> findings;
  find_sources(findings, outside);
  findings.push_back({"engine local", Finding::State::ok, "built in", {}});
  findings.push_back(ask_program(outside, "engine mpirun", {"mpirun", "--version"},
                                 "apt-get install openmpi-bin"));
  const auto topobench = find_topobench(outside);
  if (topobench) {
    findings.push_back(ask_program(outside, "topobench", {*topobench, "--version"},
                                   "apt-get install libopenmpi-dev, build again"));
  } else {
    findings.push_back({"topobench", Finding::State::missing, topobench.error().message,
                        topobench.error().next});
  }
  findings.push_back(find_cgroup(outside));
  find_places(findings, outside);
  for (const Capability& part : capabilities()) {
    findings.push_back({"built with " + std::string(part.name),
                        part.present ? Finding::State::ok : Finding::State::note,
                        (part.present ? "" : "no: ") + std::string(part.detail), {}});
    if (part.present && part.detail.empty()) findings.back().detail = "yes";
  }
  return findings;
}

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

}  // namespace

Result<Answer> doctor_verb(const DoctorOptions& options, const Settings& settings,
                           const Outside& outside) {
  if (options.config) {
    return Answer{options.json ? config_json(settings) : config_text(settings), 0};
  }
  constexpr std::array<std::string_view, 3> kWords{"ok", "missing", "note"};
  const std::vector<Finding> findings = examine(outside);
  if (options.json) {
    Json json;
    json["schema"] = "topolaunch.doctor/1";
    json["version"] = build_version();
    json["parts"] = Json::array();
    for (const Finding& finding : findings) {
      json["parts"].push_back(Json{{"name", finding.name},
                                   {"state", kWords[static_cast<std::size_t>(finding.state)]},
                                   {"detail", finding.detail},
                                   {"next", finding.next}});
    }
    return Answer{to_pretty(json), 0};
  }
  std::string out = fmt::format("topolaunch {} ({})\n", build_version(), build_compiler());
  for (const Finding& finding : findings) {
    out += fmt::format("  {:<7} {:<16} {}\n", kWords[static_cast<std::size_t>(finding.state)],
                       finding.name, finding.detail);
    if (!finding.next.empty()) out += fmt::format("  {:<24} -> {}\n", "", finding.next);
  }
  return Answer{out, 0};
}

}  // namespace topolaunch::launcher
