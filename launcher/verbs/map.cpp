// SPDX-License-Identifier: Apache-2.0
#include "launcher/verbs/map.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/counted.h"
#include "launcher/job_machine.h"
#include "launcher/job_model.h"
#include "launcher/json_fields.h"
#include "launcher/place_ranks.h"
#include "launcher/placement_file.h"
#include "launcher/rank_groups.h"
#include "launcher/solve_watch.h"
#include "launcher/verbs/drawn.h"
#include "launcher/visible_gpus.h"
#include "mapping/advice.h"
#include "mapping/cost.h"
#include "mapping/placement_text.h"
#include "mapping/replace.h"
#include "mapping/rules.h"
#include "mapping/solver.h"
#include "mapping/solver/solvers.h"
#include "topo/topology_words.h"

namespace topolaunch::launcher {
namespace {

/// The machine, what of it is visible, and the job on it.
struct Situation {
  HostMachine machine;
  VisibleGpus visible;
  bool here = false;  ///< this machine: CUDA_VISIBLE_DEVICES is about it
  JobModel model;
  const topo::Topology& topology() const { return machine.topology; }
  const VisibleGpus* seen() const { return here ? &visible : nullptr; }
};

Result<Situation> look(const TopologyOptions& where, const JobOptions& job,
                       const MapOptions& options, const Outside& outside, const Voice& voice) {
  auto machine = machine_to_think_of(where, job.excluded, outside);
  if (!machine) return fail(std::move(machine).error());
  Situation s;
  s.machine = std::move(*machine);
  const bool over_hosts = !s.machine.hosts.empty();
  for (const topo::Warning& warning : s.machine.topology.warnings) {
    if (warning.severity != topo::Warning::Severity::note)
      voice.say(topo::place_of(warning) + warning.message);
  }
  s.here = where.topologies.empty() && !over_hosts;
  if (s.here) {
    s.visible = visible_gpus(s.machine.topology.hosts.front(), outside.environment);
    for (const std::string& note : s.visible.notes) voice.say(note);
    if (s.visible.devices.empty()) s.machine.topology.hosts.front().gpus.clear();
  }
  auto model =
      model_job(job, {s.topology(), s.seen(), 0, over_hosts ? &s.machine.hosts : nullptr}, outside);
  if (!model) return fail(std::move(model).error());
  s.model = std::move(*model);
  if (!s.model.note.empty()) voice.say(s.model.note);
  s.model.constraints.watch =
      watch_solve({job.solve_limit, true, !options.no_progress}, outside.clock);
  return s;
}

/// --from without --replace: the old plan is the order to be no worse than.
Result<mapping::Solution> held_against(const Situation& s, const std::vector<mapping::Seat>& old) {
  auto solution = place_ranks(s.topology(), s.seen(), s.model);
  if (!solution) return solution;
  const auto& constraints = s.model.constraints;
  const auto pool = mapping::seat_pool(s.topology(), constraints);
  if (!pool) return fail(pool.error());
  const auto rules = mapping::Rules::make(s.topology(), s.model.graph, constraints);
  if (!rules) return fail(rules.error());
  std::vector<mapping::Seat> seats;
  for (const auto& place : solution->placement) seats.push_back(place.seat);
  const bool whole =
      std::ranges::all_of(old, [](const mapping::Seat& seat) { return seat.host >= 0; });
  const std::string fault = !whole
                                ? "it has a host or GPU that is not in this topology"
                                : mapping::placement_fault(s.topology(), *pool, constraints, old);
  const bool legal = fault.empty() && rules->fault(old).empty();
  const mapping::CostModel model(s.topology(), s.model.graph);
  if (legal && !mapping::better(model.score(seats), model.score(old), constraints.objective))
    seats = old;
  auto result = mapping::solution_of(model, s.topology(), s.model.graph, constraints, *pool, old, seats);
  result.solver = seats == old ? "the old plan" : solution->solver;
  if (!legal)
    result.reasons.push_back("the old plan can't stay: " +
                             (fault.empty() ? rules->fault(old) : fault));
  result.cut_short = solution->cut_short;
  return result;
}

/// Why a rank of a plan has no seat: "host n3 is not in the topology", "n3 has 4 GPUs, none of index 7".
std::string what_is_lacking(const topo::Topology& topology, const PlacedRank& rank) {
  const auto host = std::ranges::find(topology.hosts, rank.host, &topo::Host::name);
  if (host == topology.hosts.end()) return fmt::format("host {} is not in the topology", rank.host);
  if (rank.gpu_index < 0) return fmt::format("{} has GPUs, and the plan none there", rank.host);
  if (host->gpus.empty()) return fmt::format("{} has no GPUs", rank.host);
  return fmt::format("{} has {}, none of index {}", rank.host, counted(host->gpus.size(), "GPU"), rank.gpu_index);
}

/// A plan of a machine that was only described has hosts that nothing here has.
void tell_unknown_hosts(const topo::Topology& topology, const std::string& plan,
                        const std::vector<PlacedRank>& placed,
                        const std::vector<mapping::Seat>& seats, const Voice& voice) {
  const auto lost = std::ranges::find_if(seats, [](const auto& seat) { return seat.host < 0; });
  if (lost == seats.end()) return;
  voice.say(fmt::format("{} is for another machine, {}: planned anew; --topology names the one it was made for", plan,
                        what_is_lacking(topology, placed[static_cast<std::size_t>(lost - seats.begin())])));
}

/// "its hosts: g1 g2 g3"
std::string hosts_of(const std::vector<PlacedRank>& placed) {
  constexpr std::size_t kMostNamed = 8;
  std::vector<std::string> names;
  for (const PlacedRank& rank : placed) {
    if (std::ranges::find(names, rank.host) == names.end()) names.push_back(rank.host);
    if (names.size() > kMostNamed) break;
  }
  if (names.size() > kMostNamed) names.back() = "...";
  return fmt::format("its hosts: {}", fmt::join(names, " "));
}

Result<mapping::Solution> solution_for(const MapOptions& options, const Situation& s,
                                       const Outside& outside, const Voice& voice) {
  if (options.from.empty()) return place_ranks(s.topology(), s.seen(), s.model);
  auto placed = read_placement(options.from, outside);
  if (!placed) return fail(std::move(placed).error());
  if (std::ssize(*placed) != s.model.graph.ranks) {
    return fail(Code::wrong_usage,
                fmt::format("{} has {}, and the job {}", options.from,
                            counted(placed->size(), "rank"), s.model.graph.ranks),
                "say the same job as then");
  }
  for (const std::string& host : options.replace) {
    if (std::ranges::none_of(*placed, [&](const PlacedRank& rank) { return rank.host == host; })) {
      return fail(Code::wrong_usage,
                  fmt::format("--replace {}: no rank of {} is there", host, options.from),
                  hosts_of(*placed));
    }
  }
  const auto seats =
      seats_of(*placed, options.from, s.topology(), s.model.constraints, options.job.oversubscribe);
  if (!seats) return fail(seats.error());
  const std::vector<mapping::Seat>& old = *seats;
  if (options.replace.empty()) tell_unknown_hosts(s.topology(), options.from, *placed, old, voice);
  if (options.replace.empty()) return held_against(s, old);
  // Hosts that are gone from the topology are replaced whether they are named or not: say it.
  for (const PlacedRank& rank : *placed) {
    const auto is = [&](const std::string& name) { return name == rank.host; };
    if (std::ranges::any_of(options.replace, is)) continue;
    const auto at = static_cast<std::size_t>(&rank - placed->data());
    if (old[at].host < 0) {
      return fail(Code::wrong_usage,
                  fmt::format("rank {} of {} has no place: {}", at, options.from,
                              what_is_lacking(s.topology(), rank)),
                  "name the host with --replace too, or give the topology that has it");
    }
  }
  return mapping::replace_hosts(s.topology(), s.model.graph, s.model.constraints, old,
                                options.replace);
}

/// `job` as it was placed here: with the plan's workload where --from has one.
Result<Answer> what_if(const MapOptions& options, JobOptions job, const Situation& s,
                       const mapping::Solution& solution, const Outside& outside,
                       const Voice& voice) {
  TopologyOptions where = options.topology;
  where.topologies = {options.what_if};
  where.hosts.clear();
  job.ranks = s.model.graph.ranks;
  auto other = look(where, job, options, outside, voice);
  if (!other) return fail(std::move(other).error().within("--what-if"));
  auto there = place_ranks(other->topology(), nullptr, other->model);
  if (!there) return fail(std::move(there).error().within("--what-if"));
  if (options.format == "json") {
    Json json = mapping::map_json(s.topology(), s.model.graph, solution);
    json["what_if"] = mapping::map_json(other->topology(), other->model.graph, *there);
    return Answer{to_pretty(json), 0};
  }
  std::string text =
      fmt::format("{}: {}\n\n", counted(solution.placement.size(), "rank"), s.model.graph.origin);
  text += mapping::estimate_columns("here", solution.solution, "there", there->solution);
  text += fmt::format("\n  here   {}\n  there  {}\n", solution.gain.why, there->gain.why);
  return Answer{std::move(text), 0};
}

std::string place_text(const PlacedRank& rank) {
  return rank.gpu_index >= 0 ? fmt::format("{}:{}", rank.host, rank.gpu_index) : rank.host;
}

Result<Answer> compare(const MapOptions& options, const Outside& outside, const Voice& voice) {
  std::vector<std::vector<PlacedRank>> plans;
  for (const std::string& name : options.diff) {
    auto placed = read_placement(name, outside);
    if (!placed) return fail(std::move(placed).error());
    plans.push_back(std::move(*placed));
  }
  const auto& a = plans[0];
  const auto& b = plans[1];
  if (a.size() != b.size()) {
    return fail(Code::wrong_usage,
                fmt::format("{} has {}, {} has {}", options.diff[0], counted(a.size(), "rank"),
                            options.diff[1], b.size()),
                "compare plans of one job");
  }
  std::string moves;
  std::map<std::string, std::pair<int, int>> hosts;
  std::size_t moved = 0, other_host = 0;
  Json list = Json::array();
  for (std::size_t r = 0; r < a.size(); ++r) {
    ++hosts[a[r].host].first;
    ++hosts[b[r].host].second;
    const auto from = place_text(a[r]), to = place_text(b[r]);
    if (from == to && (a[r].gpu_index >= 0 || a[r].local_rank == b[r].local_rank)) continue;
    if (a[r].host != b[r].host) ++other_host;
    if (++moved <= 64) moves += fmt::format("  rank {:>6}  {} -> {}\n", r, from, to);
    list.push_back(Json{{"rank", r}, {"from", from}, {"to", to}});
  }
  if (moved > 64) moves += fmt::format("  ... {} more\n", moved - 64);
  std::string host_lines;
  for (const auto& [name, count] : hosts) {
    if (count.first != count.second)
      host_lines += fmt::format("  host {}  {} -> {} ranks\n", name, count.first, count.second);
  }
  std::string text = fmt::format("{} of {} ranks sit elsewhere, {} of them on another host\n",
                                 moved, a.size(), other_host) +
                     host_lines + moves;
  Json json{{"schema", "topolaunch.map-diff/1"}, {"ranks", a.size()}, {"moved", std::move(list)}};

  // What that costs, where the machine and the job are said.
  if (!options.topology.topologies.empty()) {
    JobOptions job = options.job;
    for (const std::string& name : options.diff) {  // the first that says one
      auto kept = read_workload(name, outside);
      if (!kept) return fail(std::move(kept).error());
      job = with_workload(std::move(job), *kept);
    }
    job.ranks = static_cast<int>(a.size());
    auto s = look(options.topology, job, options, outside, voice);
    if (!s) return fail(std::move(s).error());
    std::vector<mapping::Estimate> costs;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      auto seats = seats_of(plans[i], options.diff[i], s->topology(), s->model.constraints,
                            options.job.oversubscribe);
      if (!seats) return fail(std::move(seats).error());
      if (std::ranges::any_of(*seats, [](const mapping::Seat& seat) { return seat.host < 0; })) {
        return fail(Code::wrong_usage,
                    options.diff[i] + " has a host or GPU that the topology has not",
                    "give the topology of both, or leave out --topology");
      }
      costs.push_back(mapping::evaluate(s->topology(), s->model.graph, *seats));
    }
    const mapping::Estimate &before = costs[0], &after = costs[1];
    text += "\n" + mapping::estimate_columns("first", before, "second", after);
    json["first"] = {{"seconds", before.seconds.count()}, {"hop_bytes", before.hop_bytes}};
    json["second"] = {{"seconds", after.seconds.count()}, {"hop_bytes", after.hop_bytes}};
  }
  return Answer{options.format == "json" ? to_pretty(json) : text, 0};
}

Status check_options(const MapOptions& options) {
  if (!options.replace.empty() && options.from.empty()) {
    return fail(Code::wrong_usage, "--replace needs the plan in which the host is",
                "add --from PLAN");
  }
  if (!options.from.empty() && !options.job.solver_command.empty()) {
    return fail(Code::wrong_usage, "--solver-command decides alone, so there is no --from",
                "leave out one of them");
  }
  if (!options.what_if.empty() && options.format != "table" && options.format != "json") {
    return fail(Code::wrong_usage, "--what-if compares; it makes no " + options.format,
                "use --format table or json");
  }
  if (!options.diff.empty() && options.format != "table" && options.format != "json") {
    return fail(Code::wrong_usage, "--diff compares; it makes no " + options.format,
                "use --format table or json");
  }
  return {};
}

}  // namespace

