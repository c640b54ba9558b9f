// SPDX-License-Identifier: Apache-2.0
#include "topo/lint/manifest.h"

#include <fmt/format.h>

#include <algorithm>

#include "topo/lint/pod_checks.h"
#include "topo/lint/rules.h"
#include "topo/smi/lines.h"
#include "topo/yaml_document.h"

namespace topolaunch::topo {
namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 20;  ///< etcd keeps objects of 1.5 MiB
constexpr int kDeepest = 100;                             ///< levels; of real objects about 15

/// What the mappings around a pod template say of it.
struct Place {
  int depth = 0;             ///< levels below the document
  bool job = false;          ///< the mapping is a Job, or the template of one
  bool queued = false;       ///< an object around it names Kueue's queue
  int replicas = 1;          ///< of all around it, multiplied
  std::optional<int> pods;   ///< of the template, as the mapping right above it says
  std::optional<int> ranks;  ///< nprocPerNode
};

/// {metadata, spec: {containers}}, whatever the member that holds it is called.
bool is_pod_template(const YAML::Node& node) {
  return member(member(node, "spec"), "containers").IsDefined();
}

bool is_object(const YAML::Node& node) {
  return !text_of(member(node, "apiVersion")).empty() && !text_of(member(node, "kind")).empty();
}

class Manifest {
 public:
  explicit Manifest(const std::string& file) : file_(file) {}

  /// One document of the file, with the number of lines before it.
  void check_document(const YamlDocument& document, int lines_before) {
    const std::size_t before = found_.size();
    for (const auto& [key, first, again] : document.repeated) {
      add("manifest-key-repeated", again,
          fmt::format("'{}' stands in one mapping on lines {} and {}", key, first + lines_before,
                      again + lines_before));
    }
    object(document.root, {});
    for (std::size_t i = before; i < found_.size(); ++i) {
      if (found_[i].line > 0) found_[i].line += lines_before;
    }
  }

  bool too_big() const { return budget_ < 0 || nodes_ < 0; }
  std::vector<Warning> take() { return std::move(found_); }

 private:
  void add(const char* code, int line, std::string message) {
    found_.push_back(finding(code, file_, line, std::move(message)));
  }

  /// An object with a kind of its own: the document, an item of a List, what an AppWrapper wraps.
  void object(const YAML::Node& node, const Place& around) {
    if (is_pod_template(node)) return template_of(node, {});
    const auto kind = text_of(member(node, "kind"));
    const auto metadata = member(node, "metadata");
    misplaced(metadata);
    // Of a CronJob the jobs are queued, not it.
    const auto queued = kind == "CronJob"
                            ? member(member(member(node, "spec"), "jobTemplate"), "metadata")
                            : metadata;
    Place place;
    place.depth = around.depth;
    place.job = kind == "Job";
    place.queued = around.queued ||
                   !text_of(member(member(queued, "labels"), "kueue.x-k8s.io/queue-name")).empty();
    const std::size_t before = topologies_;
    members(node, place);
    if (topologies_ > before && !place.queued) {
      add("pod-no-queue", line_of(metadata),
          fmt::format("{} {} asks Kueue for a topology and names no queue", kind,
                      text_of(member(metadata, "name"))));
    }
    topologies_ = before;  // the objects around this one have nothing to add
  }

  void members(const YAML::Node& node, const Place& place) {
    for (const auto& entry : node) {
      if (text_of(entry.first) != "metadata") below(entry.second, place);
    }
  }

  /// Looks for pod templates wherever they are nested: in Jobs of a CronJob or a JobSet, in roles
  /// of a PyTorchJob, in kinds that nobody here has heard of. Aliases may lead in circles or
  /// multiply.
  void below(const YAML::Node& node, Place place) {
    if (!node || ++place.depth > kDeepest || --nodes_ < 0) return;
    if (node.IsSequence()) {
      for (const auto& entry : node) below(entry, place);
    }
    if (!node.IsMap()) return;
    if (is_object(node)) return object(node, place);
    if (is_pod_template(node)) return template_of(node, place);
    misplaced(member(node, "metadata"));
    place.job = place.job || is_pod_template(member(member(node, "spec"), "template"));
    counts(node, place);
    members(node, place);
  }

  /// What a mapping says of how many pods and ranks there are of the templates in it.
  void counts(const YAML::Node& node, Place& place) {
    if (const auto ranks = number_in(member(node, "nprocPerNode"))) place.ranks = ranks;
    place.pods = number_in(member(node, "replicas"));
    place.replicas = product(place.replicas, place.pods.value_or(1));
    if (!place.job || !is_pod_template(member(node, "template"))) return;
    const auto parallelism = number_in(member(node, "parallelism"));
    const auto completions = number_in(member(node, "completions"));
    place.pods = product(place.replicas, parallelism.value_or(1));
    if (text_of(member(node, "completionMode")) == "Indexed" && parallelism && completions &&
        *parallelism < *completions) {
      add("job-index-count", line_of(member(node, "completions")),
          fmt::format("{} completions, {} pods at once", *completions, *parallelism));
    }
  }

  static int product(int a, int b) {
    return static_cast<int>(std::min(static_cast<long>(a) * b, 1000000L));
  }

  /// Topology annotations on the job itself do nothing.
  void misplaced(const YAML::Node& metadata) {
    for (const auto& [name, line] : topology_annotations(metadata)) {
      add("pod-topology-place", line,
          fmt::format("{} stands on the job, not on its pod template", name));
    }
  }

  void template_of(const YAML::Node& node, const Place& place) {
    if (--budget_ < 0) return;
    const PodTemplate pod{member(node, "metadata"), member(node, "spec"), place.pods, place.ranks,
                          &budget_};
    topologies_ += topology_annotations(pod.metadata).size();
    for (auto& warning : check_pods(pod, file_)) found_.push_back(std::move(warning));
  }

  const std::string& file_;
  int budget_ = 20000;          ///< containers and variables
  int nodes_ = 500000;          ///< of YAML, looked through
  std::size_t topologies_ = 0;  ///< annotations seen on pod templates
  std::vector<Warning> found_;
};

}  // namespace

bool looks_like_manifest(const std::string& text) {
  bool version = false, kind = false;
  for (const auto& line : smi::lines_of(std::string_view(text).substr(0, std::size_t{1} << 16))) {
    const auto words = smi::trimmed(line.text);
    version = version || words.starts_with("apiVersion:") ||
              words.find("\"apiVersion\"") != std::string_view::npos;
    kind = kind || words.starts_with("kind:") || words.find("\"kind\"") != std::string_view::npos;
  }
  return version && kind;
}

Result<std::vector<Warning>> check_manifest(const std::string& text, const std::string& file) {
  if (text.size() > kMostBytes) {
    return fail(Error{Code::invalid_input, "a manifest of more than 4 MiB", {}, file, 0});
  }
  // yaml-cpp throws; it stops at 500 levels by itself.
  int lines_before = 0;
  try {
    Manifest manifest(file);
    for (const YamlPart& document : yaml_documents(text)) {
      lines_before = document.lines_before;
      manifest.check_document(load_yaml(document.text), lines_before);
    }
    if (manifest.too_big()) {
      return fail(Error{Code::invalid_input,
                        "more than 20,000 containers and variables, or 500,000 values",
                        {},
                        file,
                        0});
    }
    return manifest.take();
  } catch (const YAML::Exception& error) {
    const int line = error.mark.is_null() ? 0 : lines_before + error.mark.line + 1;
    return fail(Error{Code::invalid_input, "not YAML: " + error.msg, {}, file, line});
  }
}

}  // namespace topolaunch::topo
