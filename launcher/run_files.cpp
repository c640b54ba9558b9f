// SPDX-License-Identifier: Apache-2.0
#include "launcher/run_files.h"

#include <nlohmann/json.hpp>

#include "launcher/manifest.h"
#include "launcher/report/closing.h"
#include "launcher/report/summary.h"
#include "topo/topology_json.h"

namespace topolaunch::launcher {

RunFiles RunFiles::open(Story& story, const Outside& outside) {
  auto directory = RunDirectory::create(outside.environment, story.plan.id);
  if (!directory) {
    story.no_directory = directory.error().text();
    return RunFiles(std::nullopt, outside);
  }
  story.directory = directory->path();
  story.plan.run_directory = directory->path();
  return RunFiles(std::move(*directory), outside);
}

void RunFiles::planned(const Story& story) const {
  if (!directory_) return;
  // A file that can't be written is told at the end, by ended(): the disk may be full by then only.
  const Status plan = directory_->store("plan.json", to_pretty(to_json(story.plan)));
  const Status topology =
      directory_->store("topology.json", to_pretty(topo::to_json(story.topology)));
  static_cast<void>(plan);
  static_cast<void>(topology);
  event("planned", Json{{"ranks", story.plan.ranks.size()}, {"command", story.plan.command}});
}

void RunFiles::event(const std::string& name, const Json& details) const {
  if (!directory_) return;
  const Status ignored = directory_->event(outside_.clock.unix_time(), name, details);
  static_cast<void>(ignored);
}

void RunFiles::store(const std::string& name, std::string_view text) const {
  if (!directory_) return;
  const Status ignored = directory_->store(name, text);
  static_cast<void>(ignored);
}

void RunFiles::refused(const Story& story, const Error& error) const {
  if (!directory_) return;
  const Status verdict = directory_->store("verdict.json", to_pretty(to_json(story.verdict)));
  static_cast<void>(verdict);
  if (story.measurement) store("measurement.json", to_pretty(bench::to_json(*story.measurement)));
  event("refused", Json{{"cause", error.text()}, {"exit_status", exit_status(error.code)}});
}

void RunFiles::ended(Story& story) const {
  if (!directory_) return;
  Status all;
  const auto store = [&](const char* name, const Json& json) {
    Status one = directory_->store(name, to_pretty(json));
    if (all && !one) all = std::move(one);
  };
  store("observation.json", observations_json(story.ending.observations));
  if (story.measurement) store("measurement.json", bench::to_json(*story.measurement));
  store("verdict.json", to_json(story.verdict));
  store("summary.json", summary_json(story));
  store("manifest.json", manifest_json(story, outside_));
  Json closing = Json::array();
  for (const std::string& line : closing_lines(story)) closing.push_back(line);
  event("ended", Json{{"exit_status", story.ending.exit_status},
                      {"ended_by", ended_by_name(story.ending.by)},
                      {"text", std::move(closing)}});
  if (!all) {
    story.no_directory = all.error().text();
    story.directory.clear();
  }
}

}  // namespace topolaunch::launcher
