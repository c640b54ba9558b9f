// SPDX-License-Identifier: Apache-2.0
#include "launcher/job_model.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <numeric>
#include <utility>

#include "base/input_file.h"
#include "launcher/program_solver.h"
#include "launcher/solve_watch.h"
#include "mapping/model.h"
#include "mapping/parallel.h"
#include "mapping/patterns.h"
#include "mapping/seat_count.h"
#include "mapping/trace.h"
#include "mapping/trace_files.h"
#include "mapping/traffic.h"

namespace topolaunch::launcher {
namespace {

/// No host runs more: that many processes are over the limits of any system (and the bound of a
/// "tree:" SPEC). A number that was mistyped is refused at once.
constexpr std::int64_t kMostRanksOnAHost = 65536;

Result<mapping::Constraints::Pin> parse_pin(const std::string& text) {
  const auto wrong = [&] {
    return fail(Code::wrong_usage, "--pin: '" + text + "' is not a pin",
                "write it like --pin 0=host1:3 (rank 0 on host1, GPU 3) or --pin 0=host1");
  };
  mapping::Constraints::Pin pin;
  const auto number = [](std::string_view digits, int& into) {
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), into);
    return error == std::errc{} && stop == digits.data() + digits.size() && into >= 0;
  };
  const auto equals = text.find('=');
  if (equals == std::string::npos || !number(text.substr(0, equals), pin.rank)) return wrong();
  pin.host = text.substr(equals + 1);
  if (const auto colon = pin.host.rfind(':'); colon != std::string::npos) {
    if (!number(pin.host.substr(colon + 1), pin.gpu)) return wrong();
    pin.host.erase(colon);
  }
  if (pin.host.empty()) return wrong();
  return pin;
}

/// Monitoring and traces are a file a rank: those beside it belong to it.
Result<mapping::RankGraph> read_traffic(const std::string& text, const std::string& file,
                                        const Outside& outside) {
  const auto kind = mapping::trace_kind(text);
  if (kind == mapping::TraceKind::none) return mapping::graph_from_traffic(text, file);
  std::vector<mapping::TraceFile> files;
  for (const std::string& name : mapping::sibling_files(file, outside.files)) {
    auto one = name == file ? Result<std::string>(text) : read_input(outside.files, name);
    if (!one) return fail(std::move(one).error());
    files.push_back({name, std::move(*one)});
  }
  return mapping::graph_from_traces(kind, files);
}

/// Ranks where neither -n nor the graph says it. `seats`: by host, under the constraints.
std::pair<int, std::string> default_ranks(const JobSituation& situation,
                                          const std::vector<int>& seats,
                                          const Environment& environment) {
  int all = 0, on_gpus = 0;
  for (std::size_t h = 0; h < seats.size(); ++h) {
    all += seats[h];
    if (!situation.topology.hosts[h].gpus.empty()) on_gpus += seats[h];
  }
  if (situation.hosts != nullptr) {
    const auto& hosts = *situation.hosts;
    const bool stated = std::ranges::any_of(hosts, [](const JobHost& h) { return h.slots > 0; });
    if (!stated && on_gpus > 0) return {on_gpus, "one per GPU"};
    int ranks = 0;
    for (std::size_t h = 0; h < hosts.size(); ++h) {
      if (seats[h] == 0) continue;  // left out
      ranks += hosts[h].slots > 0
                   ? hosts[h].slots
                   : situation.topology.hosts[h].gpus.empty() ? 1 : std::max(1, seats[h]);
    }
    return {ranks, stated ? "slots of --hosts" : "one a host: no GPU"};
  }
  if (situation.visible != nullptr && environment.get_int("SLURM_NNODES").value_or(0) == 1) {
    const long tasks = environment.get_int("SLURM_NTASKS").value_or(0);
    if (tasks > 0 && tasks <= (1 << 20)) return {static_cast<int>(tasks), "SLURM_NTASKS"};
  }
  if (on_gpus > 0) return {on_gpus, "one per visible GPU"};
  if (all > 0 && situation.visible == nullptr) return {all, "one per seat"};
  return {1, "no GPU"};
}

