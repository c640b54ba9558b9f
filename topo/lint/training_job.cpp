// SPDX-License-Identifier: Apache-2.0
#include "topo/lint/training_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "base/counted.h"
#include "base/json.h"
#include "topo/instance_types.h"
#include "topo/lint/environment.h"
#include "topo/lint/rules.h"
#include "topo/smi/lines.h"

namespace topolaunch::topo {
namespace {

/// Members of the API's shapes (AWS SDK for SageMaker, 2026).
const std::set<std::string, std::less<>> kResource{"InstanceType",
                                                   "InstanceCount",
                                                   "VolumeSizeInGB",
                                                   "VolumeKmsKeyId",
                                                   "KeepAlivePeriodInSeconds",
                                                   "InstanceGroups",
                                                   "TrainingPlanArn",
                                                   "InstancePlacementConfig"};
const std::set<std::string, std::less<>> kGroup{"InstanceType", "InstanceCount",
                                                "InstanceGroupName"};
const std::set<std::string, std::less<>> kPlacement{"EnableMultipleJobs",
                                                    "PlacementSpecifications"};
const std::set<std::string, std::less<>> kSpecification{"UltraServerId", "InstanceCount"};

class Request {
 public:
  Request(const Json& json, const std::string& text, const std::string& file)
      : json_(json), text_(text), file_(file) {}

  std::vector<Warning> check() {
    const auto at = json_.find("ResourceConfig");
    if (at == json_.end() || !at->is_object()) {
      add("job-member-missing", 1, "there is no ResourceConfig");
      return std::move(found_);
    }
    members(*at, kResource, "ResourceConfig");
    counts(*at);
    ranks(*at);
    environment();
    return std::move(found_);
  }

 private:
  void add(const char* code, int line, std::string message) {
    found_.push_back(finding(code, file_, line, std::move(message)));
  }

  /// Line of a member's first mention. (A JSON value doesn't know where it stood.)
  int line_of(std::string_view member) const {
    const auto at = text_.find(fmt::format("\"{}\"", member));
    if (at == std::string::npos) return 0;
    return 1 + static_cast<int>(std::count(text_.begin(),
                                           text_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  }

  void members(const Json& object, const std::set<std::string, std::less<>>& known,
               std::string_view where) {
    if (!object.is_object()) return;
    for (const auto& [name, value] : object.items()) {
      if (known.contains(name)) continue;
      add("job-unknown-member", line_of(name),
          fmt::format("{} has no member {}; it has {}", where, name, fmt::join(known, ", ")));
    }
  }

  static std::optional<long> count_in(const Json& object) {
    const auto at = object.find("InstanceCount");
    if (at == object.end() || !at->is_number_integer()) return {};
    return at->get<long>();
  }

  void positive(const Json& object, std::string_view where) {
    const auto count = count_in(object);
    if (!count) {
      add("job-member-missing", line_of("ResourceConfig"),
          fmt::format("{} has no InstanceCount", where));
    } else if (*count < 1) {
      add("job-count-wrong", line_of("InstanceCount"),
          fmt::format("{} asks for {}", where, counted(*count, "instance")));
    }
    if (!object.contains("InstanceType")) {
      add("job-member-missing", line_of("ResourceConfig"),
          fmt::format("{} has no InstanceType", where));
    }
  }

  void counts(const Json& resource) {
    const auto groups = resource.find("InstanceGroups");
    if (groups != resource.end() && groups->is_array()) {
      if (resource.contains("InstanceType") || resource.contains("InstanceCount")) {
        add("job-groups-and-type", line_of("InstanceGroups"),
            "InstanceGroups beside InstanceType or InstanceCount");
      }
      std::set<std::string> names;
      for (const auto& group : *groups) {
        if (!group.is_object()) continue;
        members(group, kGroup, "InstanceGroup");
        positive(group, "an instance group");
        const auto said = group.find("InstanceGroupName");
        const auto name = said != group.end() && said->is_string() ? said->get<std::string>() : "";
        if (!names.insert(name).second) {
          add("job-count-wrong", line_of("InstanceGroups"),
              fmt::format("two instance groups are called '{}'", name));
        }
      }
      return;
    }
    positive(resource, "ResourceConfig");
    placement(resource);
  }

  void placement(const Json& resource) {
    const auto config = resource.find("InstancePlacementConfig");
    if (config == resource.end() || !config->is_object()) return;
    members(*config, kPlacement, "InstancePlacementConfig");
    const auto all = config->find("PlacementSpecifications");
    if (all == config->end() || !all->is_array()) return;
    long sum = 0;
    for (const auto& one : *all) {
      if (!one.is_object()) continue;
      members(one, kSpecification, "PlacementSpecification");
      sum += std::clamp(count_in(one).value_or(0), 0L, 1'000'000L);
    }
    if (const auto count = count_in(resource); count && *count != sum) {
      add("job-count-wrong", line_of("PlacementSpecifications"),
          fmt::format("{}, but the placement holds {}", counted(*count, "instance"), sum));
    }
  }

  /// sagemaker_mpi_num_of_processes_per_host of the hyperparameters, against the instance type.
  void ranks(const Json& resource) {
    const auto parameters = json_.find("HyperParameters");
    const auto type = resource.find("InstanceType");
    if (parameters == json_.end() || !parameters->is_object() || type == resource.end() ||
        !type->is_string())
      return;
    constexpr std::string_view name = "sagemaker_mpi_num_of_processes_per_host";
    const auto at = parameters->find(std::string(name));
    const InstanceType* known = instance_type(type->get<std::string>());
    if (at == parameters->end() || !at->is_string() || known == nullptr) return;
    const auto ranks = smi::whole_number(at->get<std::string>());
    if (ranks && *ranks != known->gpus) {
      add("job-ranks-per-host", line_of(name),
          fmt::format("{} a host, {} has {}", counted(*ranks, "rank"), type->get<std::string>(),
                      counted(known->gpus, "GPU")));
    }
  }

  void environment() {
    const auto variables = json_.find("Environment");
    if (variables == json_.end() || !variables->is_object()) return;
    std::vector<Variable> all;
    for (const auto& [name, value] : variables->items()) {
      if (value.is_string()) all.push_back({name, value.get<std::string>(), line_of(name)});
    }
    EnvironmentPlace place;
    place.file = file_;
    for (auto& warning : check_environment(all, place)) found_.push_back(std::move(warning));
  }

  const Json& json_;
  const std::string& text_;
  const std::string& file_;
  std::vector<Warning> found_;
};

}  // namespace

bool looks_like_training_job(const std::string& text) {
  return text.find("\"ResourceConfig\"") != std::string::npos ||
         text.find("\"TrainingJobName\"") != std::string::npos;
}

Result<std::vector<Warning>> check_training_job(const std::string& text, const std::string& file) {
  const auto json = parse_json(text, file);
  if (!json) return tl::unexpected(json.error());
  if (!json->is_object()) {
    return fail(
        Error{Code::invalid_input, "a training job's request is a JSON object", {}, file, 1});
  }
  return Request(*json, text, file).check();
}

}  // namespace topolaunch::topo
