// SPDX-License-Identifier: Apache-2.0
#include "launcher/plan.h"

#include <algorithm>
#include <climits>
#include <nlohmann/json.hpp>

#include "launcher/json_fields.h"

namespace topolaunch::launcher {
namespace {

constexpr const char* kSchema = "topolaunch.plan/1";

}  // namespace

Json to_json(const RankPlan& rank) {
  Json json = Json::object();
  json["rank"] = rank.rank;
  json["host"] = rank.host;
  json["gpu"] = rank.gpu_pci;
  json["gpu_index"] = rank.gpu_index;
  json["gpu_uuid"] = rank.gpu_uuid;
  json["gpu_model"] = rank.gpu_model;
  json["gpu_instance"] = rank.gpu_instance;
  json["local_rank"] = rank.local_rank;
  json["group_rank"] = rank.group_rank;
  json["numa"] = rank.numa ? Json(*rank.numa) : Json(nullptr);
  json["cpus"] = rank.cpus.to_list();
  json["memory_nodes"] = rank.memory_nodes;
  json["nics"] = rank.nics;
  json["note"] = rank.note;
  Json environment = Json::object();
  for (const auto& [name, value] : rank.environment) environment[name] = word_to_json(value);
  json["environment"] = std::move(environment);
  return json;
}

Result<RankPlan> rank_plan_from_json(const Json& json, const std::string& file,
                                     const std::string& where) {
  JsonFields in(json, file, where);
  RankPlan rank;
  rank.rank = in.integer("rank", 0, INT_MAX - 1);
  rank.local_rank = in.integer_or("local_rank", 0, INT_MAX - 1, 0);
  rank.group_rank = in.integer_or("group_rank", 0, INT_MAX - 1, 0);
  rank.host = in.text("host");
  rank.gpu_index = in.integer_or("gpu_index", -1, 65535, -1);
  rank.gpu_uuid = in.text_or("gpu_uuid", {});
  rank.gpu_pci = in.text_or("gpu", {});
  rank.gpu_model = in.text_or("gpu_model", {});
  rank.gpu_instance = in.text_or("gpu_instance", {});
  if (in.has("numa")) rank.numa = in.integer("numa", 0, CpuSet::kMaxCpu);
  auto cpus = CpuSet::from_list(in.text_or("cpus", {}));
  if (cpus) {
    rank.cpus = std::move(*cpus);
  } else {
    in.wrong("cpus", "is not a CPU list");
  }
  rank.memory_nodes = in.integers_or_empty("memory_nodes", 0, CpuSet::kMaxCpu - 1);
  rank.nics = in.texts_or_empty("nics");
  rank.note = in.text_or("note", {});
  rank.environment = in.text_map_or_empty("environment");
  if (in.error()) return fail(*in.error());
  return rank;
}

Json to_json(const Plan& plan) {
  Json json = Json::object();
  json["schema"] = kSchema;
  json["id"] = plan.id;
  json["engine"] = plan.engine;
  json["engine_why"] = plan.engine_why;
  if (!plan.workload.empty()) {
    for (const auto& [name, value] : plan.workload) json["workload"][name] = word_to_json(value);
  }
  json["engine_args"] = words_to_json(plan.engine_args);
  json["command"] = words_to_json(plan.command);
  json["executable"] = word_to_json(plan.executable);
  json["working_directory"] = word_to_json(plan.working_directory);
  json["hosts"] = plan.hosts;
  if (!plan.host_ids.empty()) json["host_ids"] = plan.host_ids;
  Json ranks = Json::array();
  for (const RankPlan& rank : plan.ranks) ranks.push_back(to_json(rank));
  json["ranks"] = std::move(ranks);
  json["unset"] = words_to_json(plan.unset);
  json["master_address"] = plan.master_address;
  json["master_port"] = plan.master_port;
  json["time_limit_seconds"] = plan.time_limit ? Json(plan.time_limit->count()) : Json(nullptr);
  json["grace_seconds"] = plan.grace.count();
  json["tag"] = plan.tag == Plan::Tag::rank ? "rank" : "none";
  json["log_directory"] = word_to_json(plan.log_directory);
  json["run_directory"] = word_to_json(plan.run_directory);
  json["quiet"] = plan.quiet;
  if (plan.input) json["input"] = word_to_json(*plan.input);
  if (plan.unheard) json["unheard"] = true;
  json["strict"] = plan.strict;
  return json;
}

Result<Plan> plan_from_json(const Json& json, const std::string& file) {
  JsonFields in(json, file, "");
  if (const std::string schema = in.text("schema"); schema != kSchema) {
    in.wrong("schema", "is '" + schema + "', not '" + kSchema + "'");
  }
  Plan plan;
  plan.id = in.text("id");
  plan.engine = in.text("engine");
  plan.engine_why = in.text_or("engine_why", {});
  plan.workload = in.text_map_or_empty("workload");
  plan.engine_args = in.texts_or_empty("engine_args");
  plan.command = in.texts("command");
  if (plan.command.empty()) in.wrong("command", "is empty");
  plan.executable = in.text("executable");
  plan.working_directory = in.text_or("working_directory", {});
  plan.hosts = in.texts_or_empty("hosts");
  plan.host_ids = in.text_map_or_empty("host_ids");
  plan.unset = in.texts_or_empty("unset");
  plan.master_address = in.text_or("master_address", {});
  plan.master_port = in.integer_or("master_port", 0, 65535, 0);
  // A year is more than any job; the bound keeps arithmetic on times safe.
  constexpr double kYear = 366.0 * 86400;
  if (in.has("time_limit_seconds")) {
    plan.time_limit = Seconds(in.number_or("time_limit_seconds", 0, kYear, 0));
  }
  plan.grace = Seconds(in.number_or("grace_seconds", 0, kYear, 10));
  const std::string tag = in.text_or("tag", "none");
  if (tag == "rank") {
    plan.tag = Plan::Tag::rank;
  } else if (tag != "none") {
    in.wrong("tag", "is neither none nor rank");
  }
  plan.log_directory = in.text_or("log_directory", {});
  plan.run_directory = in.text_or("run_directory", {});
  plan.quiet = in.flag_or("quiet", false);
  if (in.has("input")) plan.input = in.text("input");
  plan.unheard = in.flag_or("unheard", false);
  plan.strict = in.flag_or("strict", false);
  if (const Json* const ranks = in.array("ranks")) {
    if (ranks->empty()) in.wrong("ranks", "is empty");
    for (std::size_t i = 0; i < ranks->size(); ++i) {
      auto rank = rank_plan_from_json((*ranks)[i], file, "ranks[" + std::to_string(i) + "]");
      if (!rank) return tl::unexpected(std::move(rank).error());
      if (rank->rank != static_cast<int>(i)) {
        in.wrong("ranks", "are not numbered 0, 1, 2, ... in order");
      }
      plan.ranks.push_back(std::move(*rank));
    }
  }
  if (in.error()) return fail(*in.error());
  return plan;
}

}  // namespace topolaunch::launcher
