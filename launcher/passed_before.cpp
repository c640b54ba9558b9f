// SPDX-License-Identifier: Apache-2.0
#include "launcher/passed_before.h"

#include <nlohmann/json.hpp>

#include "launcher/manifest.h"
#include "launcher/run_directory.h"
#include "quota/digest.h"

namespace topolaunch::launcher {
namespace {

std::optional<std::string> file_of(const std::string& hash, const Environment& environment) {
  const auto state = state_directory(environment);
  if (!state) return std::nullopt;
  return *state + "/passed/" + hash.substr(0, 32) + ".json";
}

}  // namespace

std::string pass_key(const Plan& plan) {
  if (plan.host_ids.empty()) return placement_hash(plan);
  std::string text = placement_hash(plan);
  for (const auto& [name, id] : plan.host_ids) text += "\n" + name + " " + id;
  return quota::sha256_hex(text);
}

std::string boot_id(const Files& files) {
  auto id = files.read("/proc/sys/kernel/random/boot_id", 256);
  if (!id) return {};
  while (!id->empty() && id->back() == '\n') id->pop_back();
  return *id;
}

std::optional<PassedBefore> passed_before(const std::string& key, const Outside& outside) {
  const auto file = file_of(key, outside.environment);
  if (!file) return std::nullopt;
  const auto text = outside.files.read(*file, 65536);
  if (!text) return std::nullopt;
  const auto json = parse_json(*text, *file);
  if (!json || !json->is_object()) return std::nullopt;
  try {
    PassedBefore passed;
    passed.boot_id = json->at("boot_id").get<std::string>();
    passed.backend = json->at("backend").get<std::string>();
    passed.reference.busbw = json->at("busbw").get<double>();
    passed.reference.size = json->at("size").get<std::int64_t>();
    passed.reference.source =
        "run " + json->at("run").get<std::string>() + " on this placement";
    return passed;
  } catch (const Json::exception&) {
    return std::nullopt;  // not ours, or of another version: measure again
  }
}

void remember_pass(const std::string& key, const std::string& run_id,
                   const bench::Measurement& measurement, const Outside& outside) {
  const auto file = file_of(key, outside.environment);
  const bench::SizeResult* const top = largest(measurement);
  if (!file || top == nullptr) return;
  Json json;
  json["run"] = run_id;
  json["boot_id"] = boot_id(outside.files);
  json["backend"] = measurement.backend;
  json["size"] = top->size;
  json["busbw"] = top->out_of_place.busbw;
  if (make_folders(file->substr(0, file->rfind('/')), 0700)) {
    const Status ignored = write_file(*file, to_pretty(json), 0600);
    static_cast<void>(ignored);
  }
}

}  // namespace topolaunch::launcher
