// SPDX-License-Identifier: Apache-2.0
#include "launcher/ab.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "launcher/bench_job.h"
#include "mapping/affinity.h"
#include "mapping/phases.h"
#include "mapping/rules.h"
#include "mapping/seats.h"

namespace topolaunch::launcher {
namespace {

/// Seconds that rounds are begun in, and what one round should take at most by the estimates: with
/// the start of eight hosts (1 to 1.5 s) all is over within 6 s.
constexpr double kMeasure = 3.4, kRound = 1.1;
constexpr Seconds kLimit{30};
/// Bytes that a rank sends in one phase, at most: it holds as many again to receive.
constexpr double kMostBytes = 256 << 20;

std::vector<mapping::Seat> seats_of(const mapping::Solution& solution) {
  std::vector<mapping::Seat> seats;
  for (const mapping::RankPlace& place : solution.placement) seats.push_back(place.seat);
  return seats;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

const char* name_of(mapping::Collective collective) {
  using mapping::Collective;
  switch (collective) {
    case Collective::allreduce:
    case Collective::reduce_scatter_allgather: return "allreduce";  // on host memory: a ring
    case Collective::allgather: return "allgather";
    case Collective::reduce_scatter: return "reduce_scatter";
    case Collective::alltoall: return "alltoall";
    case Collective::broadcast: return "broadcast";
    case Collective::path: return "path";
    case Collective::ring: return "ring";
  }
  return "allreduce";
}

/// What one rank holds for the largest phase of the trial.
std::int64_t most_bytes_of_a_rank(const mapping::RankGraph& graph) {
  std::int64_t most = 0;
  for (const mapping::Group& group : graph.groups) most = std::max(most, group.bytes.count());
  std::map<int, std::int64_t> pairs;
  for (const mapping::Edge& edge : graph.edges) {
    for (const int rank : {edge.a, edge.b}) most = std::max(most, pairs[rank] += edge.bytes);
  }
  return most;
}

/// The solved plan with a process more for every seat that the given order has besides; and which
/// process plays each rank of the given order.
Plan with_seats_of_both(const Plan& given_plan, const Plan& solved_plan,
                        const std::vector<mapping::Seat>& given,
                        const std::vector<mapping::Seat>& solved, std::vector<int>& order) {
  Plan plan = solved_plan;
  std::map<std::pair<int, int>, int> process;
  for (std::size_t r = 0; r < solved.size(); ++r) {
    process.emplace(std::pair(solved[r].host, solved[r].slot), static_cast<int>(r));
  }
  std::map<std::string, int> local;
  for (const RankPlan& rank : plan.ranks) ++local[rank.host];
  plan.host_ids.insert(given_plan.host_ids.begin(), given_plan.host_ids.end());
  for (std::size_t r = 0; r < given.size(); ++r) {
    const int next = static_cast<int>(plan.ranks.size());
    const auto [at, fresh] = process.emplace(std::pair(given[r].host, given[r].slot), next);
    order.push_back(at->second);
    if (!fresh) continue;
    RankPlan more = given_plan.ranks[r];
    more.rank = next;
    more.local_rank = local[more.host]++;
    const auto host = std::ranges::find(plan.hosts, more.host);
    more.group_rank = static_cast<int>(host - plan.hosts.begin());
    if (host == plan.hosts.end()) plan.hosts.push_back(more.host);
    plan.ranks.push_back(std::move(more));
  }
  return plan;
}

}  // namespace

AbJudgement judge_orders(std::vector<double> given, std::vector<double> solved) {
  AbJudgement judgement;
  if (given.size() != solved.size() || given.empty()) return judgement;
  if (given.size() >= 3) {
    given.erase(given.begin());
    solved.erase(solved.begin());
  }
  judgement.given = median(given);
  judgement.solved = median(solved);
  const std::size_t rounds = given.size();
  const bool solved_wins = judgement.solved < judgement.given;
  std::size_t otherwise = 0;
  for (std::size_t i = 0; i < rounds; ++i) {
    if ((solved[i] < given[i]) != solved_wins) ++otherwise;
  }
  const double better = std::min(judgement.given, judgement.solved);
  const double difference = std::abs(judgement.given - judgement.solved);
  if (difference > (rounds <= 2 ? 0.05 : 0.03) * better && otherwise * 5 <= rounds) {
    judgement.faster = solved_wins ? AbJudgement::Faster::solved : AbJudgement::Faster::given;
  }
  return judgement;
}

std::string given_order_fault(const topo::Topology& topology, const JobModel& model) {
  const auto pool = mapping::seat_pool(topology, model.constraints);
  if (!pool) return pool.error().message;
  const auto seats = mapping::given_seats(topology, *pool, model.constraints);
  const std::string fault = mapping::placement_fault(topology, *pool, model.constraints, seats);
  if (!fault.empty()) return fault;
  const auto rules = mapping::Rules::make(topology, model.graph, model.constraints);
  return rules ? rules->fault(seats) : rules.error().message;
}

mapping::Solution in_given_order(const topo::Topology& topology, const JobModel& model,
                                 const mapping::Solution& solution) {
  mapping::Solution out = solution;
  const auto pool = mapping::seat_pool(topology, model.constraints);
  if (!pool) return out;  // it was solved, so there is one
  const auto seats = mapping::given_seats(topology, *pool, model.constraints);
  const auto affinities = mapping::affinity_of(topology, seats);
  std::map<int, int> local;
  out.placement.clear();
  for (std::size_t r = 0; r < seats.size(); ++r) {
    out.placement.push_back(
        {static_cast<int>(r), seats[r], local[seats[r].host]++, affinities[r]});
  }
  out.solution = solution.given;
  out.solver = "identity";
  out.changes.clear();
  out.reasons.clear();
  out.gain = {};
  return out;
}

Json order_trial_json(const mapping::RankGraph& graph, const std::vector<std::vector<int>>& orders,
                      double scale, double seconds) {
  Json json;
  json["orders"] = orders;
  json["seconds"] = seconds;
  json["phases"] = Json::array();
  const auto scaled = [&](std::int64_t bytes) {
    return std::max<std::int64_t>(4, std::llround(static_cast<double>(bytes) * scale));
  };
  // Groups of one dimension run side by side, as long as no rank is in two of them.
  std::vector<std::pair<const mapping::Group*, std::set<int>>> open;
  for (const mapping::Group& group : graph.groups) {
    if (group.members.size() < 2) continue;
    std::size_t phase = open.size();
    for (std::size_t p = 0; p < open.size() && phase == open.size(); ++p) {
      const mapping::Group& first = *open[p].first;
      const bool alike = first.dimension == group.dimension && first.bytes == group.bytes &&
                         first.collective == group.collective;
      const bool apart = std::ranges::none_of(
          group.members, [&](int rank) { return open[p].second.contains(rank); });
      if (alike && apart) phase = p;
    }
    if (phase == open.size()) {
      open.emplace_back(&group, std::set<int>());
      json["phases"].push_back(Json{{"collective", name_of(group.collective)},
                                    {"bytes", scaled(group.bytes.count())},
                                    {"groups", Json::array()}});
    }
    open[phase].second.insert(group.members.begin(), group.members.end());
    json["phases"][phase]["groups"].push_back(group.members);
  }
  if (!graph.edges.empty()) {
    Json pairs = Json::array();
    for (const mapping::Edge& edge : graph.edges) {
      pairs.push_back(Json::array({edge.a, edge.b, scaled(edge.bytes)}));
    }
    json["phases"].push_back(Json{{"collective", "pairs"}, {"pairs", std::move(pairs)}});
  }
  return json;
}

Result<AbOutcome> compare_orders(const Plan& given_plan, const Plan& solved_plan,
                                 const mapping::Solution& given, const mapping::Solution& solved,
                                 const mapping::RankGraph& graph, const Outside& outside) {
  AbOutcome outcome;
  const auto given_seats = seats_of(given);
  const auto solved_seats = seats_of(solved);
  if (given_seats == solved_seats) {
    outcome.words = "ab      the solved order is the given one: nothing to compare";
    return outcome;
  }
  std::vector<std::vector<int>> orders(2);
  const Plan both =
      with_seats_of_both(given_plan, solved_plan, given_seats, solved_seats, orders[0]);
  for (std::size_t r = 0; r < solved_seats.size(); ++r) orders[1].push_back(static_cast<int>(r));
  const double round = solved.given.seconds.count() + solved.solution.seconds.count();
  const double most = static_cast<double>(most_bytes_of_a_rank(graph));
  const double scale = std::min({1.0, round > 0 ? kRound / round : 1.0,
                                 most > 0 ? kMostBytes / most : 1.0});
  const Json trial = order_trial_json(graph, orders, scale, kMeasure);

  BenchWish wish;
  wish.arguments = {"__orders", "-"};
  wish.input = to_line(trial);
  wish.limit = kLimit;
  auto json = topobench_document(both, wish, outside);
  if (!json) return fail(std::move(json).error());
  std::vector<std::vector<double>> seconds;
  try {
    seconds = json->at("seconds").get<std::vector<std::vector<double>>>();
  } catch (const Json::exception&) {
    seconds.clear();
  }
  if (seconds.size() != 2 || seconds[0].empty() || seconds[0].size() != seconds[1].size()) {
    return fail(Code::could_not_test, "topobench's times of the two orders are not whole");
  }
  const AbJudgement judged = judge_orders(seconds[0], seconds[1]);
  using Faster = AbJudgement::Faster;
  outcome.given_runs = judged.faster != Faster::solved;
  const std::string times = fmt::format(
      "given order {}, solved order {} (median of {} round{}{})",
      topolaunch::to_text(Seconds(judged.given)), topolaunch::to_text(Seconds(judged.solved)),
      seconds[0].size(), seconds[0].size() == 1 ? "" : "s",
      scale < 1 ? fmt::format(", {:.0f} % of the bytes", 100 * scale) : "");
  outcome.words =
      "ab      " + times + ": " +
      (judged.faster == Faster::solved  ? "the solved order runs"
       : judged.faster == Faster::given ? "the given order runs"
                                        : "the difference is noise, the given order runs");
  const auto side = [](const Plan& plan, const std::vector<double>& times_of, double middle,
                       const mapping::Estimate& estimate) {
    Json hosts = Json::array();
    for (const RankPlan& rank : plan.ranks) hosts.push_back(rank.host);
    return Json{{"hosts", std::move(hosts)},
                {"seconds", times_of},
                {"median", middle},
                {"estimate", estimate.seconds.count()}};
  };
  Json evidence;
  evidence["schema"] = "topolaunch.ab/1";
  evidence["pattern"] = graph.origin;
  evidence["backend"] = json->value("backend", "");
  evidence["bytes_scale"] = scale;
  evidence["given"] = side(given_plan, seconds[0], judged.given, solved.given);
  evidence["solved"] = side(solved_plan, seconds[1], judged.solved, solved.solution);
  evidence["difference"] = judged.faster == Faster::neither ? "noise" : "real";
  evidence["runs"] = outcome.given_runs ? "given" : "solved";
  outcome.evidence = to_pretty(evidence);
  return outcome;
}

Status choose_by_measurement(const PlanRequest& wanted, const JobModel& model, Story& story,
                             const RunFiles& record, const Outside& outside, const Voice& voice) {
  if (const std::string fault = given_order_fault(story.topology, model); !fault.empty()) {
    voice.say("--ab: the given order is not allowed (" + fault + "): the solved order runs");
    return {};
  }
  const mapping::Solution given = in_given_order(story.topology, model, story.solution);
  PlanRequest request{story.topology, wanted.graph, given, wanted.visible, wanted.environment,
                      wanted.options, wanted.engine, wanted.id, wanted.executable,
                      wanted.working_directory, wanted.master_address, wanted.master_port,
                      wanted.host_ids};
  Plan plan = make_plan(request);
  plan.time_limit = story.plan.time_limit;
  plan.run_directory = story.plan.run_directory;
  auto outcome = compare_orders(plan, story.plan, given, story.solution, model.graph, outside);
  if (!outcome) {
    Error error = std::move(outcome).error();
    const bool ends = exit_status(error.code) > 128 || error.code == Code::try_again;
    if (ends || story.plan.strict) return fail(std::move(error));
    voice.say("--ab: " + error.text() + ": the solved order runs unmeasured");
    return {};
  }
  voice.say(outcome->words);
  if (!outcome->evidence.empty()) record.store("ab.json", outcome->evidence);
  if (!outcome->given_runs) return {};
  story.plan = std::move(plan);
  story.solution = given;
  story.phases = mapping::phases_of(story.topology, model.graph, given);
  story.solution.gain.why = "no gain possible: measured, the given order is no slower";
  return {};
}

}  // namespace topolaunch::launcher
