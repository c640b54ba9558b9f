// SPDX-License-Identifier: Apache-2.0
#include "topo/json_format.h"

#include <fmt/format.h>

#include <cctype>
#include <nlohmann/json.hpp>

#include "topo/assemble.h"
#include "topo/ec2.h"
#include "topo/kubernetes.h"
#include "topo/probe_file.h"
#include "topo/sagemaker.h"
#include "topo/topograph.h"
#include "topo/topology_json.h"

namespace topolaunch::topo {
namespace {

bool has(const Json& json, const char* key) { return json.is_object() && json.contains(key); }

Result<std::vector<Fact>> read_own(const Json& json, const GivenText& given) {
  auto topology = topology_from_json(json, given.file);
  if (!topology) return tl::unexpected(std::move(topology.error()));
  return facts_of(*topology, Origin{"topolaunch-json", given.file, 0});
}

}  // namespace

const std::vector<JsonFormat>& json_formats() {
  static const std::vector<JsonFormat> table{
      {"a probe of the network (topolaunch topo --probe)", is_probe, facts_from_probe},
      {"topolaunch's own (topolaunch topo --format json)",
       [](const Json& json) { return has(json, "schema"); }, read_own},
      {"EC2 (aws ec2 describe-instance-topology, describe-instances)", is_ec2, facts_from_ec2},
      {"Kubernetes nodes (kubectl get nodes -o json)", is_kubernetes, facts_from_kubernetes},
      {"topograph's graph", is_topograph, facts_from_topograph},
      {"SageMaker's resourceconfig.json", is_resource_config, facts_from_resource_config},
      {"HyperPod's resource_config.json", is_hyperpod_config, facts_from_hyperpod_config},
  };
  return table;
}

bool looks_like_json_list(std::string_view body) {
  body.remove_prefix(body.starts_with('[') ? 1 : 0);
  while (!body.empty() && std::isspace(static_cast<unsigned char>(body.front()))) {
    body.remove_prefix(1);
  }
  return body.starts_with('{') || body.starts_with(']');
}

Result<std::vector<Fact>> facts_from_json(const GivenText& given) {
  const auto json = parse_json(given.text, given.file);
  return json ? facts_from_json(*json, given) : tl::unexpected(json.error());
}

Result<std::vector<Fact>> facts_from_json(const Json& json, const GivenText& given) {
  std::string known;
  for (const auto& format : json_formats()) {
    if (format.fits(json)) return format.read(json, given);
    known += fmt::format("{}{}", known.empty() ? "" : "; ", format.name);
  }
  std::string members;
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) {
      if (members.size() > 60) break;
      members += fmt::format("{}\"{}\"", members.empty() ? "" : ", ", key.substr(0, 30));
    }
  }
  return fail(Error{Code::invalid_input,
                    members.empty()
                        ? std::string("the JSON is of no kind that topolaunch knows, it has no "
                                      "\"schema\"")
                        : fmt::format("the JSON with {} has no \"schema\" and is of no other kind "
                                      "that topolaunch knows",
                                      members),
                    "topolaunch reads as JSON: " + known, given.file, 1});
}

}  // namespace topolaunch::topo