/// --oversubscribe: raises slots until all ranks have one, evenly over the hosts that take part and
/// up to their max_slots.
void share_evenly(const std::vector<JobHost>& hosts, const std::vector<int>& seats, int ranks,
                  std::vector<int>& slots) {
  std::int64_t room = std::accumulate(slots.begin(), slots.end(), std::int64_t{0});
  while (room < ranks) {
    std::vector<std::size_t> open;
    for (std::size_t h = 0; h < hosts.size(); ++h) {
      const bool full = hosts[h].max_slots > 0 && slots[h] >= hosts[h].max_slots;
      if (seats[h] > 0 && !full) open.push_back(h);
    }
    if (open.empty()) return;  // the solver says that there is no room
    const auto missing = static_cast<int>(ranks - room);
    const int share = std::max(1, missing / static_cast<int>(open.size()));
    for (const std::size_t h : open) {
      const int most = hosts[h].max_slots > 0 ? hosts[h].max_slots - slots[h] : share;
      const int more = std::min({share, most, static_cast<int>(ranks - room)});
      slots[h] += more;
      room += more;
    }
  }
}

/// Ranks that each host of --hosts takes: its slots, else its GPUs, else an even share.
std::vector<int> slots_of(const JobSituation& situation, const std::vector<int>& seats, int ranks) {
  const auto& hosts = *situation.hosts;
  std::vector<int> slots;
  std::vector<std::size_t> open;
  int left = ranks;
  for (std::size_t h = 0; h < hosts.size(); ++h) {
    const int on_gpus = situation.topology.hosts[h].gpus.empty() ? 0 : seats[h];
    slots.push_back(seats[h] == 0 ? 0 : hosts[h].slots > 0 ? hosts[h].slots : on_gpus);
    left -= slots.back();
    if (slots.back() == 0 && seats[h] > 0) open.push_back(h);
  }
  for (std::size_t i = 0; i < open.size(); ++i) {
    const int hosts_left = static_cast<int>(open.size() - i);
    const int share = std::max(1, (left + hosts_left - 1) / hosts_left);
    int most = std::max(1, mapping::default_slots(situation.topology.hosts[open[i]]));
    if (hosts[open[i]].max_slots > 0) most = std::min(most, hosts[open[i]].max_slots);
    slots[open[i]] = std::min(share, most);
    left -= slots[open[i]];
  }
  return slots;
}

Result<mapping::RankGraph> graph_of(const JobOptions& options, int ranks, const Outside& outside) {
  if (!options.parallel.empty() && options.model.empty()) {
    return mapping::graph_from_parallel(options.parallel, options.order, options.bytes, ranks);
  }
  if (!options.model.empty()) {
    auto text = read_input(outside.files, options.model);
    if (!text) return fail(std::move(text).error().try_next("check the path given with --model"));
    return mapping::graph_from_model(*text, options.model,
                                     {options.parallel, options.order, options.bytes, ranks});
  }
  if (!options.traffic.empty()) {
    auto text = read_input(outside.files, options.traffic);
    if (!text) return fail(std::move(text).error().try_next("check the path given with --traffic"));
    return read_traffic(*text, options.traffic, outside);
  }
  Bytes bytes(0);
  if (!options.bytes.empty()) {
    auto size = parse_bytes(options.bytes);
    if (!size) {
      return fail(Code::wrong_usage, "--bytes: " + size.error().message,
                  "write it like 64M or 64MiB");
    }
    bytes = *size;
  }
  if (!options.pattern.empty()) {
    return mapping::graph_from_pattern(options.pattern, ranks, bytes);
  }
  return bytes.count() > 0 ? mapping::world_allreduce(ranks, bytes)
                           : mapping::world_allreduce(ranks);
}

