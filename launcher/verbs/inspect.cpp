// SPDX-License-Identifier: Apache-2.0
#include "launcher/verbs/inspect.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "launcher/job_machine.h"
#include "launcher/job_model.h"
#include "launcher/machine.h"
#include "launcher/place_ranks.h"
#include "launcher/visible_gpus.h"
#include "mapping/placement_text.h"
#include "topo/nccl_xml.h"
#include "topo/render.h"
#include "topo/topology_json.h"

namespace topolaunch::launcher {
namespace {

std::string_view severity_name(topo::Warning::Severity severity) {
  switch (severity) {
    case topo::Warning::Severity::error: return "error";
    case topo::Warning::Severity::warning: return "warning";
    case topo::Warning::Severity::note: return "note";
  }
  return "warning";
}

std::vector<topo::Warning> findings_of(const TopologyOptions& options, const Outside& outside) {
  auto topology = look_at(options, outside);
  if (topology) return topology->warnings;
  const Error& error = topology.error();
  topo::Warning finding;
  finding.code = error.code == Code::unavailable ? "could-not-look" : "unreadable";
  finding.severity = topo::Warning::Severity::error;
  finding.file = error.file;
  finding.line = error.line;
  finding.message = error.message + (error.next.empty() ? "" : "; " + error.next);
  return {finding};
}

std::string findings_text(const std::vector<topo::Warning>& findings) {
  std::string out;
  for (const topo::Warning& finding : findings) {
    if (!finding.file.empty()) {
      out += finding.file;
      if (finding.line > 0) out += ":" + std::to_string(finding.line);
      out += ": ";
    }
    out += std::string(severity_name(finding.severity)) + ": " + finding.message + " [" +
           finding.code + "]\n";
  }
  return out;
}

std::string findings_json(const std::vector<topo::Warning>& findings) {
  Json json;
  json["schema"] = "topolaunch.lint/1";
  json["findings"] = Json::array();
  for (const topo::Warning& finding : findings) {
    json["findings"].push_back(Json{{"code", finding.code},
                                    {"severity", severity_name(finding.severity)},
                                    {"file", finding.file},
                                    {"line", finding.line},
                                    {"message", finding.message}});
  }
  return to_pretty(json);
}

}  // namespace

Result<Answer> topo_verb(const TopoOptions& options, const Outside& outside) {
  const auto machine = machine_to_think_of(options.topology, {}, outside);
  if (!machine) return fail(machine.error());
  const topo::Topology* const topology = &machine->topology;
  if (options.format == "json") return Answer{to_pretty(topo::to_json(*topology)), 0};
  if (options.format == "nccl-xml") {
    if (topology->hosts.size() != 1) {
      return fail(Code::wrong_usage,
                  "NCCL's file holds one host, and the topology has " +
                      std::to_string(topology->hosts.size()),
                  "give a topology of one host");
    }
    auto xml = topo::nccl_xml(topology->hosts.front());
    if (!xml) return fail(std::move(xml).error());
    return Answer{std::move(*xml), 0};
  }
  return Answer{topo::render_tree(*topology), 0};
}

Result<Answer> lint_verb(const LintOptions& options, const Outside& outside) {
  std::vector<std::string> files = options.topology.topologies;
  files.insert(files.end(), options.files.begin(), options.files.end());
  std::vector<topo::Warning> findings;
  if (files.empty()) findings = findings_of(options.topology, outside);
  for (const std::string& file : files) {
    TopologyOptions one = options.topology;
    one.topologies = {file};
    for (topo::Warning& finding : findings_of(one, outside)) {
      if (finding.file.empty()) finding.file = file;
      findings.push_back(std::move(finding));
    }
  }
  const bool bad = std::ranges::any_of(findings, [](const topo::Warning& finding) {
    return finding.severity != topo::Warning::Severity::note;
  });
  return Answer{options.json ? findings_json(findings) : findings_text(findings), bad ? 1 : 0};
}

Result<Answer> map_verb(const MapOptions& options, const Outside& outside, const Voice& voice) {
  auto machine = machine_to_think_of(options.topology, options.job.excluded, outside);
  if (!machine) return fail(std::move(machine).error());
  topo::Topology* const topology = &machine->topology;
  const bool over_hosts = !machine->hosts.empty();
  for (const topo::Warning& warning : topology->warnings) {
    if (warning.severity != topo::Warning::Severity::note) voice.say(warning.message);
  }
  // CUDA_VISIBLE_DEVICES is about this machine, not about others or one that is only thought of.
  const bool here = options.topology.topologies.empty() && !over_hosts;
  VisibleGpus visible;
  if (here) {
    visible = visible_gpus(topology->hosts.front(), outside.environment);
    for (const std::string& note : visible.notes) voice.say(note);
    if (visible.devices.empty()) topology->hosts.front().gpus.clear();
  }
  const VisibleGpus* const seen = here ? &visible : nullptr;
  auto model = model_job(options.job,
                         {*topology, seen, 0, over_hosts ? &machine->hosts : nullptr}, outside);
  if (!model) return fail(std::move(model).error());
  if (!model->note.empty()) voice.say(model->note);
  auto solution = place_ranks(*topology, seen, *model);
  if (!solution) return fail(std::move(solution).error());
  if (options.explain && options.format == "table") {
    return Answer{mapping::map_explanation(*topology, model->graph, *solution), 0};
  }
  auto text = mapping::map_text(options.format, *topology, model->graph, *solution);
  if (!text) return fail(std::move(text).error());
  if (!text->ends_with('\n')) *text += '\n';
  return Answer{std::move(*text), 0};
}

}  // namespace topolaunch::launcher
