// SPDX-License-Identifier: Apache-2.0
#include "topo/lint/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/json.h"
#include "topo/lint/rules.h"
#include "topo/smi/lines.h"

namespace topolaunch::topo {
namespace {

const Json* member(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto at = object.find(name);
  return at == object.end() ? nullptr : &*at;
}

std::string text(const Json* value) {
  return value != nullptr && value->is_string() ? value->get<std::string>() : "";
}

void check_node(const Json& node, const std::string& file, const Topology& real, bool only,
                std::vector<Warning>& found) {
  const auto* metadata = member(node, "metadata");
  if (metadata == nullptr) return;
  const std::string name = text(member(*metadata, "name"));
  const auto host = std::find_if(real.hosts.begin(), real.hosts.end(), [&](const Host& h) {
    return (only && real.hosts.size() == 1) || h.name == name;
  });
  const auto* labels = member(*metadata, "labels");
  if (host == real.hosts.end() || labels == nullptr) return;
  const auto gpus = host->gpus.size();
  if (const auto count = smi::whole_number(text(member(*labels, "nvidia.com/gpu.count")));
      count && static_cast<std::size_t>(*count) != gpus) {
    found.push_back(finding("label-gpu-count", file, 0,
                            fmt::format("{}: nvidia.com/gpu.count is {}, {} has {}", name, *count,
                                        host->name, counted(gpus, "GPU"))));
  }
  const std::string clique = text(member(*labels, "nvidia.com/gpu.clique"));
  if (clique.empty() || host->gpus.empty() || host->gpus[0].fabric_pending) return;
  const auto& gpu = host->gpus[0];
  const std::string own = gpu.fabric_cluster.empty()
                              ? "none"
                              : fmt::format("{}.{}", gpu.fabric_cluster, gpu.fabric_clique);
  if (clique != own) {
    found.push_back(finding(
        "label-clique", file, 0,
        fmt::format("{}: nvidia.com/gpu.clique is {}, the driver says {}", name, clique, own)));
  }
}

}  // namespace

bool looks_like_labels(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{' &&
         text.find("\"apiVersion\"") != std::string::npos &&
         text.find("\"Node\"") != std::string::npos;
}

Result<std::vector<Warning>> check_labels(const std::string& content, const std::string& file,
                                          const Topology* real) {
  const auto json = parse_json(content, file);
  if (!json) return tl::unexpected(json.error());
  std::vector<Warning> found;
  if (real == nullptr) return found;
  const auto* items = member(*json, "items");
  if (items == nullptr || !items->is_array()) {
    check_node(*json, file, *real, true, found);
    return found;
  }
  for (const auto& node : *items) check_node(node, file, *real, items->size() == 1, found);
  return found;
}

}  // namespace topolaunch::topo