/// GPUs and MIG instances that the list leaves out take no ranks.
void mask(const VisibleGpus& visible, const topo::Topology& topology,
          mapping::Constraints& constraints) {
  for (const int gpu : visible.hidden(topology.hosts.front())) {
    constraints.excluded_gpus.emplace_back(0, gpu);
  }
  for (const VisibleDevice& device : visible.devices) ++constraints.ranks_on_gpu[{0, device.gpu}];
}

/// GPUs of one kind run in step; of several, the slow ones hold up the others. Where nobody has
/// named GPUs and one kind is enough for all ranks, the first such kind (the fastest, as CUDA
/// counts) takes them. Says what is left out; empty = nothing.
std::string prefer_one_kind(const VisibleGpus& visible, const topo::Topology& topology,
                            mapping::Constraints& constraints) {
  const bool pinned =
      std::ranges::any_of(constraints.pins, [](const auto& p) { return p.gpu >= 0; });
  if (visible.given || topology.hosts.size() != 1 || pinned) return {};
  const std::vector<topo::Gpu>& gpus = topology.hosts.front().gpus;
  const auto same_kind = [&](int a, int b) {
    const topo::Gpu& x = gpus[static_cast<std::size_t>(a)];
    const topo::Gpu& y = gpus[static_cast<std::size_t>(b)];
    return x.model == y.model && x.compute_capability == y.compute_capability;
  };
  for (const VisibleDevice& first : visible.devices) {
    const auto others = std::ranges::count_if(visible.devices, [&](const VisibleDevice& device) {
      return !same_kind(device.gpu, first.gpu);
    });
    if (others == 0) return {};
    if (static_cast<int>(visible.devices.size()) - others < constraints.ranks) continue;
    std::string left_out;
    for (const topo::Gpu& gpu : gpus) {
      if (same_kind(gpu.index, first.gpu)) continue;
      constraints.excluded_gpus.emplace_back(0, gpu.index);
      left_out += (left_out.empty() ? "GPU " : ", ") + std::to_string(gpu.index);
    }
    const std::string& model = gpus[static_cast<std::size_t>(first.gpu)].model;
    return "all ranks on GPUs of one kind" + (model.empty() ? "" : ": " + model) + "; " + left_out +
           " left out (name GPUs by CUDA_VISIBLE_DEVICES to have them)";
  }
  return {};
}

Status check_combination(const JobOptions& options) {
  int ways = 0;
  for (const std::string* one : {&options.parallel, &options.traffic, &options.pattern}) {
    if (!one->empty()) ++ways;
  }
  if (ways > 1) {
    return fail(Code::wrong_usage, "--parallel, --traffic and --pattern each say who talks to whom",
                "give one of them");
  }
  if (options.parallel.empty() && options.model.empty() && !options.order.empty()) {
    return fail(Code::wrong_usage,
                "--order says how the groups of --parallel lie, and there is no --parallel",
                "give --parallel, or leave out --order");
  }
  if (options.parallel.empty() && options.model.empty() && options.bytes.find('=') != std::string::npos) {
    return fail(
        Code::wrong_usage,
        "--bytes '" + options.bytes + "' names a group of --parallel, and there is no --parallel",
        "give --parallel, or one size for all: --bytes 64M");
  }
  if (!options.model.empty() && (!options.traffic.empty() || !options.pattern.empty())) {
    return fail(Code::wrong_usage, "--model goes with --parallel alone",
                "leave out --traffic and --pattern");
  }
  if (!options.require_level.empty() && options.require_level == options.spread_level) {
    return fail(Code::wrong_usage,
                "--require " + options.require_level + " wants all ranks inside one, --spread over many",
                "leave out one of them, or name another level");
  }
  if (!options.bytes.empty() && !options.traffic.empty()) {
    return fail(Code::wrong_usage, "--bytes does not go with --traffic",
                "the traffic file has the bytes");
  }
  return {};
}

}  // namespace

