// SPDX-License-Identifier: Apache-2.0
#include "launcher/job_model.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "mapping/parallel.h"
#include "mapping/patterns.h"
#include "mapping/seats.h"
#include "mapping/traffic.h"

namespace topolaunch::launcher {
namespace {

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

int visible_seats(const JobSituation& situation) {
  int seats = 0;
  for (std::size_t h = 0; h < situation.topology.hosts.size(); ++h) {
    const bool masked = h == 0 && situation.visible != nullptr;
    seats += masked ? static_cast<int>(situation.visible->devices.size())
                    : static_cast<int>(situation.topology.hosts[h].gpus.size());
  }
  return seats;
}

/// Ranks where neither -n nor the graph says it.
std::pair<int, std::string> default_ranks(const JobSituation& situation,
                                          const Environment& environment) {
  if (situation.hosts != nullptr) {
    const auto& hosts = *situation.hosts;
    const bool stated = std::ranges::any_of(hosts, [](const JobHost& h) { return h.slots > 0; });
    const int gpus = visible_seats(situation);
    if (!stated && gpus > 0) return {gpus, "one per GPU"};
    int ranks = 0;
    for (std::size_t h = 0; h < hosts.size(); ++h) {
      ranks += hosts[h].slots > 0
                   ? hosts[h].slots
                   : std::max(1, static_cast<int>(situation.topology.hosts[h].gpus.size()));
    }
    return {ranks, stated ? "slots of --hosts" : "one a host: no GPU"};
  }
  if (situation.visible != nullptr && environment.get_int("SLURM_NNODES").value_or(0) == 1) {
    const long tasks = environment.get_int("SLURM_NTASKS").value_or(0);
    if (tasks > 0 && tasks <= (1 << 20)) return {static_cast<int>(tasks), "SLURM_NTASKS"};
  }
  if (const int seats = visible_seats(situation); seats > 0) {
    return {seats, "one per visible GPU"};
  }
  if (situation.visible == nullptr) {
    int seats = 0;
    for (const topo::Host& host : situation.topology.hosts) seats += mapping::default_slots(host);
    if (seats > 0) return {seats, "one per seat"};
  }
  return {1, "no GPU"};
}

/// Ranks that each host of --hosts takes: its slots, else its GPUs, else an even share.
std::vector<int> slots_of(const JobSituation& situation, int ranks) {
  const auto& hosts = *situation.hosts;
  std::vector<int> slots;
  std::vector<std::size_t> open;
  int left = ranks;
  for (std::size_t h = 0; h < hosts.size(); ++h) {
    const int gpus = static_cast<int>(situation.topology.hosts[h].gpus.size());
    slots.push_back(hosts[h].slots > 0 ? hosts[h].slots : gpus);
    left -= slots.back();
    if (slots.back() == 0) open.push_back(h);
  }
  for (std::size_t i = 0; i < open.size(); ++i) {
    const int hosts_left = static_cast<int>(open.size() - i);
    const int share = std::max(1, (left + hosts_left - 1) / hosts_left);
    slots[open[i]] = std::min(share, std::max(1, mapping::default_slots(situation.topology.hosts[open[i]])));
    left -= slots[open[i]];
  }
  return slots;
}

Result<mapping::RankGraph> graph_of(const JobOptions& options, int ranks, const Outside& outside) {
  if (!options.parallel.empty()) {
    return mapping::graph_from_parallel(options.parallel, options.order, options.bytes, ranks);
  }
  if (!options.traffic.empty()) {
    auto text = outside.files.read(options.traffic);
    if (!text) {
      Error error = std::move(text).error();
      error.code = Code::invalid_input;
      error.next = "check the path given with --traffic";
      return fail(std::move(error));
    }
    return mapping::graph_from_traffic(*text, options.traffic);
  }
  Bytes bytes(0);
  if (!options.bytes.empty()) {
    auto size = parse_bytes(options.bytes);
    if (!size) {
      return fail(std::move(size).error().within("--bytes"));
    }
    bytes = *size;
  }
  if (!options.pattern.empty()) {
    return mapping::graph_from_pattern(options.pattern, ranks, bytes);
  }
  return bytes.count() > 0 ? mapping::world_allreduce(ranks, bytes)
                           : mapping::world_allreduce(ranks);
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
  const bool graph_says = !options.parallel.empty() || !options.traffic.empty();
  if (ranks == 0 && !graph_says) {
    std::tie(ranks, model.ranks_why) = default_ranks(situation, outside.environment);
  }
  // --parallel without dp takes the number from where the other rules would.
  auto graph = graph_of(options, ranks, outside);
  if (!graph) return fail(std::move(graph).error());
  model.graph = std::move(*graph);
  if (ranks == 0) model.ranks_why = options.parallel.empty() ? "--traffic" : "--parallel";
  if (ranks != 0 && model.graph.ranks != ranks) {
    return fail(Code::wrong_usage,
                std::to_string(ranks) + " ranks (" + model.ranks_why + "), but " +
                    model.graph.origin + " has " + std::to_string(model.graph.ranks),
                "make them agree, or leave out -n");
  }
  mapping::Constraints& constraints = model.constraints;
  constraints.ranks = model.graph.ranks;
  constraints.excluded_hosts = options.excluded;
  constraints.require_level = options.require_level;
  constraints.prefer_level = options.prefer_level;
  constraints.spread_level = options.spread_level;
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
    for (const int gpu : situation.visible->hidden(situation.topology.hosts.front())) {
      constraints.excluded_gpus.emplace_back(0, gpu);
    }
  }
  if (situation.hosts != nullptr) {
    constraints.slots_per_host = slots_of(situation, constraints.ranks);
  }
  if (options.oversubscribe && situation.hosts != nullptr) {
    const int hosts = static_cast<int>(situation.hosts->size());
    const int share = (constraints.ranks + hosts - 1) / hosts;
    for (std::size_t h = 0; h < situation.hosts->size(); ++h) {
      int& slots = constraints.slots_per_host[h];
      const int most = (*situation.hosts)[h].max_slots;
      slots = std::max(slots, most > 0 ? std::min(share, most) : share);
    }
  } else if (options.oversubscribe) {
    // Ranks beyond the seats are dealt out evenly over the hosts.
    const int hosts = static_cast<int>(situation.topology.hosts.size());
    const int share = (constraints.ranks + hosts - 1) / hosts;
    for (const topo::Host& host : situation.topology.hosts) {
      constraints.slots_per_host.push_back(std::max(share, mapping::default_slots(host)));
    }
  }
  return model;
}

}  // namespace topolaunch::launcher
