// SPDX-License-Identifier: Apache-2.0
#include "launcher/manifest.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/capabilities.h"
#include "launcher/report/summary.h"
#include "quota/digest.h"
#include "topo/topology_json.h"

namespace topolaunch::launcher {
namespace {

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

Json where_json(const Story& story) {
  Json where;
  where["hosts"] = story.plan.hosts;
  where["kernel"] = "";
  utsname name{};
  if (::uname(&name) == 0) {
    where["kernel"] = std::string(name.sysname) + " " + name.release + " " + name.machine;
  }
  where["gpus"] = Json::array();
  for (const RankPlan& rank : story.plan.ranks) {
    if (rank.gpu_index < 0) continue;
    where["gpus"].push_back(Json{{"rank", rank.rank},
                                 {"host", rank.host},
                                 {"uuid", rank.gpu_uuid},
                                 {"pci", rank.gpu_pci},
                                 {"model", rank.gpu_model}});
  }
  return where;
}

}  // namespace

std::string program_sha256(const std::string& path, const Files& files) {
  const auto content = files.read(path, std::size_t{64} << 20);
  return content ? quota::sha256_hex(*content) : std::string();
}

std::string placement_hash(const Plan& plan) {
  std::string text;
  for (const RankPlan& rank : plan.ranks) {
    text += std::to_string(rank.rank) + " " + rank.host + " " +
            (rank.gpu_uuid.empty() ? rank.gpu_pci : rank.gpu_uuid) + " " + rank.cpus.to_list() +
            "\n";
  }
  return quota::sha256_hex(text);
}

std::string git_commit(const std::string& folder, const Files& files) {
  std::string at = folder;
  while (!at.empty()) {
    const std::string git = at + "/.git";
    if (const auto head = files.read(git + "/HEAD", 4096)) {
      const std::string text = trimmed(*head);
      if (!text.starts_with("ref: ")) return text;
      const auto commit = files.read(git + "/" + text.substr(5), 4096);
      return commit ? trimmed(*commit) : std::string();  // packed refs are not looked through
    }
    const auto slash = at.rfind('/');
    if (slash == std::string::npos || slash == 0) return {};
    at.erase(slash);
  }
  return {};
}

Json manifest_json(const Story& story, const Outside& outside) {
  Json json;
  json["schema"] = "topolaunch.manifest/1";
  json["run"] = story.plan.id;
  json["topolaunch"] = build_version();
  json["who"] = Json{{"user", story.user}, {"uid", ::geteuid()}, {"team", story.quota.team},
                     {"grant", story.quota.grant}};
  json["policy"] = Json{{"enforcement", story.quota.mode},
                        {"rule", story.quota.rule},
                        {"gpus", story.quota.gpus},
                        {"held_gpu_seconds", story.quota.held},
                        {"charged_gpu_seconds", story.quota.charged}};
  std::string boot_id;
  if (const auto id = outside.files.read("/proc/sys/kernel/random/boot_id", 256)) {
    boot_id = trimmed(*id);
  }
  json["when"] = Json{{"started", story.started},
                      {"ended", story.ended},
                      {"elapsed_seconds", story.ending.elapsed.count()},
                      {"clock", "CLOCK_REALTIME for times, CLOCK_BOOTTIME for durations"},
                      {"boot_id", boot_id}};
  json["what"] = Json{{"argv", story.plan.command},
                      {"typed", story.typed},
                      {"working_directory", story.plan.working_directory},
                      {"executable", story.plan.executable},
                      {"executable_sha256", story.executable_sha256},
                      {"git_commit", git_commit(story.plan.working_directory, outside.files)}};
  json["where"] = where_json(story);
  json["topology_sha256"] = quota::sha256_hex(to_line(topo::to_json(story.topology)));
  Json placement;
  placement["sha256"] = placement_hash(story.plan);
  placement["solver"] = story.solution.solver;
  placement["graph"] = story.graph_origin;
  placement["changes"] = story.solution.changes;
  placement["estimate_seconds"] = story.solution.solution.seconds.count();
  placement["given_seconds"] = story.solution.given.seconds.count();
  placement["model"] = story.solution.solution.model;
  placement["phases"] = Json::array();
  for (const mapping::Phase& phase : story.phases) {
    placement["phases"].push_back(Json{{"dimension", phase.dimension},
                                       {"groups", phase.groups},
                                       {"ranks", phase.ranks},
                                       {"bytes", phase.bytes.count()},
                                       {"seconds", phase.seconds.count()}});
  }
  placement["bytes_by_level"] = Json::array();
  for (const mapping::LevelLoad& load : story.solution.solution.bytes_by_level) {
    placement["bytes_by_level"].push_back(Json{{"level", load.level}, {"bytes", load.bytes}});
  }
  const mapping::LinkLoad& busiest = story.solution.solution.max_link;
  placement["max_link"] = Json{{"name", busiest.name},
                               {"bytes", busiest.bytes},
                               {"seconds", busiest.seconds.count()}};
  json["placement"] = std::move(placement);
  json["verdict"] = outcome_name(story.verdict.overall());
  json["environment_names"] = Json::array();
  for (const auto& [name, value] : outside.environment.variables()) {
    json["environment_names"].push_back(name);
  }
  json["result"] = Json{{"ended_by", ended_by_name(story.ending.by)},
                        {"exit_status", story.ending.exit_status},
                        {"cause", story.ending.cause}};
  return json;
}

}  // namespace topolaunch::launcher