Result<Answer> map_verb(const MapOptions& options, const Outside& outside, const Voice& voice) {
  if (Status ok = check_options(options); !ok) return fail(std::move(ok).error());
  if (!options.diff.empty()) return compare(options, outside, voice);
  JobOptions job = options.job;
  if (!options.from.empty() && job.ranks == 0 && job.parallel.empty() && job.traffic.empty() &&
      job.model.empty()) {
    auto placed = read_placement(options.from, outside);
    if (!placed) return fail(std::move(placed).error());
    job.ranks = static_cast<int>(placed->size());
  }
  if (!options.from.empty()) {
    auto kept = read_workload(options.from, outside);
    if (!kept) return fail(std::move(kept).error());
    job = with_workload(std::move(job), *kept);
  }
  auto situation = look(options.topology, job, options, outside, voice);
  if (!situation) return fail(std::move(situation).error());
  auto solution = solution_for(options, *situation, outside, voice);
  situation->model.constraints.watch
      .reset();  // Ctrl-C ends the process again, the progress line goes
  if (!solution) return fail(std::move(solution).error());
  for (const std::string& unmet : solution->unmet) voice.say(unmet);
  if (!options.what_if.empty()) return what_if(options, job, *situation, *solution, outside, voice);
  if (options.explain && options.format == "table") {
    return Answer{
        mapping::map_explanation(situation->topology(), situation->model.graph, *solution), 0};
  }
  if (options.format == "svg" || options.format == "dot") {
    auto ranks = ranks_of(situation->topology(), situation->model.graph, *solution,
                          options.dimension);
    if (!ranks) return fail(std::move(ranks).error());
    return Answer{drawn(options.format, situation->topology(), *ranks), 0};
  }
  if (options.format == "json") {
    Json more = Json::object();
    for (const auto& [name, value] : workload_of(job)) {
      more["workload_options"][name] = word_to_json(value);
    }
    if (options.explain) {
      more["helps"] = Json::array();
      for (const auto& advice : mapping::advices(situation->topology(), situation->model.graph, *solution)) {
        more["helps"].push_back(Json{{"what", advice.what}, {"seconds", advice.seconds.count()}});
      }
    }
    return Answer{
        mapping::map_json_text(situation->topology(), situation->model.graph, *solution, more), 0};
  }
  const mapping::GpuOrder gpus{std::ranges::any_of(situation->model.constraints.pins,
                                                   [](const auto& pin) { return pin.gpu >= 0; }),
                               situation->here && situation->visible.given};
  auto text = mapping::map_text(options.format, situation->topology(), situation->model.graph,
                                *solution, gpus);
  if (!text) return fail(std::move(text).error());
  if (!text->ends_with('\n')) *text += '\n';
  return Answer{std::move(*text), 0};
}

}  // namespace topolaunch::launcher
