// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/commands.h"
#include "base/lower_case.h"
#include "launcher/run_directory.h"
#include "launcher/verbs/saved.h"
#include "quota/open_ledger.h"

namespace topolaunch::launcher {
namespace {

struct Line {
  std::string run, state, user, command;
  double started = 0;
  std::int64_t ranks = 0;
};

/// From the events that a run has written: its last one, and whether its launcher still lives.
Line line_of(const std::string& run, const std::string& folder, const Outside& outside) {
  Line line;
  line.run = run;
  line.state = "planned";
  const auto text = outside.files.read(folder + "/events.jsonl");
  if (!text) {
    line.state = "unknown";
    return line;
  }
  std::size_t begin = 0;
  std::int64_t launcher = 0;
  while (begin < text->size()) {
    const std::size_t end = std::min(text->find('\n', begin), text->size());
    const auto event = parse_json(std::string_view(*text).substr(begin, end - begin), folder);
    begin = end + 1;
    if (!event || !event->is_object()) continue;
    try {
      const std::string name = event->value("event", "");
      if (name == "planned") {
        line.ranks = event->value("ranks", std::int64_t{0});
        line.command = shell_quoted(event->value("command", std::vector<std::string>{}));
      }
      if (name == "started") {
        line.started = event->value("time", 0.0);
        launcher = event->value("launcher_pid", std::int64_t{0});
      }
      line.state = name;
    } catch (const Json::exception&) {
      continue;  // a line that is not ours, or of another version
    }
  }
  if (line.state == "started") {
    const bool alive = outside.files.exists("/proc/" + std::to_string(launcher));
    line.state = alive ? "running" : "lost";
  }
  return line;
}

std::string age(double started, double now) {
  if (started <= 0) return "-";
  const auto seconds = static_cast<std::int64_t>(std::max(0.0, now - started));
  return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

/// Runs of other users and hosts, where there is a ledger that can be read.
std::vector<Line> ledger_lines(const PsOptions& options, const Outside& outside,
                               const std::vector<Line>& known) {
  std::vector<Line> out;
  auto ledger = quota::open_ledger(options.ledger, quota::LedgerUse::read, outside);
  if (!ledger) return out;
  auto runs = (*ledger)->runs();
  if (!runs) return out;
  for (const quota::RunRecord& run : *runs) {
    if (std::ranges::find(known, run.run_id, &Line::run) != known.end()) continue;
    const bool live = run.state == "RUNNING" || run.state == "RESERVED";
    if (!live && !options.all) continue;
    Line line;
    line.run = run.run_id;
    line.state = lower_case(run.state);
    line.user = run.user + "@" + run.host;
    line.command = run.command;
    line.started = static_cast<double>(run.started_at);
    out.push_back(std::move(line));
  }
  return out;
}

}  // namespace

Result<Answer> ps_verb(const PsOptions& options, const Outside& outside) {
  auto state = state_directory(outside.environment);
  if (!state) return fail(std::move(state).error());
  auto runs = saved_runs(outside);
  if (!runs) return fail(std::move(runs).error());
  std::vector<Line> mine;
  for (const std::string& run : *runs) mine.push_back(line_of(run, *state + "/runs/" + run, outside));
  std::vector<Line> lines = ledger_lines(options, outside, mine);
  for (Line& line : mine) {
    if (options.all || line.state == "running") lines.push_back(std::move(line));
  }
  std::ranges::sort(lines, {}, &Line::run);
  const double now = outside.clock.unix_time();
  if (options.json) {
    Json json;
    json["schema"] = "topolaunch.ps/1";
    json["runs"] = Json::array();
    for (const Line& line : lines) {
      json["runs"].push_back(Json{{"run", line.run},
                                  {"state", line.state},
                                  {"started", line.started},
                                  {"ranks", line.ranks},
                                  {"user", line.user},
                                  {"command", line.command}});
    }
    return Answer{to_pretty(json), 0};
  }
  if (lines.empty()) {
    return Answer{options.all ? "no runs\n" : "no live runs (--all shows those that have ended)\n",
                  0};
  }
  std::string out =
      fmt::format("{:<36}  {:<11}  {:>8}  {:>5}  {}\n", "run", "state", "age", "ranks", "command");
  for (const Line& line : lines) {
    out += fmt::format("{:<36}  {:<11}  {:>8}  {:>5}  {}{}\n", line.run, line.state,
                       age(line.started, now), line.ranks == 0 ? "-" : std::to_string(line.ranks),
                       line.user.empty() ? "" : line.user + ": ", line.command);
  }
  return Answer{out, 0};
}

}  // namespace topolaunch::launcher