Result<JobModel> model_job(const JobOptions& options, const JobSituation& situation,
                           const Outside& outside) {
  if (Status ok = check_combination(options); !ok) return fail(std::move(ok).error());
  JobModel model;
  int ranks = situation.given_ranks > 0 ? situation.given_ranks : options.ranks;
  model.ranks_why = situation.given_ranks > 0 ? "as started" : "-n";
  mapping::Constraints& constraints = model.constraints;
  constraints.excluded_hosts = options.excluded;
  if (situation.visible != nullptr) mask(*situation.visible, situation.topology, constraints);
  const std::vector<int> seats = mapping::free_seats(situation.topology, constraints);
  const bool graph_says =
      !options.parallel.empty() || !options.traffic.empty() || !options.model.empty();
  if (ranks == 0 && !graph_says) {
    std::tie(ranks, model.ranks_why) = default_ranks(situation, seats, outside.environment);
  }
  // --parallel without dp takes the number from where the other rules would.
  auto graph = graph_of(options, ranks, outside);
  if (!graph) return fail(std::move(graph).error());
  model.graph = std::move(*graph);
  if (ranks == 0) {
    model.ranks_why = !options.model.empty()      ? "--model"
                      : options.parallel.empty() ? "--traffic"
                                                 : "--parallel";
  }
  if (ranks != 0 && model.graph.ranks != ranks) {
    return fail(Code::wrong_usage,
                std::to_string(ranks) + " ranks (" + model.ranks_why + "), but " +
                    model.graph.origin + " has " + std::to_string(model.graph.ranks),
                "make them agree, or leave out -n");
  }
  constraints.ranks = model.graph.ranks;
  constraints.require_level = options.require_level;
  constraints.prefer_level = options.prefer_level;
  constraints.spread_level = options.spread_level;
  constraints.affinity = options.affinity;
  constraints.anti_affinity = options.anti_affinity;
  constraints.near = options.near;
  constraints.spares = options.spares;
  constraints.watch = watch_solve({options.solve_limit, false, false}, outside.clock);
  if (!options.solver_command.empty()) {
    auto solver = program_solver(options.solver_command, outside);
    if (!solver) return fail(std::move(solver).error());
    model.solver = std::move(*solver);
  }
  if (options.objective == "hop-bytes") {
    constraints.objective = mapping::Constraints::Objective::hop_bytes;
  }
  if (options.effort == "fast") constraints.effort = mapping::Constraints::Effort::fast;
  if (options.effort == "best") constraints.effort = mapping::Constraints::Effort::best;
  for (const std::string& text : options.pins) {
    auto pin = parse_pin(text);
    if (!pin) return fail(std::move(pin).error());
    constraints.pins.push_back(std::move(*pin));
  }
  if (situation.visible != nullptr) {
    model.note = prefer_one_kind(*situation.visible, situation.topology, constraints);
  }
  const auto host_count = static_cast<std::int64_t>(situation.topology.hosts.size());
  if (options.oversubscribe && constraints.ranks > host_count * kMostRanksOnAHost) {
    return fail(Code::infeasible,
                std::to_string(constraints.ranks) + " ranks on " + std::to_string(host_count) +
                    (host_count == 1 ? " host" : " hosts") + ": at most " +
                    std::to_string(kMostRanksOnAHost) + " share one",
                "give fewer ranks, or more hosts");
  }
  if (situation.hosts != nullptr) {
    constraints.slots_per_host = slots_of(situation, seats, constraints.ranks);
  }
  if (options.oversubscribe && situation.hosts != nullptr) {
    share_evenly(*situation.hosts, seats, constraints.ranks, constraints.slots_per_host);
  } else if (options.oversubscribe) {
    constraints.slots_per_host = mapping::shared_slots(seats, constraints.ranks);
  }
  return model;
}

}  // namespace topolaunch::launcher
