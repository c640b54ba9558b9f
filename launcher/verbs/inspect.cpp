// SPDX-License-Identifier: Apache-2.0
#include "launcher/verbs/inspect.h"

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
