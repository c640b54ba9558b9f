// SPDX-License-Identifier: Apache-2.0
#include "topo/lint/manifest.h"

#include <fmt/format.h>

#include <algorithm>

#include "topo/lint/pod_checks.h"
#include "topo/lint/rules.h"
#include "topo/smi/lines.h"

namespace topolaunch::topo {
namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 20;  ///< etcd keeps objects of 1.5 MiB

class Manifest {
 public:
  explicit Manifest(const std::string& file) : file_(file) {}

  /// One document of the file, with the number of lines before it.
  void check_document(const YAML::Node& object, int lines_before) {
    const std::size_t before = found_.size();
    check(object);
    for (std::size_t i = before; i < found_.size(); ++i) {
      if (found_[i].line > 0) found_[i].line += lines_before;
    }
  }

  bool too_big() const { return budget_ < 0; }
  std::vector<Warning> take() { return std::move(found_); }

 private:
  void check(const YAML::Node& object) {
    const auto kind = text_of(member(object, "kind"));
    const auto metadata = member(object, "metadata");
    const auto spec = member(object, "spec");
    if (kind == "List") {
      for (const auto& item : member(object, "items")) check(item);
      return;
    }
    const std::size_t before = topologies_;
    if (kind == "Pod") {
      template_of(object, {}, {});
      return;
    }
    misplaced(metadata);
    if (kind == "JobSet") {
      for (const auto& jobs : member(spec, "replicatedJobs")) {
        if (budget_ < 0) break;
        const auto job = member(jobs, "template");
        misplaced(member(job, "metadata"));
        job_spec(member(job, "spec"), number_in(member(jobs, "replicas")).value_or(1));
      }
    } else if (kind == "Job") {
      job_spec(spec, 1);
    } else if (spec && spec.IsMap()) {
      replica_specs(spec);
      if (member(spec, "template"))
        template_of(member(spec, "template"), number_in(member(spec, "replicas")), {});
    }
    if (topologies_ > before &&
        text_of(member(member(metadata, "labels"), "kueue.x-k8s.io/queue-name")).empty()) {
      add("pod-no-queue", line_of(metadata),
          fmt::format("{} {} asks Kueue for a topology and names no queue", kind,
                      text_of(member(metadata, "name"))));
    }
  }

  void add(const char* code, int line, std::string message) {
    found_.push_back(finding(code, file_, line, std::move(message)));
  }

  /// Topology annotations on the job itself do nothing.
  void misplaced(const YAML::Node& metadata) {
    for (const auto& [name, line] : topology_annotations(metadata)) {
      add("pod-topology-place", line,
          fmt::format("{} stands on the job, not on its pod template", name));
    }
  }

  void job_spec(const YAML::Node& spec, int replicas) {
    const auto parallelism = number_in(member(spec, "parallelism"));
    const auto completions = number_in(member(spec, "completions"));
    if (text_of(member(spec, "completionMode")) == "Indexed" && parallelism && completions &&
        *parallelism < *completions) {
      add("job-index-count", line_of(member(spec, "completions")),
          fmt::format("{} completions, {} pods at once", *completions, *parallelism));
    }
    const long pods = static_cast<long>(parallelism.value_or(1)) * replicas;
    template_of(member(spec, "template"), static_cast<int>(std::min(pods, 1000000L)), {});
  }

  /// "pytorchReplicaSpecs", "mpiReplicaSpecs", ...: each role has replicas of a template.
  void replica_specs(const YAML::Node& spec) {
    const auto ranks = number_in(member(spec, "nprocPerNode"));
    for (const auto& entry : spec) {
      if (!text_of(entry.first).ends_with("ReplicaSpecs") || !entry.second.IsMap()) continue;
      for (const auto& role : entry.second) {
        template_of(member(role.second, "template"), number_in(member(role.second, "replicas")),
                    ranks);
      }
    }
  }

  void template_of(const YAML::Node& node, std::optional<int> pods, std::optional<int> ranks) {
    if (--budget_ < 0) return;
    const PodTemplate pod{member(node, "metadata"), member(node, "spec"), pods, ranks, &budget_};
    topologies_ += topology_annotations(pod.metadata).size();
    for (auto& warning : check_pods(pod, file_)) found_.push_back(std::move(warning));
  }

  const std::string& file_;
  int budget_ = 20000;
  std::size_t topologies_ = 0;  ///< annotations seen on pod templates
  std::vector<Warning> found_;
};

struct Document {
  std::string text;
  int lines_before = 0;
};

/// The documents of a file. Not by YAML::LoadAll, which on some texts (a comma at the start of a line)
/// finds the same empty document for ever. A line that begins with "---" ends one wherever it stands,
/// also within a block of text.
std::vector<Document> documents_of(const std::string& text) {
  std::vector<Document> out(1);
  for (const auto& line : smi::lines_of(text)) {
    if (line.text.starts_with("---")) {
      out.push_back({{}, line.number - 1});
    }
    out.back().text.append(line.text).push_back('\n');
  }
  return out;
}

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
    for (const Document& document : documents_of(text)) {
      lines_before = document.lines_before;
      manifest.check_document(YAML::Load(document.text), lines_before);
    }
    if (manifest.too_big()) {
      return fail(
          Error{Code::invalid_input, "more than 20,000 containers and variables", {}, file, 0});
    }
    return manifest.take();
  } catch (const YAML::Exception& error) {
    const int line = error.mark.is_null() ? 0 : lines_before + error.mark.line + 1;
    return fail(Error{Code::invalid_input, "not YAML: " + error.msg, {}, file, line});
  }
}

}  // namespace topolaunch::topo
