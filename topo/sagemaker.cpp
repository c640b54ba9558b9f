// SPDX-License-Identifier: Apache-2.0
#include "topo/sagemaker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "topo/cloud_places.h"
#include "topo/json_reading.h"

namespace topolaunch::topo {

bool is_resource_config(const Json& json) {
  const Json* hosts = member(&json, "hosts");
  return hosts != nullptr && hosts->is_array() && member(&json, "current_host") != nullptr;
}

bool is_hyperpod_config(const Json& json) {
  return member(&json, "ClusterConfig") != nullptr && member(&json, "InstanceGroups") != nullptr;
}

Result<std::vector<Fact>> facts_from_resource_config(const Json& json, const GivenText& given) {
  std::vector<std::string> hosts = strings_of(member(&json, "hosts"));
  if (hosts.empty()) {
    return fail(Error{Code::invalid_input, "the resource config has no hosts", {}, given.file, 1});
  }
  std::sort(hosts.begin(), hosts.end(), [](const std::string& a, const std::string& b) {
    return ::strverscmp(a.c_str(), b.c_str()) < 0;
  });
  std::map<std::string, std::string> types, units;
  const std::string own_type = string_of(member(&json, "current_instance_type"));
  for (const auto& group : elements_of(member(&json, "instance_groups"))) {
    const std::string type = string_of(member(&group, "instance_type"));
    for (const auto& host : strings_of(member(&group, "hosts"))) types.emplace(host, type);
  }
  for (const auto& entry : elements_of(member(&json, "topology"))) {
    units.emplace(string_of(member(&entry, "hostName")),
                  string_of(member(&entry, "capacityUnitId")));
  }
  std::vector<Fact> facts;
  const std::string current = string_of(member(&json, "current_host"));
  const int line = JsonLines(given.text).next(current);
  if (std::find(hosts.begin(), hosts.end(), current) == hosts.end()) {
    return fail(Error{Code::invalid_input,
                      fmt::format("the current host '{}' is not among the hosts", current),
                      {},
                      given.file,
                      std::max(1, line)});
  }
  const Origin origin{"sagemaker", given.file, line};
  for (const auto& host : hosts) {
    facts.push_back({origin, host, MentionFact{}});
    const auto type = types.find(host);
    add_instance_type(origin, host, type != types.end() ? type->second : own_type, facts);
    const auto unit = units.find(host);
    if (unit != units.end() && !unit->second.empty()) {
      facts.push_back({origin, host, NvlinkDomainFact{unit->second, 0}});
    }
  }
  return facts;
}

Result<std::vector<Fact>> facts_from_hyperpod_config(const Json& json, const GivenText& given) {
  std::vector<Fact> facts;
  JsonLines lines(given.text);
  for (const auto& group : elements_of(member(&json, "InstanceGroups"))) {
    const std::string type = string_of(member(&group, "InstanceType"));
    for (const auto& instance : elements_of(member(&group, "Instances"))) {
      std::string id = string_of(member(&instance, "InstanceId"));
      std::string address = string_of(member(&instance, "CustomerIpAddress"));
      const std::string name = string_of(member(&instance, "InstanceName"));
      if (id.empty()) id = name;
      if (id.empty()) {
        return fail(Error{Code::invalid_input,
                          "an instance has neither InstanceId nor InstanceName",
                          {},
                          given.file,
                          1});
      }
      const Origin origin{"sagemaker", given.file, lines.next(id)};
      facts.push_back({origin, id, MentionFact{}});
      add_instance_type(origin, id, type, facts);
      // Hosts of a cluster call themselves by their address: ip-10-1-1-21.
      if (!address.empty()) {
        std::replace(address.begin(), address.end(), '.', '-');
        facts.push_back({origin, id, HostNameFact{"ip-" + address}});
      }
    }
  }
  if (facts.empty()) {
    return fail(
        Error{Code::invalid_input, "the cluster config has no instances", {}, given.file, 1});
  }
  return facts;
}

}  // namespace topolaunch::topo
