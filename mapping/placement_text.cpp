// SPDX-License-Identifier: Apache-2.0
#include "mapping/placement_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/commands.h"
#include "mapping/index.h"
#include "mapping/parallel.h"

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
  json["max_link"] = {{"name", estimate.max_link.name},
                      {"bytes", estimate.max_link.bytes},
                      {"seconds", estimate.max_link.seconds.count()}};
  json["model"] = estimate.model;
  return json;
}

/// One host a line, in rank order.
std::string host_lines(const topo::Topology& topology, const Solution& solution) {
  std::string text;
  for (const auto& place : solution.placement) text += host_of(topology, place).name + "\n";
  return text;
}

/// MPICH_RANK_ORDER: ranks in the order in which seats are filled, host by host in the given order.
std::string mpich_order(const Solution& solution) {
  std::vector<const RankPlace*> places;
  for (const auto& place : solution.placement) places.push_back(&place);
  std::stable_sort(places.begin(), places.end(), [](const RankPlace* a, const RankPlace* b) {
    return std::pair(a->seat.host, a->seat.slot) < std::pair(b->seat.host, b->seat.slot);
  });
  std::string text;
  for (std::size_t i = 0; i < places.size(); ++i)
    text += fmt::format("{}{}", places[i]->rank,
                        i + 1 == places.size()                                          ? "\n"
                        : places[i]->seat.host != places[i + 1]->seat.host ? ",\n"
                                                                                        : ",");
  return text;
}

std::string env_lines(const topo::Topology& topology, const RankGraph& graph, const Solution& solution) {
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

/// Words wrapped at 80 columns; continuation lines are indented as the text of the first.
std::string wrapped(const std::string& head, const std::string& text) {
  constexpr std::size_t kWidth = 80;
  std::string result = head;
  std::size_t column = head.size();
  std::size_t at = 0;
  bool first = true;
  while (at < text.size()) {
    const auto end = std::min(text.find(' ', at), text.size());
    const auto word = text.substr(at, end - at);
    if (!first && column + 1 + word.size() > kWidth) {
      result += "\n" + std::string(head.size(), ' ');
      column = head.size();
    } else if (!first) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
    first = false;
    at = end + 1;
  }
  return result + "\n";
}

std::string amount(double bytes) {
  const char* units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  int unit = 0;
  while (bytes >= 1000 && unit < 6) bytes /= 1000, ++unit;
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.4g} {}", bytes, units[unit]);
}

std::string ratio(double given, double solved) {
  if (solved <= 0 || given <= 0 || given == solved) return given == solved ? "same" : "";
  return fmt::format("{:.2f}x", given / solved);
}

std::string row(const std::string& label, const std::string& given, const std::string& solved, const std::string& note) {
  auto line = fmt::format("  {:<24.24} {:>16} {:>16}  {}", label, given, solved, note);
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line + "\n";
}

std::string cut(std::string text, std::size_t width) {
  if (text.size() > width) text = text.substr(0, width - 2) + "..";
  return text;
}

}  // namespace

