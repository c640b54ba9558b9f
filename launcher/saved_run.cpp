// SPDX-License-Identifier: Apache-2.0
#include "launcher/saved_run.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/input_file.h"
#include "launcher/run_directory.h"
#include "topo/topology_json.h"

namespace topolaunch::launcher {
namespace {

using Part = std::shared_ptr<const Json>;

Status load(Part& part, const std::string& file, const Outside& outside) {
  auto json = read_if_there(file, outside);
  if (!json) return fail(std::move(json).error());
  part = std::make_shared<const Json>(*json ? std::move(**json) : Json());
  return {};
}

/// The last "ended" event's text. Lines that can't be read are passed over: the launcher may have
/// been killed while it wrote one.
std::vector<std::string> closing_of(const std::string& file, const Outside& outside) {
  std::vector<std::string> lines;
  const auto text = outside.files.read(file);
  if (!text) return lines;
  std::size_t begin = 0;
  while (begin < text->size()) {
    const auto end = std::min(text->find('\n', begin), text->size());
    const std::string_view line = std::string_view(*text).substr(begin, end - begin);
    begin = end + 1;
    if (line.find("\"ended\"") == std::string_view::npos) continue;
    const auto json = parse_json(line, file);
    if (!json || !json->is_object() || !json->contains("text") || !(*json)["text"].is_array())
      continue;
    lines.clear();
    for (const Json& one : (*json)["text"]) {
      if (one.is_string()) lines.push_back(one.get<std::string>());
    }
  }
  return lines;
}

}  // namespace

Result<Json> read_json(const std::string& file, const Outside& outside) {
  auto text = read_input(outside.files, file);
  if (!text) return fail(std::move(text).error());
  return parse_json(*text, file);
}

Result<std::optional<Json>> read_if_there(const std::string& file, const Outside& outside) {
  if (!outside.files.exists(file)) return std::optional<Json>{};
  auto json = read_json(file, outside);
  if (!json) return fail(std::move(json).error());
  return std::optional<Json>(std::move(*json));
}

Result<Plan> read_plan(const std::string& file, const Outside& outside) {
  auto json = read_json(file, outside);
  if (!json) return fail(std::move(json).error());
  return plan_from_json(*json, file);
}

std::string folder_of(const std::string& file) {
  const auto slash = file.rfind('/');
  return slash == std::string::npos ? "." : file.substr(0, slash);
}

Result<std::string> plan_file(const std::string& name, const Outside& outside) {
  if (name.ends_with(".json")) return name;
  auto found = find_run(name, outside);
  if (!found) return fail(std::move(found).error());
  return *found + "/plan.json";
}

Result<SavedRun> load_run(const std::string& name, const Outside& outside) {
  auto folder = find_run(name, outside);
  if (!folder) return fail(std::move(folder).error());
  SavedRun run;
  run.folder = std::move(*folder);
  auto plan = read_plan(run.folder + "/plan.json", outside);
  if (!plan) return fail(std::move(plan).error());
  run.plan = std::move(*plan);

  Part topology, verdict;
  const std::pair<Part*, const char*> parts[] = {
      {&topology, "topology"},           {&verdict, "verdict"},
      {&run.summary, "summary"},         {&run.manifest, "manifest"},
      {&run.observation, "observation"}, {&run.raw_measurement, "measurement"}};
  for (const auto& [part, file] : parts) {
    if (auto read = load(*part, run.folder + "/" + file + ".json", outside); !read) {
      return fail(std::move(read).error());
    }
  }
  if (!topology->is_null()) {
    auto value = topo::topology_from_json(*topology, run.folder + "/topology.json");
    if (!value) return fail(std::move(value).error());
    run.topology = std::move(*value);
  }
  if (!verdict->is_null()) {
    auto value = verdict_from_json(*verdict, run.folder + "/verdict.json");
    if (!value) return fail(std::move(value).error());
    run.verdict = std::move(*value);
  }
  if (!run.raw_measurement->is_null()) {
    auto value =
        bench::measurement_from_json(*run.raw_measurement, run.folder + "/measurement.json");
    if (!value) return fail(std::move(value).error());
    run.measurement = std::move(*value);
  }
  run.closing = closing_of(run.folder + "/events.jsonl", outside);
  return run;
}

}  // namespace topolaunch::launcher
