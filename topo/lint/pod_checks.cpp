// SPDX-License-Identifier: Apache-2.0
#include "topo/lint/pod_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/counted.h"
#include "topo/lint/environment.h"
#include "topo/lint/rank_command.h"
#include "topo/lint/rules.h"
#include "topo/smi/lines.h"

namespace topolaunch::topo {
namespace {

constexpr const char* kGpu = "nvidia.com/gpu";
const std::string kPrefix = "kueue.x-k8s.io/podset-";

/// Kueue's annotations of pod templates (v0.14,
/// site/content/en/docs/concepts/topology_aware_scheduling).
const std::set<std::string> kKnown{"required-topology",
                                   "preferred-topology",
                                   "unconstrained-topology",
                                   "group-name",
                                   "slice-required-topology",
                                   "slice-size",
                                   "slice-required-topology-constraints"};

class Pod {
 public:
  Pod(const PodTemplate& pod, const std::string& file) : pod_(pod), file_(file) {}

  std::vector<Warning> check() {
    annotations();
    for (const auto& container : member(pod_.spec, "containers")) {
      if (*pod_.budget < 0) break;
      check_container(container);
    }
    return std::move(found_);
  }

 private:
  void add(const char* code, int line, std::string message) {
    found_.push_back(finding(code, file_, line, std::move(message)));
  }

  std::string annotation(const std::string& name) const {
    return text_of(member(member(pod_.metadata, "annotations"), (kPrefix + name).c_str()));
  }

  void annotations() {
    const auto all = topology_annotations(pod_.metadata);
    std::vector<std::string> kinds;
    int line = 0;
    for (const auto& [name, at] : all) {
      const auto rest = name.substr(kPrefix.size());
      if (!kKnown.contains(rest)) {
        add("pod-topology-unknown", at, fmt::format("{} is no annotation of Kueue's", name));
      }
      if (rest == "required-topology" || rest == "preferred-topology" ||
          rest == "unconstrained-topology") {
        kinds.push_back(rest);
      }
      line = at;
    }
    if (kinds.size() > 1) {
      add("pod-topology-two", line, fmt::format("both {}", fmt::join(kinds, " and ")));
    }
    const bool topology = !annotation("slice-required-topology").empty() ||
                          !annotation("slice-required-topology-constraints").empty();
    const bool constraints = !annotation("slice-required-topology-constraints").empty();
    const auto size_text = annotation("slice-size");
    const auto size = smi::whole_number(size_text);
    if ((!size_text.empty() && !topology) || (topology && !constraints && size_text.empty())) {
      add("pod-slice-size", line,
          topology ? "a slice's topology without podset-slice-size"
                   : "podset-slice-size without a slice's topology");
    } else if (!size_text.empty() &&
               (!size || *size < 1 || (pod_.pods && *pod_.pods % *size != 0))) {
      add("pod-slice-size", line,
          fmt::format("slices of {} pods don't divide {} pods", size_text, pod_.pods.value_or(0)));
    }
  }

  std::optional<int> gpus_of(const YAML::Node& container) {
    const auto resources = member(container, "resources");
    const auto limit = member(member(resources, "limits"), kGpu);
    const auto request = member(member(resources, "requests"), kGpu);
    for (const auto& said : {limit, request}) {
      if (said && !smi::whole_number(text_of(said))) {
        add("pod-gpu-fraction", line_of(said), fmt::format("{}: {}", kGpu, text_of(said)));
        return {};
      }
    }
    if (request && (!limit || text_of(limit) != text_of(request))) {
      add("pod-gpu-request", line_of(request),
          limit ? fmt::format("{} GPUs are requested and {} are the limit", text_of(request),
                              text_of(limit))
                : fmt::format("{} GPUs are requested, and there is no limit", text_of(request)));
    }
    return number_in(limit ? limit : request);
  }

  void check_container(const YAML::Node& container) {
    if (--*pod_.budget < 0) return;
    const auto gpus = gpus_of(container);
    if (!gpus || *gpus < 1) return;
    std::string command;
    for (const char* part : {"command", "args"}) {
      for (const auto& word : member(container, part)) command += text_of(word) + " ";
    }
    const auto ranks = rank_command(command);
    const auto said = ranks.torchrun ? ranks.ranks_per_host : pod_.ranks_per_pod;
    if (said && *said != *gpus) {
      add("pod-ranks-per-host", line_of(container),
          fmt::format("{} a pod on {}", counted(*said, "rank"), counted(*gpus, "GPU")));
    }
    if (*gpus > 1 && !has_shared_memory(container)) {
      add("pod-shared-memory", line_of(container),
          fmt::format("{} GPUs, and nothing is mounted at /dev/shm", *gpus));
    }
    std::vector<Variable> variables;
    for (const auto& entry : member(container, "env")) {
      if (--*pod_.budget < 0) return;
      variables.push_back(
          {text_of(member(entry, "name")), text_of(member(entry, "value")), line_of(entry)});
    }
    EnvironmentPlace place;
    place.file = file_;
    place.ranks_per_host = said.value_or(*gpus);
    for (auto& warning : check_environment(variables, place)) found_.push_back(std::move(warning));
  }

  static bool has_shared_memory(const YAML::Node& container) {
    for (const auto& mount : member(container, "volumeMounts")) {
      if (text_of(member(mount, "mountPath")) == "/dev/shm") return true;
    }
    return false;
  }

  const PodTemplate& pod_;
  const std::string& file_;
  std::vector<Warning> found_;
};

}  // namespace

std::vector<Warning> check_pods(const PodTemplate& pod, const std::string& file) {
  return Pod(pod, file).check();
}

std::vector<std::pair<std::string, int>> topology_annotations(const YAML::Node& metadata) {
  std::vector<std::pair<std::string, int>> found;
  const auto annotations = member(metadata, "annotations");
  if (!annotations || !annotations.IsMap()) return found;
  for (const auto& entry : annotations) {
    const auto name = text_of(entry.first);
    if (name.starts_with(kPrefix)) found.emplace_back(name, line_of(entry.first));
  }
  return found;
}

YAML::Node member(const YAML::Node& node, const char* name) {
  const YAML::Node none(YAML::NodeType::Undefined);
  return node && node.IsMap() ? node[name] : none;
}

std::string text_of(const YAML::Node& node) { return node && node.IsScalar() ? node.Scalar() : ""; }

std::optional<int> number_in(const YAML::Node& node) { return smi::whole_number(text_of(node)); }

int line_of(const YAML::Node& node) { return node ? node.Mark().line + 1 : 0; }

}  // namespace topolaunch::topo
