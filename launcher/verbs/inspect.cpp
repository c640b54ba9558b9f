// SPDX-License-Identifier: Apache-2.0
#include "launcher/verbs/inspect.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "launcher/job_machine.h"
#include "launcher/machine.h"
#include "launcher/rank_groups.h"
#include "launcher/saved_run.h"
#include "launcher/verbs/drawn.h"
#include "topo/nccl_xml.h"
#include "topo/render.h"
#include "topo/simgrid.h"
#include "topo/slurm_tree_write.h"
#include "topo/topology_json.h"

namespace topolaunch::launcher {
namespace {

/// What `topo` shows: a topology, cut to one host where that is asked, and the ranks of a plan.
struct Scene {
  topo::Topology topology;
  topo::draw::Ranks ranks;
};

Status keep_one_host(topo::Topology& topology, const std::string& name) {
  const auto found = std::ranges::find(topology.hosts, name, &topo::Host::name);
  if (found == topology.hosts.end()) {
    return fail(Code::wrong_usage, "the topology has no host '" + name + "'",
                "topolaunch topo lists them");
  }
  topo::Host host = std::move(*found);
  topology.hosts = {std::move(host)};
  topology.fabric = {};  // a network of one host is none
  return {};
}

Result<Scene> scene_of(const TopoOptions& options, const Outside& outside) {
  Scene scene;
  TopologyOptions from = options.topology;
  if (!options.plan.empty()) {
    const bool draws = options.format == "svg" || options.format == "dot";
    if (!draws) {
      return fail(Code::wrong_usage, "--plan is drawn, and --format " + options.format + " is no drawing",
                  "add --format svg or --format dot");
    }
    auto file = plan_file(options.plan, outside);
    if (!file) return fail(std::move(file).error());
    auto plan = read_plan(*file, outside);
    if (!plan) return fail(std::move(plan).error());
    // A run keeps the topology that it was planned on.
    const std::string beside = folder_of(*file) + "/topology.json";
    if (from.topologies.empty() && outside.files.exists(beside)) from.topologies = {beside};
    auto ranks = ranks_of(*plan, options.dimension);
    if (!ranks) return fail(std::move(ranks).error());
    scene.ranks = std::move(*ranks);
  }
  auto machine = machine_to_think_of(from, {}, outside);
  if (!machine) return fail(std::move(machine).error());
  scene.topology = std::move(machine->topology);
  if (auto fit = belong_together(scene.topology, scene.ranks); !fit) {
    return fail(std::move(fit).error());
  }
  if (!options.host.empty()) {
    if (auto kept = keep_one_host(scene.topology, options.host); !kept) {
      return fail(std::move(kept).error());
    }
  }
  return scene;
}

}  // namespace

Result<Answer> topo_verb(const TopoOptions& options, const Outside& outside) {
  auto scene = scene_of(options, outside);
  if (!scene) return fail(std::move(scene).error());
  const topo::Topology& topology = scene->topology;
  const auto answer = [](Result<std::string> text) -> Result<Answer> {
    if (!text) return fail(std::move(text).error());
    return Answer{std::move(*text), 0};
  };
  if (options.format == "json") return Answer{to_pretty(topo::to_json(topology)), 0};
  if (options.format == "svg" || options.format == "dot") {
    return Answer{drawn(options.format, topology, scene->ranks), 0};
  }
  if (options.format == "slurm") {
    if (topology.fabric.switches.empty()) {
      return fail(Code::unavailable, "no network is known here that topology.conf could describe",
                  "give one: --topology FILE of a network (docs/formats.md)");
    }
    return Answer{topo::slurm_tree(topology), 0};
  }
  if (options.format == "simgrid") return answer(topo::simgrid_platform(topology));
  if (options.format == "nccl-xml") {
    if (topology.hosts.size() != 1) {
      return fail(Code::wrong_usage,
                  "NCCL's file holds one host, and the topology has " +
                      std::to_string(topology.hosts.size()),
                  "name one with --host");
    }
    return answer(topo::nccl_xml(topology.hosts.front()));
  }
  return Answer{topo::render_tree(topology), 0};
}

}  // namespace topolaunch::launcher
