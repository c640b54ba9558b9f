// SPDX-License-Identifier: Apache-2.0
#include "launcher/carry_out.h"

#include <unistd.h>

#include <functional>
#include <future>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "launcher/ab.h"
#include "launcher/engine.h"
#include "launcher/manifest.h"
#include "launcher/quick_check.h"
#include "launcher/report/closing.h"
#include "launcher/report/summary.h"
#include "launcher/run_directory.h"
#include "launcher/validate.h"

namespace topolaunch::launcher {
namespace {

/// From a checked plan to the job's end.
Status start_and_wait(Story& story, std::optional<quota::RunHold>& hold, const Outside& outside,
                      const RunFiles& record) {
  auto engine = make_engine(story.plan.engine);
  if (!engine) return fail(std::move(engine).error());
  if (hold) {
    if (Status ok = hold->start(); !ok) return fail(std::move(ok).error().within("quota"));
  }
  story.started = outside.clock.unix_time();
  record.event("started", Json{{"engine", story.plan.engine}, {"launcher_pid", ::getpid()}});
  auto running = (*engine)->start(story.plan, outside);
  if (!running) {
    if (hold) static_cast<void>(hold->settle(Seconds(0), "not_started"));  // setting up is free
    record.event("not-started", Json{{"cause", running.error().text()}});
    return fail(std::move(running).error());
  }
  // As it was when it started; while the job runs nobody waits for it.
  auto sha256 = std::async(std::launch::async, program_sha256, story.plan.executable,
                           std::cref(outside.files));
  auto ending = (*running)->wait([&](Seconds elapsed) {
    return hold ? hold->heartbeat(elapsed) : std::string();
  });
  if (!ending) return fail(std::move(ending).error());
  story.ending = std::move(*ending);
  story.executable_sha256 = sha256.get();
  story.ended = outside.clock.unix_time();
  return {};
}

void settle(Story& story, std::optional<quota::RunHold>& hold, const Voice& voice) {
  if (!hold) return;
  const std::string exit_class =
      story.ending.exit_status == 0 ? "ok" : std::string(ended_by_name(story.ending.by));
  auto charged = hold->settle(story.ending.elapsed, exit_class);
  if (!charged) {
    voice.say("quota: could not be settled: " + charged.error().text());
    story.quota.words = "not settled yet; the hold of " + std::to_string(story.quota.held) +
                        " GPU-seconds stays until it is";
    return;
  }
  story.quota.charged = *charged;
  story.quota.words = std::to_string(*charged) + " of " + std::to_string(story.quota.held) +
                      " held GPU-seconds charged to team " + story.quota.team + " (" +
                      story.quota.mode + ")";
}

}  // namespace

Status hold_to(const RunOptions& options, const Verdict& verdict) {
  if (!options.strict) return {};
  if (const Check* const bad = verdict.first(Outcome::fail)) {
    return fail(Code::validation_failed,
                "check '" + bad->name + "' failed: measured " + bad->measured + ", expected " +
                    bad->expected + (bad->suspect.empty() ? "" : " (" + bad->suspect + ")"),
                "leave out --strict to run all the same");
  }
  if (const Check* const unknown = verdict.first(Outcome::could_not_test)) {
    return fail(Code::could_not_test,
                "check '" + unknown->name + "' could not be made: " + unknown->suspect,
                "leave out --strict to run all the same");
  }
  return {};
}

Status carry_out(const RunOptions& options, const PlanRequest& request, const JobModel& model,
                 Story& story, std::optional<quota::RunHold>& hold, const RunFiles& record,
                 const Outside& outside, const Voice& voice) {
  if (options.ab) {
    Status ok = choose_by_measurement(request, model, story, record, outside, voice);
    if (!ok) return ok;
  }
  record.planned(story);
  if (options.validate == "off") {
    story.not_measured = "--validate off";
  } else if (Status ok = measure_before(options, story, outside, voice); !ok) {
    return ok;
  }
  if (Status ok = hold_to(options, story.verdict); !ok) return ok;
  return start_and_wait(story, hold, outside, record);
}

Answer settle_and_tell(const RunOptions& options, Story& story, std::optional<quota::RunHold>& hold,
                       const RunFiles& record, const Outside& outside, const Voice& voice) {
  settle(story, hold, voice);
  if (options.validate != "off") {
    const auto checks = check_placement(story.plan, story.ending.observations, story.ending.ranks);
    story.verdict.checks.insert(story.verdict.checks.begin(), checks.begin(), checks.end());
  }
  int status = story.ending.exit_status;
  if (status == 0 && options.strict && story.verdict.overall() == Outcome::fail) {
    status = exit_status(Code::validation_failed);
  }
  record.ended(story);
  if (!options.summary.empty()) {
    if (Status ok = write_file(options.summary, to_pretty(summary_json(story))); !ok) {
      voice.say("--summary: " + ok.error().text());
    }
  }
  if (!story.directory.empty()) {
    story.directory = short_path(story.directory, outside.environment);
  }
  for (const std::string& note : story.ending.notes) voice.say(note);
  for (const std::string& line : closing_lines(story)) voice.say(line);
  return {{}, status};
}

}  // namespace topolaunch::launcher
