// SPDX-License-Identifier: Apache-2.0
#include "launcher/admission.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/commands.h"

namespace topolaunch::launcher {

std::string user_name(const Environment& environment) {
  const std::string name = environment.get_or("USER", environment.get_or("LOGNAME", ""));
  return name.empty() ? "uid " + std::to_string(::geteuid()) : name;
}

quota::AdmitRequest admit_request(const RunOptions& options, const std::string& run_id,
                                  const topo::Topology& topology,
                                  const mapping::Solution& solution, const Outside& outside) {
  quota::AdmitRequest request = options.quota.site;
  request.run_id = run_id;
  request.token_path = options.quota.token_file;
  request.ledger_url = options.quota.ledger;
  if (!options.quota.rule.empty()) {
    // A word that the options let through by mistake must not open the door.
    request.rule = quota::parse_rule(options.quota.rule).value_or(quota::Rule::require);
  }
  std::set<std::pair<int, int>> gpus;
  std::set<std::string> models;
  for (const mapping::RankPlace& place : solution.placement) {
    if (place.seat.gpu < 0) continue;
    gpus.emplace(place.seat.host, place.seat.gpu);
    const auto& host = topology.hosts[static_cast<std::size_t>(place.seat.host)];
    const std::string& model = host.gpus[static_cast<std::size_t>(place.seat.gpu)].model;
    if (!model.empty()) models.insert(model);
  }
  quota::Demand& demand = request.demand;
  const bool by_ranks = options.quota.count == "ranks";
  demand.unit = by_ranks ? "rank" : "GPU";
  demand.count = static_cast<std::int64_t>(by_ranks ? solution.placement.size() : gpus.size());
  if (options.time_limit) {
    // A part of a second is charged as a whole one.
    demand.wall_seconds = static_cast<std::int64_t>(std::ceil(options.time_limit->count()));
  }
  demand.gpu_models.assign(models.begin(), models.end());
  demand.instance_type = outside.environment.get_or("SM_CURRENT_INSTANCE_TYPE", "");
  demand.user = user_name(outside.environment);
  demand.host = topology.hosts.front().name;
  demand.command = shell_quoted(options.command);
  return request;
}

QuotaStory quota_story(const quota::Admission& admission, const quota::AdmitRequest& request) {
  QuotaStory story;
  story.words = admission.text;
  if (story.words.starts_with("quota: ")) story.words.erase(0, 7);
  story.rule = request.rule == quota::Rule::require ? "require"
               : request.rule == quota::Rule::warn  ? "warn"
               : request.rule == quota::Rule::off   ? "off"
                                                    : "";
  if (!admission.hold) return story;
  story.active = true;
  story.mode = quota::kEnforcement;
  story.grant = admission.jti;
  story.team = admission.team;
  story.gpus = request.demand.count;
  story.held = admission.hold->gpu_seconds();
  return story;
}

std::optional<Seconds> shorter(std::optional<Seconds> a, std::optional<Seconds> b) {
  if (!a) return b;
  if (!b) return a;
  return std::min(*a, *b);
}

}  // namespace topolaunch::launcher
