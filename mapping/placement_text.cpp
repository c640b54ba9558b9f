// SPDX-License-Identifier: Apache-2.0
#include "mapping/placement_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/commands.h"
#include "mapping/index.h"
#include "mapping/other_launchers.h"
#include "mapping/parallel.h"
#include "mapping/placement_rows.h"

namespace topolaunch::mapping {
namespace {

const topo::Host& host_of(const topo::Topology& topology, const RankPlace& place) {
  return topology.hosts[ix(place.seat.host)];
}

const topo::Gpu* gpu_of(const topo::Topology& topology, const RankPlace& place) {
  if (place.seat.gpu < 0) return nullptr;
  return &host_of(topology, place).gpus[ix(place.seat.gpu)];
}

Json estimate_json(const Estimate& estimate) {
  Json by_level = Json::object();
  for (const auto& level : estimate.bytes_by_level) by_level[level.level] = level.bytes;
  Json json;
  json["seconds"] = estimate.seconds.count();
  json["hop_bytes"] = estimate.hop_bytes;
  json["bytes_by_level"] = std::move(by_level);
  Json phases = Json::array();
  for (const auto& phase : estimate.phases)
    phases.push_back({{"group", phase.dimension}, {"seconds", phase.seconds.count()}, {"overlapped", phase.overlapped}});
  json["phases"] = std::move(phases);
  const auto link_json = [](const LinkLoad& link) {
    return Json{{"name", link.name}, {"bytes", link.bytes}, {"seconds", link.seconds.count()}};
  };
  json["max_link"] = link_json(estimate.max_link);
  Json by = Json::object();
  for (const auto& [level, link] : estimate.max_links) by[level] = link_json(link);
  json["max_link_by_level"] = std::move(by);
  json["model"] = estimate.model;
  return json;
}

/// By host the GPUs of its ranks, so that cuda:LOCAL_RANK is each rank's own, as in a launch; empty where
/// there are none or ranks share one.
std::vector<std::vector<std::string>> gpus_by_local_rank(const topo::Topology& topology, const Solution& solution) {
  std::vector<std::vector<std::string>> result(topology.hosts.size());
  std::vector<char> whole(topology.hosts.size(), 1);
  for (const auto& place : solution.placement) {
    auto& gpus = result[ix(place.seat.host)];
    const auto* gpu = gpu_of(topology, place);
    auto name = gpu == nullptr ? std::string() : gpu->uuid.empty() ? std::to_string(gpu->index) : gpu->uuid;
    if (name.empty() || place.seat.slot != place.seat.gpu || std::find(gpus.begin(), gpus.end(), name) != gpus.end())
      whole[ix(place.seat.host)] = 0;
    gpus.push_back(std::move(name));
  }
  for (std::size_t h = 0; h < result.size(); ++h)
    if (!whole[h]) result[h].clear();
  return result;
}

std::string env_lines(const topo::Topology& topology, const RankGraph& graph, const Solution& solution) {
  const auto visible = gpus_by_local_rank(topology, solution);
  std::string text;
  for (const auto& place : solution.placement) {
    std::vector<std::string> words = {fmt::format("RANK={}", place.rank),
                                      fmt::format("LOCAL_RANK={}", place.local_rank),
                                      fmt::format("WORLD_SIZE={}", solution.placement.size()),
                                      "TOPOLAUNCH_HOST=" + host_of(topology, place).name};
    if (const auto* gpu = gpu_of(topology, place)) {
      words.push_back(fmt::format("TOPOLAUNCH_GPU_INDEX={}", gpu->index));
      if (gpu->pci) words.push_back("TOPOLAUNCH_GPU_PCI=" + gpu->pci->text());
      if (!gpu->uuid.empty()) words.push_back("TOPOLAUNCH_GPU_UUID=" + gpu->uuid);
    }
    if (!visible[ix(place.seat.host)].empty())
      words.push_back(fmt::format("CUDA_VISIBLE_DEVICES={}", fmt::join(visible[ix(place.seat.host)], ",")));
    if (place.affinity.numa) words.push_back(fmt::format("TOPOLAUNCH_NUMA={}", *place.affinity.numa));
    if (!place.affinity.cpus.empty()) words.push_back("TOPOLAUNCH_CPUS=" + place.affinity.cpus.to_list());
    if (!place.affinity.nics.empty())
      words.push_back(fmt::format("TOPOLAUNCH_NICS={}", fmt::join(place.affinity.nics, ",")));
    for (const auto& dimension : graph.dimensions) {
      std::string name = dimension.name;
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(c - 'a' + 'A'); });
      words.push_back(fmt::format("TOPOLAUNCH_{}_RANK={}", name, coordinate(dimension, place.rank)));
    }
    // The value is quoted, not the word: a quoted NAME=VALUE is no assignment to a shell.
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto equals = words[i].find('=');
      text += (i ? " " : "") + words[i].substr(0, equals + 1) + shell_quoted({words[i].substr(equals + 1)});
    }
    text += "\n";
  }
  return text;
}

std::string cut(std::string text, std::size_t width) {
  if (text.size() > width) text = text.substr(0, width - 2) + "..";
  return text;
}

