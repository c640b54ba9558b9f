// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/checks_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/commands.h"
#include "base/counted.h"
#include "bench/measurement.h"
#include "launcher/report/page/json_look.h"
#include "launcher/report/plan_text.h"
#include "launcher/run_directory.h"
#include "launcher/validate.h"

namespace topolaunch::launcher {
namespace {

std::string text_at(const Json& json, const char* key) {
  const auto it = json.find(key);
  return it != json.end() && it->is_string() ? it->get<std::string>() : std::string();
}

double number_at(const Json& json, const char* key) {
  const auto it = json.find(key);
  return it != json.end() && it->is_number() ? it->get<double>() : 0;
}

const Json& object_at(const Json& json, const char* key) {
  static const Json none = Json::object();
  const auto it = json.find(key);
  return it != json.end() && it->is_object() ? *it : none;
}

std::string measurement_text(const Json& json) {
  const auto measurement = bench::measurement_from_json(json, "measurement.json");
  if (!measurement) return "measurement.json: " + measurement.error().text() + "\n";
  std::string out = fmt::format("\n{} over {}, {}\n", measurement->collective,
                                counted(measurement->ranks, "rank"), measurement->backend);
  out += fmt::format("{:>10}  {:>10}  {:>10}  {:>12}  {:>6}\n", "size", "p50", "p99", "busbw",
                     "wrong");
  for (const bench::SizeResult& result : measurement->results) {
    const bench::Timing& timing = result.out_of_place;
    out += fmt::format("{:>10}  {:>10}  {:>10}  {:>12}  {:>6}\n",
                       topolaunch::to_text(Bytes(result.size)), topolaunch::to_text(timing.p50),
                       topolaunch::to_text(timing.p99),
                       topolaunch::to_text(Bandwidth::bytes_per_second(timing.busbw)),
                       timing.wrong < 0 ? "-" : std::to_string(timing.wrong));
  }
  return out;
}

}  // namespace

std::string checks_text(const Verdict& verdict) {
  std::string out;
  for (const Check& check : verdict.checks) {
    std::string line = fmt::format("{:<14}  {:<14}  {}", outcome_name(check.verdict), check.name,
                                   check.measured);
    if (!check.expected.empty()) line += "; expected " + check.expected;
    if (!check.source.empty()) line += " (" + check.source + ")";
    if (!check.suspect.empty()) line += fmt::format("\n{:<16}-> {}", "", check.suspect);
    if (check.confidence >= 0) line += fmt::format(" (confidence {:.0f} %)", check.confidence * 100);
    if (!check.confirm.empty()) line += fmt::format("\n{:<16}   to confirm: {}", "", check.confirm);
    out += line + "\n";
  }
  return out + fmt::format("verdict: {}\n", outcome_name(verdict.overall()));
}

std::string run_text(const Plan& plan, const Json& parts, const Environment& environment) {
  const Json& summary = object_at(parts, "summary");
  const Json& manifest = object_at(parts, "manifest");
  std::string out = fmt::format("run      {}\n", plan.id);
  out += fmt::format("command  {}\n", shell_quoted(plan.command));
  if (const double started = number_at(object_at(manifest, "when"), "started"); started > 0) {
    out += fmt::format("started  {}, ran {}\n", iso8601(page::whole(started)),
                       topolaunch::to_text(Seconds(number_at(summary, "elapsed_seconds"))));
  }
  out += fmt::format("engine   {} ({})\n", plan.engine, plan.engine_why);
  if (summary.empty()) {
    out += "ended    not known: no summary.json (it still runs, was not started, or was killed)\n";
  } else {
    out += fmt::format("ended    exit {:.0f}, by {}", number_at(summary, "exit_status"),
                       text_at(summary, "ended_by"));
    const Json& failure = object_at(summary, "first_failure");
    if (!failure.empty()) out += "; " + text_at(failure, "text");
    if (const std::string cause = text_at(summary, "cause"); !cause.empty()) out += "; " + cause;
    out += "\n";
    out += fmt::format("quota    {}\n", text_at(object_at(summary, "quota"), "text"));
  }
  out += fmt::format("files    {}\n\n", short_path(text_at(parts, "files"), environment));
  out += plan_table(plan);
  const Json& placement = object_at(manifest, "placement");
  if (const double estimate = number_at(placement, "estimate_seconds"); estimate > 0) {
    out += fmt::format("\n{}: given order {}, this plan {} ({})\n", text_at(placement, "graph"),
                       topolaunch::to_text(Seconds(number_at(placement, "given_seconds"))),
                       topolaunch::to_text(Seconds(estimate)), text_at(placement, "model"));
  }
  if (const Json& measurement = object_at(parts, "measurement"); !measurement.empty()) {
    out += measurement_text(measurement);
  }
  if (const Json& json = object_at(parts, "verdict"); !json.empty()) {
    const auto verdict = verdict_from_json(json, "verdict.json");
    out += "\n" + (verdict ? checks_text(*verdict) : verdict.error().text() + "\n");
  }
  return out;
}

}  // namespace topolaunch::launcher
