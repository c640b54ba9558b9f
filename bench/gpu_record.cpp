// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu_record.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace topolaunch::bench {
namespace {

constexpr std::pair<const char*, std::optional<int> GpuRecord::*> kNumbers[] = {
    {"busy_percent_before", &GpuRecord::busy_before},
    {"sm_clock_lowest_mhz", &GpuRecord::sm_clock_lowest},
    {"sm_clock_highest_mhz", &GpuRecord::sm_clock_highest},
    {"sm_clock_most_mhz", &GpuRecord::sm_clock_most},
    {"temperature_highest_c", &GpuRecord::temperature_highest}};

}  // namespace

Json to_json(const GpuRecord& record) {
  Json json{{"rank", record.rank}, {"waited_seconds", record.waited.count()}};
  for (const auto& [name, member] : kNumbers) {
    if (record.*member) json[name] = *(record.*member);
  }
  json["held_back"] = record.held_back;
  return json;
}

Result<GpuRecord> gpu_record_from_json(const Json& json, const std::string& file) {
  try {
    GpuRecord record;
    record.rank = json.at("rank").get<int>();
    record.waited = Seconds(json.value("waited_seconds", 0.0));
    for (const auto& [name, member] : kNumbers) {
      if (json.contains(name)) record.*member = json.at(name).get<int>();
    }
    record.held_back = json.value("held_back", std::vector<std::string>());
    return record;
  } catch (const Json::exception& error) {
    return fail(Error{Code::invalid_input, std::string("\"gpus\": ") + error.what(), "", file, 0});
  }
}

}  // namespace topolaunch::bench
