// SPDX-License-Identifier: Apache-2.0
#include "topo/topograph.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "topo/cloud_places.h"
#include "topo/json_reading.h"

namespace topolaunch::topo {

bool is_topograph(const Json& json) {
  const Json* list = member(&json, "instances");
  return list != nullptr && list->is_array() &&
         (list->empty() || member(&list->front(), "id") != nullptr);
}

Result<std::vector<Fact>> facts_from_topograph(const Json& json, const GivenText& given) {
  std::vector<Fact> facts;
  CloudPlaces places;
  JsonLines lines(given.text);
  const Json& list = elements_of(member(&json, "instances"));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string id = string_of(member(&list[i], "id"));
    if (id.empty()) {
      return fail(
          Error{Code::invalid_input, fmt::format("instances[{}] has no id", i), {}, given.file, 1});
    }
    const Origin origin{"topograph", given.file, lines.next(id)};
    facts.push_back({origin, id, MentionFact{}});
    places.add(origin, id, strings_of(member(&list[i], "network_layers")));
    const Json* labels = member(&list[i], "labels");
    const std::string domain = string_of(member(labels, "accelerator.topograph.run/domain"));
    if (!domain.empty()) facts.push_back({origin, id, NvlinkDomainFact{domain, 0}});
    add_instance_type(origin, id, string_of(member(labels, "node.kubernetes.io/instance-type")),
                      facts);
  }
  for (auto& fact : places.switches()) facts.push_back(std::move(fact));
  return facts;
}

}  // namespace topolaunch::topo
