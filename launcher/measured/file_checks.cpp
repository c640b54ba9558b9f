// SPDX-License-Identifier: Apache-2.0
#include "launcher/measured/file_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "base/counted.h"
#include "bench/nccl_log.h"
#include "launcher/measured/culprit_checks.h"
#include "launcher/measured/leaves_of_figures.h"
#include "launcher/measured/missing_pairs.h"
#include "launcher/measured/pair_file.h"
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

std::vector<Check> named(std::vector<Check> checks, const std::string& where) {
  for (Check& c : checks) {
    if (c.source.empty()) c.source = where;
  }
  return checks;
}

Check unread_rows(const bench::NcclRun& run) {
  const std::size_t all = run.unread.size() + run.measurement.results.size();
  return check("rows", Outcome::could_not_test,
               fmt::format("{} of {} can't be read", run.unread.size(), counted(all, "row")),
               "all rows", "",
               fmt::format("skipped: line{} {}", run.unread.size() == 1 ? "" : "s",
                           fmt::join(run.unread, ", ")));
}

/// What a run that broke off did measure says nothing about what it broke off at.
Check broken_off(const bench::NcclRun& run) {
  const bench::Measurement& m = run.measurement;
  const auto sizes = static_cast<int>(m.results.size());
  const int asked = bench::sizes_asked_for(m.configuration);
  std::string measured =
      asked > sizes ? fmt::format("broke off after {} of {}", sizes, counted(asked, "size"))
                    : fmt::format("broke off after {}", counted(sizes, "size"));
  if (!m.results.empty()) measured += ", the last " + to_text(Bytes(m.results.back().size));
  return check("ended", Outcome::fail, std::move(measured), "all sizes, and the average", "",
               run.complaints.empty() ? "it says no reason" : run.complaints.front());
}

std::vector<Check> check_run(const bench::NcclRun& run,
                             const std::vector<ExpectedFigure>& expected) {
  if (run.worlds > 1) {
    return {check(
        "ranks", Outcome::fail, fmt::format("{} ranks call themselves rank 0", run.worlds),
        "one world of ranks", "",
        fmt::format("{} worlds of one rank each: none of them measured anything; nccl-tests has "
                    "to be built with MPI=1 and started by that MPI's mpirun or srun",
                    run.worlds))};
  }
  std::vector<Check> checks = check_alone(run.measurement, expected);
  const bool told_wrong = std::ranges::any_of(
      checks, [](const Check& c) { return c.name == "results" && c.verdict == Outcome::fail; });
  if (run.said_failed && !told_wrong) {
    checks.push_back(check("results", Outcome::fail, "it says itself: out of bounds values, FAILED",
                           "0 wrong elements", ""));
  }
  if (!run.unread.empty()) checks.push_back(unread_rows(run));
  if (!run.ended) checks.push_back(broken_off(run));
  return checks;
}

/// A run over two hosts is a figure for that pair, at its largest size; one that broke off failed.
void add_pair(const bench::Measurement& m, bool ended, std::vector<bench::PairFigure>& figures) {
  std::set<std::string> hosts;
  for (const bench::Device& d : m.devices) hosts.insert(d.host);
  const bench::SizeResult* top = largest(m);
  if (hosts.size() != 2 || (top == nullptr && ended)) return;
  figures.push_back({*hosts.begin(), *hosts.rbegin(), ended ? top->out_of_place.busbw : 0,
                     fmt::format("{} of {} ranks", m.collective, m.ranks)});
}

std::vector<Check> pair_checks(std::vector<bench::PairFigure> figures,
                               const std::vector<std::string>& hosts, const std::string& source) {
  const std::vector<Check> leaves = name_leaves(figures, source);
  std::vector<Check> checks = culprit_checks("pairs", bench::culprits_of_figures(figures), source);
  for (const auto& more : {leaves, missing_pairs(figures, hosts, source)})
    checks.insert(checks.end(), more.begin(), more.end());
  return checks;
}

