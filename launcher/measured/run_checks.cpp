// SPDX-License-Identifier: Apache-2.0
#include "launcher/measured/run_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/counted.h"
#include "bench/bus_bandwidth.h"
#include "launcher/measured/culprit_checks.h"
#include "launcher/measured/missing_pairs.h"
#include "launcher/measured/wrong_elements.h"
#include "launcher/validate.h"

namespace topolaunch::launcher {
namespace {

Check check(std::string name, Outcome verdict, std::string measured, std::string expected,
            std::string source, std::string suspect = {}) {
  Check c;
  c.name = std::move(name);
  c.verdict = verdict;
  c.measured = std::move(measured);
  c.expected = std::move(expected);
  c.source = std::move(source);
  c.suspect = std::move(suspect);
  return c;
}

Check devices_check(const bench::Measurement& m) {
  std::map<std::tuple<std::string, std::string, int>, int> taken;
  std::string twice;
  bool told = true;  // which GPU the two share
  for (const bench::Device& d : m.devices) {
    if (d.device.empty() || d.device == "cpu") continue;
    // Releases before 2.13 tell the bus only, without the domain: "[0x1b]", and "[0x00]" where a
    // virtual machine gives each GPU a domain of its own. Then the number of the device tells more.
    const bool whole = d.device.find(':') != std::string::npos;
    const auto [other, fresh] = taken.try_emplace({d.host, d.device, whole ? -1 : d.index}, d.rank);
    if (!fresh && twice.empty()) {
      told = d.device != "0x00";
      twice = fmt::format("ranks {} and {} are both on {}{} of {}", other->second, d.rank,
                          whole ? "" : fmt::format("device {} ", d.index), d.device, d.host);
      if (!told) twice += ": this release doesn't tell their addresses";
    }
  }
  if (taken.empty()) {
    return check("devices", Outcome::not_applicable, "host memory", "each rank on a GPU of its own",
                 "");
  }
  return check("devices",
               twice.empty() ? Outcome::pass
               : told        ? Outcome::fail
                             : Outcome::could_not_test,
               fmt::format("{} under {}", counted(taken.size(), "GPU"), counted(m.ranks, "rank")),
               "each rank on a GPU of its own", "", twice);
}

/// The largest size, for information: a busbw by itself is neither good nor bad.
Check speed_of(const bench::Measurement& m) {
  const bench::SizeResult* top = largest(m);
  if (top == nullptr) {
    return check("speed", Outcome::could_not_test, "no figures", "", "",
                 "it ended before the first size");
  }
  return check("speed", Outcome::not_applicable,
               fmt::format("{} over {} on {}: {} busbw at {}", m.collective,
                           counted(m.ranks, "rank"), counted(m.hosts, "host"),
                           to_text(Bandwidth::bytes_per_second(top->out_of_place.busbw)),
                           to_text(Bytes(top->size))),
               "", "", "for information: no figure for such a machine was given (--expected FILE)");
}

Check unread_rows(const bench::NcclRun& run) {
  const std::size_t all = run.unread.size() + run.measurement.results.size();
  return check("rows", Outcome::could_not_test,
               fmt::format("{} of {} can't be read", run.unread.size(), counted(all, "row")),
               "all rows", "",
               fmt::format("skipped: line{} {}", run.unread.size() == 1 ? "" : "s",
                           fmt::join(run.unread, ", ")));
}

Check says_failed() {
  return check("results", Outcome::fail, "it says itself: out of bounds values, FAILED",
               "0 wrong elements", "");
}

/// What a run that broke off did measure says nothing about what it broke off at.
Check broken_off(const bench::Measurement& m, const std::string& why) {
  const auto sizes = static_cast<int>(m.results.size());
  const int asked = bench::sizes_asked_for(m.configuration);
  std::string measured =
      asked > sizes ? fmt::format("broke off after {} of {}", sizes, counted(asked, "size"))
                    : fmt::format("broke off after {}", counted(sizes, "size"));
  if (!m.results.empty()) measured += ", the last " + to_text(Bytes(m.results.back().size));
  return check("ended", Outcome::fail, std::move(measured), "all sizes, and the average", "",
               why.empty() ? "it says no reason" : why);
}

/// busbw is algbw times a factor that the number of ranks gives (nccl-tests' doc/PERFORMANCE.md). Where
/// it is another, the figures are not of these ranks: of groups of them (NCCL_TESTS_SPLIT), or the list
/// is cut.
std::optional<Check> other_ranks(const bench::Measurement& m) {
  const bench::SizeResult* top = largest(m);
  const double expected = bench::bus_factor(m.collective, m.ranks);
  if (top == nullptr || expected <= 0 || top->out_of_place.algbw <= 0) return std::nullopt;
  const double factor = top->out_of_place.busbw / top->out_of_place.algbw;
  // Both are printed with two decimals.
  const double rounding = 0.005e9 / top->out_of_place.algbw * (1 + factor);
  if (std::abs(factor - expected) <= 0.001 * expected + rounding) return std::nullopt;
  const auto off = [&](int ranks) { return std::abs(bench::bus_factor(m.collective, ranks) - factor); };
  int fit = 2;
  for (int ranks = 3; ranks <= 4096; ++ranks)
    if (off(ranks) < off(fit)) fit = ranks;
  std::string fits;
  if (off(fit) <= 0.005 * factor)
    fits = fmt::format("; {} would fit: {}", counted(fit, "rank"),
                       fit < m.ranks ? "groups of so many (NCCL_TESTS_SPLIT)?" : "is its list of devices cut?");
  return check("ranks", Outcome::could_not_test,
               fmt::format("busbw is {:.3f} of algbw, {} over {} has {:.3f}", factor, m.collective,
                           counted(m.ranks, "rank"), expected),
               "the factor of its ranks", "", "the figures are of other ranks than it lists" + fits);
}

}  // namespace

std::vector<Check> check_alone(const bench::Measurement& m,
                               const std::vector<ExpectedFigure>& expected) {
  std::vector<Check> checks;
  const bool one = m.ranks == 1;
  checks.push_back(
      check("ranks",
            one           ? Outcome::fail
            : m.ranks > 1 ? Outcome::pass
                          : Outcome::could_not_test,
            fmt::format("{} on {}", counted(m.ranks, "rank"), counted(m.hosts, "host")),
            "two or more", "",
            one            ? "a world of one rank communicates nothing"
            : m.ranks == 0 ? "it names no devices"
                           : ""));
  checks.push_back(devices_check(m));
  checks.push_back(wrong_elements_check(m));
  std::vector<Check> speeds;
  if (auto others = other_ranks(m)) speeds.push_back(std::move(*others));
  else speeds = check_expected(m, expected);
  if (speeds.empty()) speeds.push_back(speed_of(m));
  checks.insert(checks.end(), speeds.begin(), speeds.end());
  for (const auto& more : {check_culprits(m), missing_pairs(m, "")})
    checks.insert(checks.end(), more.begin(), more.end());
  const bool told_wrong = std::ranges::any_of(
      checks, [](const Check& c) { return c.name == "results" && c.verdict == Outcome::fail; });
  if (m.said_wrong && !told_wrong) checks.push_back(says_failed());
  if (!m.ended) checks.push_back(broken_off(m, ""));
  return checks;
}

std::vector<Check> check_run(const bench::NcclRun& run,
                             const std::vector<ExpectedFigure>& expected) {
  const bool more_ranks = std::ranges::any_of(run.measurement.devices, [](const bench::Device& d) { return d.rank > 0; });
  if (run.worlds > 1 && more_ranks) {
    return {check("ranks", Outcome::could_not_test,
                  fmt::format("the lines of {} runs are mixed", run.worlds), "one run after the other",
                  "", "give each run's output in a file of its own")};
  }
  if (run.worlds > 1) {
    return {check("ranks", Outcome::fail,
                  fmt::format("{} ranks call themselves rank 0", run.worlds), "one world of ranks",
                  "", lone_worlds(static_cast<std::size_t>(run.worlds)))};
  }
  std::vector<Check> checks = check_alone(run.measurement, expected);
  const bool told_wrong = std::ranges::any_of(
      checks, [](const Check& c) { return c.name == "results" && c.verdict == Outcome::fail; });
  if (run.said_failed && !told_wrong) {
    checks.push_back(says_failed());
  }
  if (!run.unread.empty()) checks.push_back(unread_rows(run));
  if (run.ended && !run.complaints.empty())
    checks.push_back(check("messages", Outcome::not_applicable,
                           counted(run.complaints.size(), "line") + " of an error in it", "", "",
                           run.complaints.front()));
  if (!run.ended)
    checks.push_back(broken_off(run.measurement, run.complaints.empty() ? "" : run.complaints.front()));
  return checks;
}

std::string lone_worlds(std::size_t worlds) {
  if (worlds == 1) return "a world of one rank communicates nothing";
  return fmt::format(
      "{} worlds of one rank each: none of them measured anything; nccl-tests has to be built with "
      "MPI=1 and started by that MPI's mpirun or srun",
      worlds);
}

}  // namespace topolaunch::launcher
