// SPDX-License-Identifier: Apache-2.0
#include "launcher/verbs/saved.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/files.h"
#include "base/input_file.h"
#include "bench/comparison.h"
#include "bench/measurement.h"
#include "launcher/measured/culprit_checks.h"
#include "launcher/measured/expected.h"
#include "launcher/measured/file_checks.h"
#include "launcher/measured/measured_file.h"
#include "launcher/plan.h"
#include "launcher/report/checks_text.h"
#include "launcher/report/markdown.h"
#include "launcher/report/page/page.h"
#include "launcher/report/plan_text.h"
#include "launcher/report/summary.h"
#include "launcher/run_directory.h"
#include "launcher/saved_run.h"
#include "launcher/validate.h"

namespace topolaunch::launcher {
namespace {

/// Where the parts of a run are: options, else its folder.
struct Parts {
  std::string plan, observation, measurement;
  bool observation_named = false, measurement_named = false;
};

Result<Parts> parts_of(const ValidateOptions& options, const Outside& outside) {
  Parts parts;
  auto file = plan_file(options.plan, outside);
  if (!file) return fail(std::move(file).error());
  parts.plan = std::move(*file);
  const std::string folder = folder_of(parts.plan);
  parts.observation_named = !options.observation.empty();
  parts.measurement_named = !options.measurement.empty();
  parts.observation =
      parts.observation_named ? options.observation : folder + "/observation.json";
  parts.measurement =
      parts.measurement_named ? options.measurement : folder + "/measurement.json";
  return parts;
}

Check untested(const std::string& name, const std::string& why) {
  Check check;
  check.name = name;
  check.verdict = Outcome::could_not_test;
  check.suspect = why;
  return check;
}

}  // namespace

namespace {

Result<std::vector<ExpectedFigure>> expected_figures(const ValidateOptions& options,
                                                     const Outside& outside) {
  if (options.expected.empty()) return std::vector<ExpectedFigure>{};
  auto text = outside.files.read(options.expected);
  if (!text) {
    Error error = std::move(text).error();
    error.code = Code::invalid_input;
    return fail(std::move(error));
  }
  return expected_from_csv(*text, options.expected);
}

Answer answer_of(const Verdict& verdict, const ValidateOptions& options) {
  int status = 0;
  const Outcome overall = verdict.overall();
  if (overall == Outcome::fail) status = exit_status(Code::validation_failed);
  if (overall == Outcome::could_not_test) status = exit_status(Code::could_not_test);
  return {options.json ? to_pretty(to_json(verdict)) : checks_text(verdict), status};
}

}  // namespace

Result<Answer> validate_verb(const ValidateOptions& options, const Outside& outside) {
  auto expected = expected_figures(options, outside);
  if (!expected) return fail(std::move(expected).error());
  Verdict verdict;
  if (!options.measured.empty()) {
    if (!options.plan.empty()) {
      return fail(Code::wrong_usage, "both a RUN and --measured are given",
                  "--measurement FILE holds a run against another measurement");
    }
    auto checks = check_files(options.measured, *expected, outside);
    if (!checks) return fail(std::move(checks).error());
    verdict.checks = std::move(*checks);
    return answer_of(verdict, options);
  }
  if (options.plan.empty()) {
    return fail(Code::wrong_usage, "nothing to validate",
                "name a RUN (topolaunch ps --all), or --measured FILE");
  }
  auto parts = parts_of(options, outside);
  if (!parts) {
    // A file of figures in the place of a run.
    const bool file = outside.files.exists(options.plan) && !outside.files.list(options.plan);
    if (!file) return fail(std::move(parts).error());
    return fail(Code::wrong_usage, options.plan + " is a file, and no run's plan.json",
                "figures in it are judged by: topolaunch validate --measured " + options.plan);
  }
  auto plan = read_plan(parts->plan, outside);
  if (!plan) return fail(std::move(plan).error());
  if (parts->observation_named || outside.files.exists(parts->observation)) {
    auto json = read_json(parts->observation, outside);
    if (!json) return fail(std::move(json).error());
    auto seen = observations_from_json(*json, parts->observation);
    if (!seen) return fail(std::move(seen).error());
    verdict.checks = check_placement(*plan, *seen);
  } else {
    verdict.checks.push_back(untested("placement", "the run left no observation.json"));
  }
  if (parts->measurement_named || outside.files.exists(parts->measurement)) {
    auto text = read_input(outside.files, parts->measurement);
    if (!text) return fail(std::move(text).error());
    auto measurement = one_measurement(*text, parts->measurement);
    if (!measurement) return fail(std::move(measurement).error());
    for (auto&& checks : {check_measurement(*plan, *measurement, std::nullopt, std::nullopt),
                          check_expected(*measurement, *expected), check_culprits(*measurement)}) {
      verdict.checks.insert(verdict.checks.end(), checks.begin(), checks.end());
    }
  } else if (options.strict) {
    verdict.checks.push_back(
        untested("allreduce", "no measurement; run with --validate quick, or give --measurement"));
  }
  return answer_of(verdict, options);
}

namespace {

Json all_of(const SavedRun& run) {
  Json all;
  all["schema"] = "topolaunch.report/1";
  all["run"] = run.plan.id;
  all["files"] = run.folder;
  for (const auto& [name, part] : {std::pair("summary", run.summary), std::pair("manifest", run.manifest),
                                   std::pair("measurement", run.raw_measurement)}) {
    if (!part->is_null()) all[name] = *part;
  }
  if (run.verdict) all["verdict"] = to_json(*run.verdict);
  return all;
}

/// What has got slower or faster since an earlier run.
std::string since(const SavedRun& run, const SavedRun& before) {
  const std::string name = "run " + before.plan.id;
  if (!run.measurement || !before.measurement) {
    return fmt::format("\ncompared with {}: {} run has measured nothing (--validate quick does)\n",
                       name, run.measurement ? "that" : "this");
  }
  const auto differences = bench::compare(*before.measurement, *run.measurement);
  if (!differences) return fmt::format("\ncompared with {}: {}\n", name, differences.error().text());
  return "\n" + bench::to_text(*differences, name + " of " + before.measurement->start_time);
}

}  // namespace

Result<Answer> report_verb(const ReportOptions& options, const Outside& outside) {
  auto run = load_run(options.run, outside);
  if (!run) return fail(std::move(run).error());
  std::optional<SavedRun> before;
  if (!options.compare.empty()) {
    auto other = load_run(options.compare, outside);
    if (!other) return fail(std::move(other).error());
    before = std::move(*other);
  }
  const SavedRun* const beside = before ? &*before : nullptr;
  if (options.json) {
    Json all = all_of(*run);
    if (before) all["compared_with"] = all_of(*before);
    all["plan"] = to_json(run->plan);
    return Answer{to_pretty(all), 0};
  }
  if (options.format == "markdown") return Answer{run_markdown(*run, beside), 0};
  if (options.format == "html") return Answer{page::report_page(*run, beside), 0};
  std::string text = run_text(run->plan, all_of(*run), outside.environment);
  if (beside != nullptr) text += since(*run, *beside);
  if (options.format == "text") return Answer{text, 0};
  const std::string file = options.output.empty() ? run->folder + "/report.html" : options.output;
  const Status written = write_file(file, page::report_page(*run, beside), 0600);
  // A page that was asked for by name has to be there; else the words are worth something alone.
  if (!written && !options.output.empty()) {
    return fail(Error{Code::configuration, "-o: " + written.error().message, "choose another -o",
                      written.error().file, 0});
  }
  text += written ? "page     " + short_path(file, outside.environment) + "\n"
                  : "page     none: " + written.error().text() + "\n";
  return Answer{text, 0};
}

}  // namespace topolaunch::launcher
