// SPDX-License-Identifier: Apache-2.0
#include "topo/kubernetes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "topo/cloud_places.h"
#include "topo/instance_types.h"
#include "topo/json_reading.h"

namespace topolaunch::topo {
namespace {

using Severity = Warning::Severity;

/// Labels of one family that name the boxes above a node, the leaf first.
using Family = std::vector<const char*>;
const std::vector<Family>& families() {
  static const std::vector<Family> kTable{
      // topograph v1 has any number of tiers; v0 had names for three.
      {"fabric.topograph.run/tier-0", "fabric.topograph.run/tier-1", "fabric.topograph.run/tier-2",
       "fabric.topograph.run/tier-3", "fabric.topograph.run/tier-4"},
      {"network.topology.nvidia.com/leaf", "network.topology.nvidia.com/spine",
       "network.topology.nvidia.com/core"},
      {"topology.k8s.aws/network-node-layer-4", "topology.k8s.aws/network-node-layer-3",
       "topology.k8s.aws/network-node-layer-2", "topology.k8s.aws/network-node-layer-1"},
      {"cloud.google.com/gce-topology-subblock", "cloud.google.com/gce-topology-block"},
      {"oci.oraclecloud.com/rdma.local_block_id", "oci.oraclecloud.com/rdma.network_block_id",
       "oci.oraclecloud.com/rdma.hpc_island_id"},
      {"oci.oraclecloud.com/host.rack_id", "oci.oraclecloud.com/host.network_block_id"},
  };
  return kTable;
}

/// Labels that name the NVLink domain, the most exact first: the driver's own partition,
/// topograph's view of it, the UltraServer that it is in.
constexpr std::array<const char*, 5> kDomains{
    "nvidia.com/gpu.clique", "accelerator.topograph.run/domain", "topology.k8s.aws/ultraserver-id",
    "topology.k8s.aws/capacity-block-id", "network.topology.nvidia.com/accelerator"};

/// "UUID.32766" -> cluster and clique; other names are clusters of their own.
NvlinkDomainFact domain_of(const std::string& text) {
  NvlinkDomainFact domain{text, 0};
  const auto dot = text.rfind('.');
  if (dot == std::string::npos || dot == 0) return domain;
  int clique = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + dot + 1, end, clique);
  if (error == std::errc{} && rest == end && clique >= 0) domain = {text.substr(0, dot), clique};
  return domain;
}

class Reader {
 public:
  explicit Reader(const GivenText& given) : given_(given), lines_(given.text) {}

  Result<std::vector<Fact>> read(const Json& json) {
    const Json* items = member(&json, "items");
    if (items == nullptr) {
      if (!node(json)) return fail(nameless("the node"));
    } else {
      for (std::size_t i = 0; i < elements_of(items).size(); ++i) {
        const Json& entry = (*items)[i];
        const std::string kind = string_of(member(&entry, "kind"));
        if (!kind.empty() && kind != "Node") {
          return fail(Error{Code::invalid_input,
                            fmt::format("items[{}] is a {}, not a Node", i, kind),
                            "kubectl get nodes -o json", given_.file, 1});
        }
        if (!node(entry)) return fail(nameless(fmt::format("items[{}]", i)));
      }
    }
    for (auto& fact : places_.switches()) facts_.push_back(std::move(fact));
    const Json* metadata = member(&json, "metadata");
    if (items != nullptr && !string_of(member(metadata, "continue")).empty()) {
      say({"kubernetes", given_.file, 0}, {}, "nodes-more-pages", Severity::warning,
          "the list of nodes is a page; more nodes follow");
    }
    return std::move(facts_);
  }

 private:
  Error nameless(const std::string& what) const {
    return Error{Code::invalid_input, what + " has no metadata.name", {}, given_.file, 1};
  }
  void say(const Origin& origin, const std::string& host, std::string code, Severity severity,
           std::string message) {
    facts_.push_back(
        {origin, host,
         WarningFact{{std::move(code), severity, origin.file, origin.line, std::move(message)}}});
  }