/// All but the ranks, whose array is empty.
Json frame_json(const topo::Topology& topology, const RankGraph& graph, const Solution& solution) {
  Json json;
  json["schema"] = "topolaunch.map/1";
  json["ranks"] = solution.placement.size();
  json["workload"] = graph.origin;
  json["solver"] = solution.solver;
  json["placement"] = Json::array();
  json["given"] = estimate_json(solution.given);
  json["solution"] = estimate_json(solution.solution);
  json["gain"] = {{"possible", solution.gain.possible},
                  {"seconds", solution.gain.seconds.count()},
                  {"why", solution.gain.why}};
  json["changes"] = solution.changes;
  json["reasons"] = solution.reasons;
  const auto host_names = [&](const std::vector<int>& hosts) {
    Json names = Json::array();
    for (const int h : hosts) names.push_back(topology.hosts[ix(h)].name);
    return names;
  };
  if (!solution.candidates.empty()) {
    Json candidates = Json::array();
    for (const auto& candidate : solution.candidates)
      candidates.push_back({{"hosts", host_names(candidate.hosts)},
                            {"blocks", candidate.blocks},
                            {"left_over", candidate.left_over},
                            {"seconds", candidate.seconds.count()},
                            {"hop_bytes", candidate.hop_bytes}});
    json["candidates"] = std::move(candidates);
  }
  if (!solution.spares.empty()) json["spares"] = host_names(solution.spares);
  if (solution.cut_short) json["cut_short"] = true;
  return json;
}

}  // namespace

Json map_json(const topo::Topology& topology, const RankGraph& graph, const Solution& solution) {
  Json json = frame_json(topology, graph, solution);
  auto& placement = json["placement"];
  for (const auto& place : solution.placement) placement.push_back(place_json(topology, graph, place));
  return json;
}

std::string map_json_text(const topo::Topology& topology, const RankGraph& graph, const Solution& solution,
                          const Json& more) {
  Json frame = frame_json(topology, graph, solution);
  frame.update(more);
  const std::string text = to_pretty(frame), empty = "\"placement\": []";
  const auto at = text.find(empty);  // inside a string its quotes would be escaped
  if (at == std::string::npos || solution.placement.empty()) return text;
  const auto open = at + empty.size() - 1;
  std::string out = text.substr(0, open);
  PlacementRows rows(topology, graph);
  for (const auto& place : solution.placement) {
    const auto before = out.size();
    out += place.rank > 0 ? ",\n    " : "\n    ";
    rows.append(place, out);
    if (place.rank == 0) out.reserve(text.size() + (out.size() - before + 16) * solution.placement.size());
  }
  return out.append("\n  ").append(text, open);
}

std::string map_table(const topo::Topology& topology, const Solution& solution) {
  std::size_t host_width = 4, nic_width = 4, cpu_width = 4;
  bool gpus = false;
  for (const auto& place : solution.placement) {
    host_width = std::max(host_width, host_of(topology, place).name.size());
    cpu_width = std::max(cpu_width, place.affinity.cpus.to_list().size());
    nic_width = std::max(nic_width, fmt::format("{}", fmt::join(place.affinity.nics, ",")).size());
    gpus = gpus || place.seat.gpu >= 0;
  }
  host_width = std::min<std::size_t>(host_width, 24);
  cpu_width = std::min<std::size_t>(cpu_width, 20);
  const auto line = [&](const std::string& rank, const std::string& host, const std::string& local, const std::string& gpu,
                        const std::string& pci, const std::string& numa, const std::string& cpus, const std::string& nics) {
    auto text = fmt::format("{:>5}  {:<{}} {:>5}", rank, cut(host, host_width), host_width, local);
    if (gpus) text += fmt::format(" {:>4} {:<12}", gpu, pci);
    text += fmt::format(" {:>4}  {:<{}}  {}", numa, cut(cpus, cpu_width), cpu_width, nics);
    while (text.back() == ' ') text.pop_back();
    return text + "\n";
  };
  std::string text = line("rank", "host", "local", "gpu", "pci", "numa", "cpus", "nics");
  for (const auto& place : solution.placement) {
    const auto* gpu = gpu_of(topology, place);
    text += line(std::to_string(place.rank), host_of(topology, place).name, std::to_string(place.local_rank),
                 gpu != nullptr ? std::to_string(gpu->index) : "-",
                 gpu != nullptr && gpu->pci ? gpu->pci->text() : "-",
                 place.affinity.numa ? std::to_string(*place.affinity.numa) : "-",
                 place.affinity.cpus.empty() ? "any" : place.affinity.cpus.to_list(),
                 place.affinity.nics.empty() ? "-" : fmt::format("{}", fmt::join(place.affinity.nics, ",")));
  }
  return text;
}

Result<std::string> map_text(const std::string& format, const topo::Topology& topology, const RankGraph& graph,
                             const Solution& solution, GpuOrder order) {
  if (format == "table") return map_table(topology, solution);
  if (format == "json") return map_json_text(topology, graph, solution, Json::object());
  if (format == "rankfile" || format == "hostfile" || format == "slurm" || format == "mpich") {
    if (auto status = local_order_does(format, topology, graph, solution, order); !status) return fail(status.error());
  }
  if (format == "rankfile") return rankfile(topology, solution);
  if (format == "hostfile" || format == "slurm") return host_lines(topology, solution);
  if (format == "deepspeed") return deepspeed_hostfile(topology, solution);
  if (format == "mpich") return mpich_order(topology, solution);
  if (format == "env") return env_lines(topology, graph, solution);
  return fail(Code::wrong_usage, fmt::format("map has no format '{}'", format),
              "known: table json rankfile hostfile slurm mpich deepspeed env");
}

}  // namespace topolaunch::mapping
