// SPDX-License-Identifier: Apache-2.0
#include "launcher/measured/file_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "base/counted.h"
#include "base/input_file.h"
#include "base/units.h"
#include "launcher/measured/culprit_checks.h"
#include "launcher/measured/leaves_of_figures.h"
#include "launcher/measured/measured_file.h"
#include "launcher/measured/missing_pairs.h"
#include "launcher/measured/run_checks.h"
#include "launcher/validate.h"

namespace topolaunch::launcher {
namespace {

std::vector<Check> named(std::vector<Check> checks, const std::string& where) {
  for (Check& c : checks) {
    if (c.source.empty()) c.source = where;
  }
  return checks;
}

/// A run over two hosts is a figure for that pair, at its largest size; one that broke off failed.
void add_pair(const bench::Measurement& m, bool ended, std::vector<bench::PairFigure>& figures) {
  std::set<std::string> hosts;
  for (const bench::Device& d : m.devices) hosts.insert(d.host);
  const bench::SizeResult* top = largest(m);
  if (hosts.size() != 2 || (top == nullptr && ended)) return;
  // Runs of one size and type are held against each other; what broke off meant to reach its last.
  const std::int64_t size = ended ? top->size : m.configuration.maximum_bytes;
  figures.push_back({*hosts.begin(), *hosts.rbegin(), ended ? top->out_of_place.busbw : 0,
                     fmt::format("{} of {} ranks at {}", m.collective, m.ranks, to_text(Bytes(size)))});
}

std::vector<Check> pair_checks(std::vector<bench::PairFigure> figures,
                               const std::vector<std::string>& hosts, const std::string& source) {
  const std::vector<Check> leaves = name_leaves(figures, source);
  std::vector<Check> checks = culprit_checks("pairs", bench::culprits_of_figures(figures), source);
  for (const auto& more : {leaves, missing_pairs(figures, hosts, source)})
    checks.insert(checks.end(), more.begin(), more.end());
  return checks;
}

constexpr std::size_t kMostNamed = 8;  ///< files that are passed over, in one line

std::string some_of(const std::vector<std::string>& names) {
  const auto told = std::min(names.size(), kMostNamed);
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(told);
  return fmt::format("{}{}", fmt::join(names.begin(), end, ", "),
                     told < names.size() ? ", ..." : "");
}

/// What all files say, one by one and together.
class MeasuredFiles {
 public:
  MeasuredFiles(const std::vector<ExpectedFigure>& expected, const Outside& outside)
      : expected_(expected), outside_(outside) {}

  /// A file, or the files of a folder.
  Status take(const std::string& path) {
    if (origin_.empty()) origin_ = path;
    const auto names = outside_.files.list(path);
    return names ? take_folder(path, *names) : take_file(path);
  }
  std::vector<Check> checks() {
    for (const auto& [collective, where] : lone_) add({lone_check(collective, where)});
    std::set<std::pair<std::string, std::string>> distinct;
    for (const bench::PairFigure& f : pairs_) distinct.insert({f.from, f.to});
    if (distinct.size() > 1) {
      std::set<std::string> hosts;
      for (const bench::PairFigure& f : pairs_) hosts.insert({f.from, f.to});
      add(pair_checks(pairs_, {hosts.begin(), hosts.end()}, origin_));
    }
    return std::move(checks_);
  }

 private:
  using Places = std::vector<std::string>;  ///< FILE:LINE

  Status take_file(const std::string& file) {
    auto text = read_input(outside_.files, file);
    if (!text) return fail(std::move(text).error());
    auto read = measured_file(*text, file);
    if (!read) return fail(std::move(read).error());
    if (auto* const other = std::get_if<OtherFile>(&*read)) return fail(std::move(other->refusal));
    judge(std::move(*read), file);
    return {};
  }

  /// What is no measurement is passed over, and said; a damaged one is refused as if it were named.
  Status take_folder(const std::string& folder, const std::vector<std::string>& names) {
    std::size_t measured = 0;
    std::vector<std::string> passed_over;
    for (const std::string& name : names) {
      const std::string file = folder + "/" + name;
      if (name.starts_with(".") || outside_.files.list(file)) continue;
      auto text = outside_.files.read(file);
      if (!text) {
        passed_over.push_back(fmt::format("{} ({})", name, text.error().message));
        continue;
      }
      auto read = measured_file(*text, file);
      if (!read) return fail(std::move(read).error());
      if (const auto* const other = std::get_if<OtherFile>(&*read)) {
        passed_over.push_back(fmt::format("{} ({})", name, other->looks));
        continue;
      }
      ++measured;
      judge(std::move(*read), file);
    }
    if (measured == 0) return nothing_in(folder, passed_over);
    if (!passed_over.empty()) add({others_check(folder, measured, passed_over)});
    return {};
  }

  static Status nothing_in(const std::string& folder, const std::vector<std::string>& others) {
    return fail(Error{Code::invalid_input,
                      others.empty() ? "no file in this folder (folders below it aren't read)"
                                     : "no measurement in this folder: " + some_of(others),
                      "name the folder or the files with the measurements", folder, 0});
  }
  static Check others_check(const std::string& folder, std::size_t measured,
                            const std::vector<std::string>& others) {
    Check check;
    check.name = "files";
    check.measured = fmt::format("{} of {} hold a measurement", measured,
                                 counted(measured + others.size(), "file"));
    check.source = folder;
    check.suspect = "passed over: " + some_of(others);
    return check;
  }
  static Check lone_check(const std::string& collective, const Places& where) {
    Check check;
    check.name = "ranks";
    check.verdict = Outcome::fail;
    check.measured =
        fmt::format("{} of {} over one rank", counted(where.size(), "run"), collective);
    check.expected = "one world of ranks";
    check.source = where.front();
    check.suspect = lone_worlds(where.size());
    return check;
  }

  void judge(MeasuredFile read, const std::string& file) {
    if (const auto* const runs = std::get_if<std::vector<bench::NcclRun>>(&read)) {
      for (const bench::NcclRun& run : *runs) judge(run, fmt::format("{}:{}", file, run.line));
    } else if (auto* const m = std::get_if<bench::Measurement>(&read)) {
      name_leaves(*m);
      add(named(check_alone(*m, expected_), file));
      add_pair(*m, m->ended, pairs_);
    } else if (const auto* const table = std::get_if<PairFile>(&read)) {
      add(pair_checks(table->figures, table->hosts, file));
    }
  }
  void judge(const bench::NcclRun& run, const std::string& where) {
    if (run.measurement.ranks == 1 && run.worlds == 1) {
      lone_[run.measurement.collective].push_back(where);
      return;
    }
    add(named(check_run(run, expected_), where));
    add_pair(run.measurement, run.ended, pairs_);
  }
  void add(std::vector<Check> more) {
    checks_.insert(checks_.end(), std::make_move_iterator(more.begin()),
                   std::make_move_iterator(more.end()));
  }

  const std::vector<ExpectedFigure>& expected_;
  const Outside& outside_;
  std::vector<Check> checks_;
  std::vector<bench::PairFigure> pairs_;
  std::map<std::string, Places> lone_;  ///< by collective
  std::string origin_;                  ///< the first path
};

}  // namespace

Result<std::vector<Check>> check_files(const std::vector<std::string>& paths,
                                       const std::vector<ExpectedFigure>& expected,
                                       const Outside& outside) {
  MeasuredFiles files(expected, outside);
  for (const std::string& path : paths) {
    if (Status taken = files.take(path); !taken) return fail(std::move(taken).error());
  }
  return files.checks();
}

}  // namespace topolaunch::launcher