  bool node(const Json& entry) {
    const Json* metadata = member(&entry, "metadata");
    const std::string name = string_of(member(metadata, "name"));
    if (name.empty()) return false;
    const Origin origin{"kubernetes", given_.file, lines_.next(name)};
    const Json* labels = member(metadata, "labels");
    facts_.push_back({origin, name, MentionFact{}});
    places_.add(origin, name, chain_of(labels));
    for (const char* label : kDomains) {
      const std::string said = string_of(member(labels, label));
      if (said.empty()) continue;
      facts_.push_back({origin, name, domain_of(said)});
      break;
    }
    gpus(origin, name, entry, labels);
    health(origin, name, entry, labels);
    return true;
  }

  static std::vector<std::string> chain_of(const Json* labels) {
    for (const auto& family : families()) {
      std::vector<std::string> chain;
      for (const char* label : family) {
        auto box = string_of(member(labels, label));
        if (!box.empty()) chain.push_back(std::move(box));
      }
      if (!chain.empty()) return chain;
    }
    return {};
  }

  void gpus(const Origin& origin, const std::string& name, const Json& entry, const Json* labels) {
    const Json* status = member(&entry, "status");
    const int usable = integer_of(member(member(status, "allocatable"), "nvidia.com/gpu"), -1);
    const int present = integer_of(member(member(status, "capacity"), "nvidia.com/gpu"), usable);
    const int labelled = integer_of(member(labels, "nvidia.com/gpu.count"), -1);
    const auto* type = instance_type(string_of(member(labels, "node.kubernetes.io/instance-type")));
    const int expected = std::max({present, labelled, type == nullptr ? -1 : type->gpus});
    const int count = usable >= 0 ? usable : std::max(labelled, type == nullptr ? 0 : type->gpus);
    if (usable >= 0 && usable < expected) {
      say(origin, name, "gpus-not-allocatable", Severity::warning,
          fmt::format("{} offers {} of its {} GPUs", name, usable, expected));
    }
    if (count <= 0) return;
    std::string model = string_of(member(labels, "nvidia.com/gpu.product"));
    if (model.empty()) model = string_of(member(labels, "cloud.google.com/gke-accelerator"));
    if (model.empty() && type != nullptr) model = type->model;
    facts_.push_back({origin, name, GpuCountFact{count, model}});
  }

  /// Nodes that are gone, or are to be replaced, still carry their labels: stale by then.
  void health(const Origin& origin, const std::string& name, const Json& entry,
              const Json* labels) {
    for (const auto& condition : elements_of(member(member(&entry, "status"), "conditions"))) {
      if (string_of(member(&condition, "type")) != "Ready") continue;
      const std::string ready = string_of(member(&condition, "status"));
      if (ready == "True") continue;
      say(origin, name, "node-not-ready", Severity::warning,
          fmt::format("{} is not ready ({}); what its labels say may be stale", name, ready));
    }
    const std::string health =
        string_of(member(labels, "sagemaker.amazonaws.com/node-health-status"));
    const Json* cordoned = member(member(&entry, "spec"), "unschedulable");
    const bool closed = cordoned != nullptr && cordoned->is_boolean() && cordoned->get<bool>();
    if (closed || (!health.empty() && health != "Schedulable")) {
      say(origin, name, "node-unschedulable", Severity::warning,
          fmt::format("{} takes no new work ({})", name, closed ? "cordoned" : health));
    }
  }

  const GivenText& given_;
  JsonLines lines_;
  std::vector<Fact> facts_;
  CloudPlaces places_;
};

}  // namespace

bool is_kubernetes(const Json& json) {
  const std::string kind = string_of(member(&json, "kind"));
  return kind == "Node" ||
         ((kind == "List" || kind == "NodeList") && member(&json, "items") != nullptr);
}

Result<std::vector<Fact>> facts_from_kubernetes(const Json& json, const GivenText& given) {
  return Reader(given).read(json);
}

}  // namespace topolaunch::topo