Json map_json(const topo::Topology& topology, const RankGraph& graph, const Solution& solution) {
  Json placement = Json::array();
  for (const auto& place : solution.placement) {
    const auto* gpu = gpu_of(topology, place);
    Json json;
    json["rank"] = place.rank;
    json["host"] = host_of(topology, place).name;
    json["gpu"] = gpu != nullptr && gpu->pci ? Json(gpu->pci->text()) : Json(nullptr);
    json["gpu_index"] = gpu != nullptr ? Json(gpu->index) : Json(nullptr);
    json["gpu_uuid"] = gpu != nullptr && !gpu->uuid.empty() ? Json(gpu->uuid) : Json(nullptr);
    json["local_rank"] = place.local_rank;
    json["numa"] = place.affinity.numa ? Json(*place.affinity.numa) : Json(nullptr);
    json["cpus"] = place.affinity.cpus.to_list();
    json["memory_nodes"] = place.affinity.memory_nodes;
    json["nics"] = place.affinity.nics;
    if (!place.affinity.note.empty()) json["note"] = place.affinity.note;
    if (!graph.dimensions.empty()) {
      Json coordinates = Json::object();
      for (const auto& dimension : graph.dimensions) coordinates[dimension.name] = coordinate(dimension, place.rank);
      json["coordinates"] = std::move(coordinates);
    }
    placement.push_back(std::move(json));
  }
  Json json;
  json["schema"] = "topolaunch.map/1";
  json["ranks"] = solution.placement.size();
  json["workload"] = graph.origin;
  json["solver"] = solution.solver;
  json["placement"] = std::move(placement);
  json["given"] = estimate_json(solution.given);
  json["solution"] = estimate_json(solution.solution);
  json["gain"] = {{"possible", solution.gain.possible},
                  {"seconds", solution.gain.seconds.count()},
                  {"why", solution.gain.why}};
  json["changes"] = solution.changes;
  json["reasons"] = solution.reasons;
  return json;
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

std::string map_explanation(const topo::Topology& topology, const RankGraph& graph, const Solution& solution) {
  const auto& given = solution.given;
  const auto& solved = solution.solution;
  std::string text = wrapped("", fmt::format("{} rank{} on {} host{}: {}", solution.placement.size(),
                                             solution.placement.size() == 1 ? "" : "s", topology.hosts.size(),
                                             topology.hosts.size() == 1 ? "" : "s", graph.origin));
  text += "\n" + row("", "given order", "solved", "");
  const bool timed = given.seconds.count() > 0 || solved.seconds.count() > 0;
  if (timed)
    text += row("time a step", to_text(given.seconds), to_text(solved.seconds),
                ratio(given.seconds.count(), solved.seconds.count()));
  text += row("hop-bytes", fmt::format("{:.5g}", given.hop_bytes), fmt::format("{:.5g}", solved.hop_bytes),
              ratio(given.hop_bytes, solved.hop_bytes));
  // Every level that either of the two uses, inner ones first.
  std::vector<std::string> levels;
  for (const auto* estimate : {&given, &solved})
    for (const auto& level : estimate->bytes_by_level)
      if (std::find(levels.begin(), levels.end(), level.level) == levels.end()) levels.push_back(level.level);
  const auto bytes_at = [](const Estimate& estimate, const std::string& name) {
    for (const auto& level : estimate.bytes_by_level)
      if (level.level == name) return static_cast<double>(level.bytes);
    return 0.0;
  };
  for (const auto& level : levels) {
    const double before = bytes_at(given, level), after = bytes_at(solved, level);
    text += row("bytes over " + level, amount(before), amount(after), ratio(before, after));
  }
  const auto link = [&](const Estimate& estimate) {
    if (estimate.max_link.name.empty()) return std::string("none");
    return timed ? to_text(estimate.max_link.seconds) : amount(static_cast<double>(estimate.max_link.bytes));
  };
  const auto link_size = [&](const Estimate& estimate) {
    return timed ? estimate.max_link.seconds.count() : static_cast<double>(estimate.max_link.bytes);
  };
  text += row("busiest link", link(given), link(solved), ratio(link_size(given), link_size(solved)));
  if (!given.max_link.name.empty())
    text += wrapped("    given:  ", fmt::format("{}, {}", given.max_link.name, amount(static_cast<double>(given.max_link.bytes))));
  if (!solved.max_link.name.empty())
    text += wrapped("    solved: ", fmt::format("{}, {}", solved.max_link.name, amount(static_cast<double>(solved.max_link.bytes))));
  text += "\n";
  text += wrapped("  model    ", solved.model + (timed ? ": explains NCCL's and MPI's choices, is no promise" : ""));
  text += wrapped("  gain     ", solution.gain.why);
  text += wrapped("  changed  ", solution.changes.empty() ? "nothing" : fmt::format("{}", fmt::join(solution.changes, ", ")));
  for (const auto& reason : solution.reasons) text += wrapped("  why      ", reason);
  text += wrapped("  solver   ", solution.solver);
  return text;
}

Result<std::string> map_text(const std::string& format, const topo::Topology& topology, const RankGraph& graph,
                             const Solution& solution) {
  if (format == "table") return map_table(topology, solution);
  if (format == "json") return to_pretty(map_json(topology, graph, solution));
  if (format == "rankfile") return rankfile(topology, solution);
  if (format == "hostfile" || format == "slurm") return host_lines(topology, solution);
  if (format == "mpich") return mpich_order(solution);
  if (format == "env") return env_lines(topology, graph, solution);
  return fail(Code::wrong_usage, fmt::format("map has no format '{}'", format),
              "known: table json rankfile hostfile slurm mpich env");
}

}  // namespace topolaunch::mapping
