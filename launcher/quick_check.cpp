// SPDX-License-Identifier: Apache-2.0
#include "launcher/quick_check.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "launcher/bench_job.h"
#include "launcher/measured/culprit_checks.h"
#include "launcher/passed_before.h"
#include "launcher/progress_line.h"
#include "launcher/validate.h"
#include "mapping/cost.h"
#include "mapping/patterns.h"

namespace topolaunch::launcher {
namespace {

/// Axes of the job along which ranks have different coordinates: "tp,dp".
std::string axes_of(const Plan& plan) {
  std::string axes;
  for (const std::string axis : {"tp", "cp", "ep", "dp", "pp"}) {
    std::string variable = "TOPOLAUNCH_";
    for (const char c : axis) variable += static_cast<char>(c - 'a' + 'A');
    std::set<std::string> values;
    for (const RankPlan& rank : plan.ranks) {
      const auto it = rank.environment.find(variable);
      if (it != rank.environment.end()) values.insert(it->second);
    }
    if (values.size() > 1) axes += (axes.empty() ? "" : ",") + axis;
  }
  return axes;
}

/// Every pair of ranks is measured up to so many of them; of more, one rank a host.
constexpr std::size_t kMostPaired = 32;

/// Sizes: quick has one in the bandwidth-bound range of every machine and few iterations; full is
/// nccl-tests' usual sweep, the job's groups, and pairs where there are links to tell apart.
BenchWish wish_for(const std::string& validate, bool gpus, const Plan& plan) {
  BenchWish wish;
  if (validate == "full") {
    // Bounded by time too: over a slow network one run of the larger sizes takes seconds.
    wish.arguments = {"-b", "8", "-e", gpus ? "1G" : "64M", "-f", "2", "-n", "20", "-w", "5",
                      "--size-time", gpus ? "2" : "0.5"};
    if (const std::string axes = axes_of(plan); !axes.empty()) {
      wish.arguments.insert(wish.arguments.end(), {"--groups", axes});
    }
    if (plan.ranks.size() > 2 && (gpus || plan.hosts.size() > 2)) {
      wish.arguments.insert(wish.arguments.end(), {"--pairs", "all"});
      if (plan.ranks.size() > kMostPaired && plan.hosts.size() > 2) {
        wish.arguments.emplace_back("--pairs-per-host");
      }
    }
    wish.limit = Seconds(600);
  } else {
    // Host memory is measured on CPUs that the machine may be using otherwise: less of it.
    if (gpus) {
      wish.arguments = {"-b", "1M", "-e", "256M", "-f", "16", "-n", "5", "-w", "2"};
    } else {
      wish.arguments = {"-b", "256K", "-e", "4M", "-f", "16", "-n", "3", "-w", "1"};
    }
    wish.limit = Seconds(20);
  }
  // A step is one run, or a wait for the other ranks: on a busy machine that takes a while.
  wish.arguments.insert(wish.arguments.end(), {"-T", validate == "full" ? "60" : "10"});
  return wish;
}

std::optional<mapping::Estimate> estimate_for(const Story& story, std::int64_t bytes) {
  std::vector<mapping::Seat> seats;
  for (const mapping::RankPlace& place : story.solution.placement) seats.push_back(place.seat);
  const mapping::RankGraph graph =
      mapping::world_allreduce(static_cast<int>(seats.size()), Bytes(bytes));
  mapping::Estimate estimate = mapping::evaluate(story.topology, graph, seats);
  if (estimate.seconds.count() <= 0) return std::nullopt;
  return estimate;
}

/// On a terminal a line that is written over, else a line every ten seconds; nothing with --quiet.
std::function<void(Seconds, const std::string&)> told_by(const Voice& voice, bool quiet,
                                                         Seconds limit, ProgressLine& line) {
  if (quiet) return {};
  return [&voice, &line, limit](Seconds elapsed, const std::string& reached) {
    const std::string text =
        "measuring for " + to_text(Seconds(std::round(elapsed.count()))) + ", at most " +
        to_text(limit) + (reached.empty() ? "" : ": " + reached + " is done");
    ProgressLine::possible() ? line.draw(text) : voice.say(text);
  };
}

/// NVIDIA's driver shows one of these: the second under WSL.
bool has_gpu_driver(const Files& files) {
  return files.exists("/dev/nvidiactl") || files.exists("/dev/dxg");
}

}  // namespace

MeasureDecision decide_measure(const std::string& validate, const Plan& plan,
                               const Outside& outside, bool topology_given) {
  MeasureDecision decision;
  decision.asked = validate == "quick" || validate == "full";
  if (plan.ranks.size() < 2) {
    decision.why_not = "one rank";
    decision.asked = false;
    return decision;
  }
  std::set<std::pair<std::string, int>> gpus;
  std::size_t on_gpus = 0;
  for (const RankPlan& rank : plan.ranks) {
    if (rank.gpu_index < 0) continue;
    ++on_gpus;
    gpus.emplace(rank.host, rank.gpu_index);
  }
  if (gpus.size() < on_gpus) {
    decision.why_not = "ranks share GPUs, which NCCL refuses";
    return decision;
  }
  if (topology_given && on_gpus > 0 && plan.hosts.size() == 1 && !has_gpu_driver(outside.files)) {
    decision.why_not = "the topology given has GPUs, and this machine has none (no /dev/nvidiactl)";
    return decision;
  }
  if (decision.asked) {
    decision.measure = true;
    return decision;
  }
  if (validate != "auto") {
    decision.why_not = "--validate " + validate;
    return decision;
  }
  if (gpus.size() < 2 && plan.hosts.size() < 2) {
    decision.why_not = "--validate quick would";
    return decision;
  }
  const auto before = passed_before(pass_key(plan), outside);
  if (before && !before->boot_id.empty() && before->boot_id == boot_id(outside.files)) {
    decision.why_not = "passed since boot (" + before->reference.source + ")";
    return decision;
  }
  decision.measure = true;
  return decision;
}

Status measure_before(const RunOptions& options, Story& story, const Outside& outside,
                      const Voice& voice) {
  const MeasureDecision decision =
      decide_measure(options.validate, story.plan, outside, !options.topology.topologies.empty());
  story.not_measured = decision.why_not;
  if (!decision.measure) {
    if (decision.asked) {
      Check check;
      check.name = "allreduce";
      check.verdict = Outcome::could_not_test;
      check.suspect = decision.why_not;
      story.verdict.checks.push_back(std::move(check));
    }
    return {};
  }
  const bool gpus = std::ranges::any_of(
      story.plan.ranks, [](const RankPlan& rank) { return rank.gpu_index >= 0; });
  BenchWish wish = wish_for(options.validate, gpus, story.plan);
  if (gpus && !story.directory.empty() && story.plan.hosts.size() == 1) {
    wish.nccl_topology = story.directory + "/nccl-topology.xml";
  }
  // What can be seen without measuring first: it may be why nothing can be measured.
  std::vector<Check> checks;
  if (gpus) checks = check_links(story.topology);
  const bool links_good = std::ranges::none_of(
      checks, [](const Check& check) { return check.verdict == Outcome::fail; });
  story.verdict.checks.insert(story.verdict.checks.end(), checks.begin(), checks.end());
  voice.detail("measuring the placement with topobench");
  auto measurement = [&] {
    ProgressLine line;
    wish.progress = told_by(voice, options.quiet, wish.limit, line);
    return measure(story.plan, wish, outside);
  }();
  if (!measurement) {
    // Ended by a signal (128 + n): the user wants no job any more either. A host that has changed:
    // the job would find the same.
    const Code code = measurement.error().code;
    if (exit_status(code) > 128 || code == Code::try_again) {
      return fail(std::move(measurement).error());
    }
    story.not_measured = measurement.error().message;
    Check check;
    check.name = "allreduce";
    check.suspect = measurement.error().text();
    // Not asked for by name and not possible here (no topobench, no mpirun): no blemish of the run.
    check.verdict = decision.asked || measurement.error().code != Code::unavailable
                        ? Outcome::could_not_test
                        : Outcome::not_applicable;
    story.verdict.checks.push_back(std::move(check));
    return {};
  }
  const bench::SizeResult* const top = largest(*measurement);
  const auto estimate = top != nullptr ? estimate_for(story, top->size) : std::nullopt;
  if (estimate) story.measured_estimate = estimate->seconds;
  std::optional<Reference> reference;
  const std::string hash = pass_key(story.plan);
  // Host memory shared with other programs varies too much to be held against an earlier run.
  if (const auto before = passed_before(hash, outside);
      before && measured_on_gpus(*measurement) && before->backend == measurement->backend &&
      top != nullptr && before->reference.size == top->size) {
    reference = before->reference;
  }
  checks = check_measurement(story.plan, *measurement, estimate, reference);
  for (Check& check : check_culprits(*measurement)) checks.push_back(std::move(check));
  story.verdict.checks.insert(story.verdict.checks.end(), checks.begin(), checks.end());
  const bool good = links_good && std::ranges::none_of(checks, [](const Check& check) {
    return check.verdict == Outcome::fail || check.verdict == Outcome::could_not_test;
  });
  if (good) remember_pass(hash, story.plan.id, *measurement, outside);
  story.measurement = std::move(*measurement);
  return {};
}

}  // namespace topolaunch::launcher
