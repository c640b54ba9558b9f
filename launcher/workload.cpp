// SPDX-License-Identifier: Apache-2.0
#include "launcher/workload.h"

#include <array>
#include <filesystem>
#include <system_error>

namespace topolaunch::launcher {
namespace {

struct Part {
  const char* name;
  std::string JobOptions::*value;
  bool is_file;
};
constexpr std::array<Part, 6> kParts{{{"parallel", &JobOptions::parallel, false},
                                      {"order", &JobOptions::order, false},
                                      {"bytes", &JobOptions::bytes, false},
                                      {"pattern", &JobOptions::pattern, false},
                                      {"traffic", &JobOptions::traffic, true},
                                      {"model", &JobOptions::model, true}}};

}  // namespace

Workload workload_of(const JobOptions& job) {
  Workload out;
  const JobOptions unsaid;
  for (const Part& part : kParts) {
    const std::string& value = job.*part.value;
    if (value == unsaid.*part.value) continue;
    std::error_code error;
    const auto whole = std::filesystem::absolute(value, error);
    out[part.name] = part.is_file && !error ? whole.string() : value;
  }
  return out;
}

JobOptions with_workload(JobOptions job, const Workload& kept) {
  if (!workload_of(job).empty()) return job;
  for (const Part& part : kParts) {
    if (const auto at = kept.find(part.name); at != kept.end()) job.*part.value = at->second;
  }
  return job;
}

}  // namespace topolaunch::launcher
