// SPDX-License-Identifier: Apache-2.0
#include "launcher/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/counted.h"
#include "base/lower_case.h"
#include "launcher/measured/expected.h"
#include "launcher/measured/wrong_elements.h"

namespace topolaunch::launcher {
namespace {

/// Counts how many ranks a test holds for and remembers the first for which it does not.
class RankCount {
 public:
  void add(bool good, const std::string& suspect) {
    ++all_;
    if (good) ++good_;
    if (!good && suspect_.empty()) suspect_ = suspect;
  }
  Check check(std::string name, std::string expected) const {
    Check out;
    out.name = std::move(name);
    out.expected = std::move(expected);
    out.source = "plan";
    out.measured = fmt::format("{} of {}", good_, counted(all_, "rank"));
    out.suspect = suspect_;
    out.verdict = all_ == 0 ? Outcome::not_applicable
                            : (good_ == all_ ? Outcome::pass : Outcome::fail);
    return out;
  }

 private:
  int all_ = 0, good_ = 0;
  std::string suspect_;
};

/// "h07" and "h07.cluster.example" are one host.
bool same_host(const std::string& a, const std::string& b) {
  return a == b || a.starts_with(b + ".") || b.starts_with(a + ".");
}

Check check_gpus(const Plan& plan, const std::map<int, const RankObservation*>& seen) {
  RankCount count;
  int unasked = 0;
  std::string why;
  for (const RankPlan& rank : plan.ranks) {
    const auto it = seen.find(rank.rank);
    if (rank.gpu_index < 0 || it == seen.end()) continue;
    const RankObservation& o = *it->second;
    const auto none = std::ranges::find_if(
        o.problems, [](const std::string& problem) { return problem.starts_with("no GPU"); });
    if (none != o.problems.end()) {
      count.add(false, fmt::format("rank {} on {}: {}", rank.rank, rank.host, *none));
      continue;
    }
    if (o.gpu_uuid.empty() && o.gpu_pci.empty()) {
      ++unasked;
      if (why.empty() && !o.problems.empty()) why = o.problems.front();
      continue;
    }
    const bool same = !rank.gpu_uuid.empty() && !o.gpu_uuid.empty()
                          ? o.gpu_uuid == rank.gpu_uuid
                          : lower_case(o.gpu_pci) == lower_case(rank.gpu_pci);
    count.add(same, fmt::format("rank {} on {}: has {} {}, planned {} {}", rank.rank, rank.host,
                                o.gpu_pci, o.gpu_uuid, rank.gpu_pci, rank.gpu_uuid));
  }
  Check check = count.check("gpus", "cuda:LOCAL_RANK is the planned GPU");
  if (unasked > 0 && check.verdict != Outcome::fail) {
    check.verdict = Outcome::could_not_test;
    check.suspect = why.empty() ? "NVML could not be asked inside the ranks" : why;
  }
  return check;
}

/// Where the measuring ranks were. A plan may call a host by an alias or an address: only the name
/// of another host of the plan is a contradiction.
Check check_bench_hosts(const Plan& plan, const bench::Measurement& measurement) {
  RankCount hosts;
  for (const bench::Device& device : measurement.devices) {
    const auto rank = std::ranges::find(plan.ranks, device.rank, &RankPlan::rank);
    if (rank == plan.ranks.end()) continue;
    const bool another = std::ranges::any_of(plan.ranks, [&](const RankPlan& other) {
      return !same_host(other.host, rank->host) && same_host(other.host, device.host);
    });
    hosts.add(!another, fmt::format("rank {}: runs on {}, planned {}", device.rank, device.host,
                                    rank->host));
  }
  return hosts.check("bench-hosts", "as planned");
}

}  // namespace

Check check_topology(const topo::Topology& topology) {
  Check check;
  check.name = "topology";
  check.verdict = Outcome::pass;
  check.expected = "no warning";
  check.source = "discovery";
  int warnings = 0;
  for (const topo::Warning& warning : topology.warnings) {
    if (warning.severity == topo::Warning::Severity::note) continue;
    if (++warnings == 1) check.suspect = warning.message + " [" + warning.code + "]";
  }
  check.measured = counted(warnings, "warning");
  if (warnings > 0) check.verdict = Outcome::fail;
  return check;
}

std::vector<Check> check_placement(const Plan& plan,
                                   const std::vector<RankObservation>& observations,
                                   const std::vector<RankEnding>& ends) {
  std::set<int> cut_off;
  for (const RankEnding& end : ends) {
    if (end.ended_by_us) cut_off.insert(end.rank);
  }
  std::map<int, const RankObservation*> seen;
  for (const RankObservation& one : observations) seen[one.rank] = &one;
  std::vector<Check> checks;
  RankCount present;
  RankCount hosts;
  RankCount cpus;
  int unbound = 0;
  for (const RankPlan& rank : plan.ranks) {
    const auto it = seen.find(rank.rank);
    if (it == seen.end() && cut_off.contains(rank.rank)) continue;
    present.add(it != seen.end(),
                fmt::format("rank {} on {} reported nothing", rank.rank, rank.host));
    if (it == seen.end()) continue;
    const RankObservation& o = *it->second;
    hosts.add(o.on_planned_host.value_or(same_host(o.host, rank.host)),
              fmt::format("rank {}: runs on {}, planned {}", rank.rank, o.host, rank.host));
    if (rank.cpus.empty()) {
      ++unbound;
      continue;
    }
    cpus.add(o.cpus == rank.cpus.to_list(),
             fmt::format("rank {} on {}: has CPUs {}, planned {}", rank.rank, rank.host, o.cpus,
                         rank.cpus.to_list()));
  }
  checks.push_back(present.check("ranks", "each rank reports once"));
  checks.push_back(hosts.check("hosts", "as planned"));
  checks.push_back(cpus.check("cpus", "bound as planned"));
  if (unbound > 0 && checks.back().verdict == Outcome::not_applicable) {
    checks.back().suspect = "the plan binds no CPUs";
  }
  checks.push_back(check_gpus(plan, seen));
  return checks;
}

const bench::SizeResult* largest(const bench::Measurement& measurement) {
  const bench::SizeResult* best = nullptr;
  for (const bench::SizeResult& result : measurement.results) {
    if (best == nullptr || result.size > best->size) best = &result;
  }
  return best;
}

bool measured_on_gpus(const bench::Measurement& measurement) {
  return !measurement.devices.empty() &&
         std::ranges::none_of(measurement.devices, [](const bench::Device& device) {
           return device.device.empty() || device.device.starts_with("cpu");
         });
}

std::vector<Check> check_measurement(const Plan& plan, const bench::Measurement& measurement,
                                     const std::optional<mapping::Estimate>& estimate,
                                     const std::optional<Reference>& reference) {
  std::vector<Check> checks;
  const int planned = static_cast<int>(plan.ranks.size());
  checks.push_back({"bench-ranks", measurement.ranks == planned ? Outcome::pass : Outcome::fail,
                    counted(measurement.ranks, "rank"), counted(planned, "rank"), "plan",
                    measurement.ranks == planned ? "" : "the benchmark ran another world"});

  if (plan.hosts.size() > 1) checks.push_back(check_bench_hosts(plan, measurement));
  const bool gpus = measured_on_gpus(measurement);
  if (gpus) {
    std::set<std::pair<std::string, std::string>> devices;
    std::string twice;
    for (const bench::Device& device : measurement.devices) {
      if (!devices.emplace(device.host, device.device).second && twice.empty()) {
        twice = fmt::format("{} on {} has two ranks", device.device, device.host);
      }
    }
    checks.push_back({"bench-devices", twice.empty() ? Outcome::pass : Outcome::fail,
                      fmt::format("{} devices", devices.size()),
                      fmt::format("{} devices", planned), "plan", twice});
  }

  Check results = wrong_elements_check(measurement);
  results.source = "exact sums";
  checks.push_back(results);

  const bench::SizeResult* const top = largest(measurement);
  const bool plan_has_gpus = std::ranges::any_of(
      plan.ranks, [](const RankPlan& rank) { return rank.gpu_index >= 0; });
  Check speed;
  speed.name = measurement.collective;
  if (top == nullptr || top->out_of_place.time.count() <= 0) {
    speed.verdict = Outcome::could_not_test;
    speed.suspect = "nothing was measured";
    checks.push_back(speed);
    return checks;
  }
  const double busbw = top->out_of_place.busbw;
  speed.measured = fmt::format("{} {} in {}, {} busbw ({})", to_text(Bytes(top->size)),
                               measurement.collective, to_text(top->out_of_place.time),
                               to_text(Bandwidth::bytes_per_second(busbw)), measurement.backend);
  if (plan_has_gpus && !gpus) {
    speed.verdict = Outcome::could_not_test;
    speed.suspect = "measured on the CPU (" + measurement.backend +
                    "): says nothing about the planned GPUs";
  } else if (reference && reference->busbw > 0) {
    Check held = speed_check(measurement.collective, top->size, busbw, reference->busbw,
                             reference->source, true);
    held.measured = speed.measured;
    speed = std::move(held);
  } else if (estimate && estimate->seconds.count() > 0) {
    speed.expected = fmt::format("{} (estimate)", to_text(estimate->seconds));
    speed.source = estimate->model;
    speed.verdict = Outcome::not_applicable;
    speed.suspect = "for information: a model's estimate decides nothing";
  } else {
    speed.verdict = Outcome::not_applicable;
    speed.suspect = "for information: no estimate, no earlier measurement";
  }
  checks.push_back(speed);
  return checks;
}

}  // namespace topolaunch::launcher