/// Files of a folder, or the file itself.
std::vector<std::string> files_in(const std::string& path, const Outside& outside) {
  const auto names = outside.files.list(path);
  if (!names) return {path};
  std::vector<std::string> files;
  for (const std::string& name : *names) {
    if (!name.starts_with(".") && !outside.files.list(path + "/" + name))
      files.push_back(path + "/" + name);
  }
  return files;
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
  auto speeds = check_expected(m, expected);
  if (speeds.empty()) speeds.push_back(speed_of(m));
  checks.insert(checks.end(), speeds.begin(), speeds.end());
  for (const auto& more : {check_culprits(m), missing_pairs(m, "")})
    checks.insert(checks.end(), more.begin(), more.end());
  return checks;
}

Result<std::vector<Check>> check_files(const std::vector<std::string>& paths,
                                       const std::vector<ExpectedFigure>& expected,
                                       const Outside& outside) {
  std::vector<Check> checks;
  std::vector<bench::PairFigure> pairs;
  std::map<std::string, std::vector<std::pair<std::string, int>>> lone;  // collective -> where
  const auto add = [&](std::vector<Check> more) {
    checks.insert(checks.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
  };
  std::string origin;
  for (const std::string& path : paths) {
    const std::vector<std::string> files = files_in(path, outside);
    if (files.empty()) {
      return fail(Error{Code::invalid_input, "no file in this folder (folders below it aren't read)",
                        "name the folder or the files with the measurements", path, 0});
    }
    for (const std::string& file : files) {
      auto text = outside.files.read(file);
      if (!text) {
        Error error = std::move(text).error();
        error.code = Code::invalid_input;
        return fail(std::move(error));
      }
      if (origin.empty()) origin = path;
      if (bench::is_nccl_log(*text)) {
        auto runs = bench::nccl_runs(*text, file);
        if (!runs) return fail(std::move(runs).error());
        for (const bench::NcclRun& run : *runs) {
          const std::string where = fmt::format("{}:{}", file, run.line);
          if (run.measurement.ranks == 1 && run.worlds == 1) {
            lone[run.measurement.collective].emplace_back(where,
                                                          run.measurement.devices.front().rank);
            continue;
          }
          add(named(check_run(run, expected), where));
          add_pair(run.measurement, run.ended, pairs);
        }
      } else if (text->find_first_not_of(" \t\r\n") != std::string::npos &&
                 text->at(text->find_first_not_of(" \t\r\n")) == '{') {
        auto json = parse_json(*text, file);
        if (!json) return fail(std::move(json).error());
        auto measurement = bench::measurement_from_json(*json, file);
        if (!measurement) return fail(std::move(measurement).error());
        name_leaves(*measurement);
        add(named(check_alone(*measurement, expected), file));
        add_pair(*measurement, true, pairs);
      } else {
        auto figures = pair_figures(*text, file);
        if (!figures) return fail(std::move(figures).error());
        add(pair_checks(figures->figures, figures->hosts, file));
      }
    }
  }
  for (const auto& [collective, where] : lone) {
    Check c = check("ranks", Outcome::fail,
                    fmt::format("{} of {} over one rank", counted(where.size(), "run"), collective),
                    "one world of ranks", where.front().first,
                    "a world of one rank communicates nothing");
    if (where.size() > 1) {
      c.suspect = fmt::format(
          "{} worlds of one rank each: none of them measured anything; nccl-tests has to "
          "be built with MPI=1 and started by that MPI's mpirun or srun",
          where.size());
    }
    checks.push_back(std::move(c));
  }
  if (pairs.size() > 1) {
    std::set<std::string> hosts;
    for (const bench::PairFigure& f : pairs) hosts.insert({f.from, f.to});
    add(pair_checks(pairs, {hosts.begin(), hosts.end()}, origin));
  }
  return checks;
}

}  // namespace topolaunch::launcher
