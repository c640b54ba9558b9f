// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/summary.h"

#include <nlohmann/json.hpp>

#include "launcher/report/closing.h"

namespace topolaunch::launcher {
namespace {

Json failure_json(const Plan& plan, const RankEnding& failure) {
  Json json;
  json["rank"] = failure.rank;
  json["host"] = failure.host;
  for (const RankPlan& rank : plan.ranks) {
    if (rank.rank == failure.rank && rank.gpu_index >= 0) json["gpu"] = rank.gpu_pci;
  }
  json["exit_status"] = failure.exit_status;
  json["signal"] = failure.signal;
  json["out_of_memory"] = failure.out_of_memory;
  json["text"] = failure_phrase(plan, failure);
  return json;
}

}  // namespace

std::string_view ended_by_name(Ending::By by) {
  switch (by) {
    case Ending::By::job: return "job";
    case Ending::By::time_limit: return "time-limit";
    case Ending::By::interrupt: return "interrupt";
    case Ending::By::signal: return "signal";
    case Ending::By::launch_failure: return "launch-failure";
    case Ending::By::host_lost: return "host-lost";
    case Ending::By::engine: return "engine";
    case Ending::By::output:
      return "output";
  }
  return "engine";
}

Json summary_json(const Story& story) {
  Json json;
  json["schema"] = "topolaunch.summary/1";
  json["run"] = story.plan.id;
  json["ended_by"] = ended_by_name(story.ending.by);
  json["exit_status"] = story.ending.exit_status;
  json["cause"] = story.ending.cause;
  json["first_failure"] = story.ending.first_failure
                              ? failure_json(story.plan, *story.ending.first_failure)
                              : Json();
  json["elapsed_seconds"] = story.ending.elapsed.count();
  json["engine"] = story.plan.engine;
  json["command"] = story.plan.command;
  json["hosts"] = story.plan.hosts;
  json["ranks"] = Json::array();
  for (const RankEnding& rank : story.ending.ranks) {
    json["ranks"].push_back(Json{{"rank", rank.rank},
                                 {"host", rank.host},
                                 {"exit_status", rank.exit_status},
                                 {"signal", rank.signal},
                                 {"out_of_memory", rank.out_of_memory},
                                 {"ended_by_us", rank.ended_by_us}});
  }
  json["estimate_seconds"] = story.solution.solution.seconds.count();
  json["given_seconds"] = story.solution.given.seconds.count();
  json["verdict"] = outcome_name(story.verdict.overall());
  json["quota"] = Json{{"mode", story.quota.mode},
                       {"rule", story.quota.rule},
                       {"grant", story.quota.grant},
                       {"team", story.quota.team},
                       {"gpus", story.quota.gpus},
                       {"held_gpu_seconds", story.quota.held},
                       {"charged_gpu_seconds", story.quota.charged},
                       {"text", story.quota.words}};
  json["files"] = story.directory;
  return json;
}

Json refusal_json(const std::string& run_id, const Error& error) {
  Json json;
  json["schema"] = "topolaunch.summary/1";
  json["run"] = run_id;
  json["ended_by"] = "refusal";
  json["exit_status"] = exit_status(error.code);
  json["cause"] = error.text();
  json["first_failure"] = Json();
  return json;
}

Json observations_json(const std::vector<RankObservation>& observations) {
  Json json;
  json["schema"] = "topolaunch.observation/1";
  json["ranks"] = Json::array();
  for (const RankObservation& o : observations) {
    json["ranks"].push_back(Json{{"rank", o.rank},
                                 {"pid", o.pid},
                                 {"host", o.host},
                                 {"cpus", o.cpus},
                                 {"numa", o.numa},
                                 {"memory_policy", o.memory_policy},
                                 {"visible_devices", o.visible_devices},
                                 {"gpu_uuid", o.gpu_uuid},
                                 {"gpu_pci", o.gpu_pci},
                                 {"nics", o.nics},
                                 {"problems", o.problems}});
  }
  return json;
}

Result<std::vector<RankObservation>> observations_from_json(const Json& json,
                                                            const std::string& file) {
  const auto wrong = [&](const std::string& what) {
    return fail(Error{Code::invalid_input, what, "it is written by topolaunch", file, 0});
  };
  if (!json.is_object() || json.value("schema", Json()) != "topolaunch.observation/1" ||
      !json.contains("ranks") || !json["ranks"].is_array()) {
    return wrong("not a topolaunch.observation/1 document");
  }
  std::vector<RankObservation> out;
  try {
    for (const Json& one : json["ranks"]) {
      RankObservation o;
      o.rank = one.at("rank").get<int>();
      o.pid = one.value("pid", 0);
      o.host = one.value("host", "");
      o.cpus = one.value("cpus", "");
      o.numa = one.value("numa", std::vector<int>{});
      o.memory_policy = one.value("memory_policy", "");
      o.visible_devices = one.value("visible_devices", "");
      o.gpu_uuid = one.value("gpu_uuid", "");
      o.gpu_pci = one.value("gpu_pci", "");
      o.nics = one.value("nics", std::vector<std::string>{});
      o.problems = one.value("problems", std::vector<std::string>{});
      out.push_back(std::move(o));
    }
  } catch (const Json::exception& error) {
    return wrong(std::string("an observation is not right: ") + error.what());
  }
  return out;
}

}  // namespace topolaunch::launcher
