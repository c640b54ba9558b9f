// SPDX-License-Identifier: Apache-2.0
//
// What `map --explain`, --diff and --what-if print, at most 80 columns wide.
#include <fmt/format.h>

#include <algorithm>

#include "mapping/advice.h"
#include "mapping/crossings.h"
#include "mapping/index.h"
#include "mapping/placement_text.h"

namespace topolaunch::mapping {
namespace {

/// Words wrapped at 80 columns; continuation lines are indented as the text of the first.
std::string wrapped(const std::string& head, const std::string& text) {
  constexpr std::size_t kWidth = 80;
  std::string result = head;
  std::size_t column = head.size();
  std::size_t at = 0;
  bool first = true;
  while (at < text.size()) {
    const auto end = std::min(text.find(' ', at), text.size());
    const auto word = text.substr(at, end - at);
    if (!first && column + 1 + word.size() > kWidth) {
      result += "\n" + std::string(head.size(), ' ');
      column = head.size();
    } else if (!first) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
    first = false;
    at = end + 1;
  }
  return result + "\n";
}

std::string amount(double bytes) {
  const char* units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  int unit = 0;
  while (bytes >= 1000 && unit < 6) bytes /= 1000, ++unit;
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.4g} {}", bytes, units[unit]);
}

std::string ratio(double given, double solved) {
  if (solved <= 0 || given <= 0 || given == solved) return given == solved ? "same" : "";
  return fmt::format("{:.2f}x", given / solved);
}

std::string row(const std::string& label, const std::string& given, const std::string& solved,
                const std::string& note) {
  auto line = fmt::format("  {:<28.28} {:>14} {:>16}  {}", label, given, solved, note);
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line + "\n";
}

double bytes_at(const Estimate& estimate, const std::string& name) {
  for (const auto& level : estimate.bytes_by_level)
    if (level.level == name) return static_cast<double>(level.bytes);
  return 0;
}

bool hidden_in(const Estimate& estimate, const std::string& dimension) {
  return std::ranges::any_of(estimate.phases, [&](const PhaseTime& phase) { return phase.dimension == dimension && phase.overlapped; });
}

double seconds_of(const Estimate& estimate, const std::string& dimension) {
  for (const auto& phase : estimate.phases)
    if (phase.dimension == dimension) return phase.seconds.count();
  return 0;
}

/// "leaf1 uplink, 4 GB" with each side's words before it.
std::string link_line(const std::string& side, const LinkLoad& link) {
  if (link.name.empty()) return {};
  return wrapped(fmt::format("    {:<8}", side + ":"),
                 fmt::format("{}, {}", link.name, amount(static_cast<double>(link.bytes))));
}

/// The five things that a placement can change (docs/mapping.md), as changes[] calls them.
constexpr std::pair<const char*, const char*> kChanges[] = {
    {"gpu-choice", "which GPUs and hosts"},
    {"groups", "which ranks share a host"},
    {"host-order", "the order of hosts"},
    {"affinity", "CPUs, memory and NICs"},
    {"rank-order", "the order inside a host"}};

std::string changes_text(const std::vector<std::string>& changes) {
  std::string changed, same;
  for (const auto& [key, words] : kChanges) {
    const bool is = std::find(changes.begin(), changes.end(), key) != changes.end();
    auto& list = is ? changed : same;
    list += fmt::format("{}{}", list.empty() ? "" : "; ", words);
  }
  std::string text = wrapped("  changed  ", changed.empty() ? "nothing" : changed);
  if (!same.empty()) text += wrapped("  as given ", same);
  return text;
}

/// Groups of every dimension by the outermost boundary that they cross.
std::string crossings_text(const topo::Topology& topology, const RankGraph& graph,
                           const Solution& solution) {
  std::vector<Seat> solved;
  for (const auto& place : solution.placement) solved.push_back(place.seat);
  const auto rows = crossings(topology, graph, solution.given_seats, solved);
  if (rows.empty()) return {};
  std::string text = "\n" + row("groups that cross", "given order", "solved", "");
  for (const auto& crossing : rows)
    for (const auto& place : crossing.places)
      text += row(fmt::format("{} ({} of {}) {}", crossing.dimension, crossing.groups,
                              crossing.members, place.name),
                  std::to_string(place.given), std::to_string(place.solved), "");
  return text;
}

std::string candidates_text(const topo::Topology& topology, const Solution& solution) {
  if (solution.candidates.empty()) return {};
  std::string text =
      "\n  sets of hosts that hold the job, best first: time or hop-bytes of the simple\n"
      "  order there, blocks of the fabric touched, seats left over in those\n";
  int number = 0;
  for (const auto& candidate : solution.candidates) {
    const bool timed = candidate.seconds.count() > 0;
    std::string hosts;
    for (std::size_t i = 0; i < candidate.hosts.size() && i < 6; ++i)
      hosts += (i ? " " : "") + topology.hosts[ix(candidate.hosts[i])].name;
    if (candidate.hosts.size() > 6) hosts += fmt::format(" ... ({})", candidate.hosts.size());
    text += wrapped(
        fmt::format("  {:>3}. ", ++number),
        fmt::format("{}, {} block{}, {} left over: {}",
                    timed ? to_text(candidate.seconds) : fmt::format("{:.5g}", candidate.hop_bytes),
                    candidate.blocks, candidate.blocks == 1 ? "" : "s", candidate.left_over,
                    hosts));
  }
  return text;
}

}  // namespace

std::string estimate_columns(const std::string& left, const Estimate& a, const std::string& right,
                             const Estimate& b) {
  std::string text = row("", left, right, "");
  const bool timed = a.seconds.count() > 0 || b.seconds.count() > 0;
  if (timed)
    text += row("time a step", to_text(a.seconds), to_text(b.seconds),
                ratio(a.seconds.count(), b.seconds.count()));
  std::vector<std::string> dimensions;
  for (const auto* estimate : {&a, &b})
    for (const auto& phase : estimate->phases)
      if (std::find(dimensions.begin(), dimensions.end(), phase.dimension) == dimensions.end())
        dimensions.push_back(phase.dimension);
  if (timed && dimensions.size() > 1)
    for (const auto& dimension : dimensions) {
      const double x = seconds_of(a, dimension), y = seconds_of(b, dimension);
      // Of phases that run behind others or compute the longest alone counts.
      const auto label = hidden_in(a, dimension) || hidden_in(b, dimension) ? "  beside it " : "  of it ";
      text += row(label + dimension, to_text(Seconds(x)), to_text(Seconds(y)), ratio(x, y));
    }
  text += row("hop-bytes", fmt::format("{:.5g}", a.hop_bytes), fmt::format("{:.5g}", b.hop_bytes),
              ratio(a.hop_bytes, b.hop_bytes));
  // Every level that either of the two uses, inner ones first.
  std::vector<std::string> levels;
  for (const auto* estimate : {&a, &b})
    for (const auto& level : estimate->bytes_by_level)
      if (std::find(levels.begin(), levels.end(), level.level) == levels.end())
        levels.push_back(level.level);
  for (const auto& level : levels) {
    const double x = bytes_at(a, level), y = bytes_at(b, level);
    text += row("bytes over " + level, amount(x), amount(y), ratio(x, y));
  }
  // The busiest link of all, and of each level where there are several.
  const auto links = [&](const std::string& label, const LinkLoad& x, const LinkLoad& y) {
    const auto words = [&](const LinkLoad& link) {
      if (link.name.empty()) return std::string("none");
      return timed ? to_text(link.seconds) : amount(static_cast<double>(link.bytes));
    };
    const auto size = [&](const LinkLoad& link) { return timed ? link.seconds.count() : static_cast<double>(link.bytes); };
    text += row(label, words(x), words(y), ratio(size(x), size(y)));
  };
  links("busiest link", a.max_link, b.max_link);
  std::vector<std::string> link_levels;
  for (const auto* estimate : {&a, &b})
    for (const auto& [level, link] : estimate->max_links)
      if (std::find(link_levels.begin(), link_levels.end(), level) == link_levels.end()) link_levels.push_back(level);
  const auto at_level = [](const Estimate& estimate, const std::string& level) {
    for (const auto& [name, link] : estimate.max_links)
      if (name == level) return link;
    return LinkLoad();
  };
  for (const auto& level : link_levels)
    if (link_levels.size() > 1) links("  of " + level, at_level(a, level), at_level(b, level));
  return text;
}

std::string map_explanation(const topo::Topology& topology, const RankGraph& graph,
                            const Solution& solution) {
  const auto& given = solution.given;
  const auto& solved = solution.solution;
  std::string text =
      wrapped("", fmt::format("{} rank{} on {} host{}: {}", solution.placement.size(),
                              solution.placement.size() == 1 ? "" : "s", topology.hosts.size(),
                              topology.hosts.size() == 1 ? "" : "s", graph.origin));
  const bool timed = given.seconds.count() > 0 || solved.seconds.count() > 0;
  text += "\n" + estimate_columns("given order", given, "solved", solved);
  text += link_line("given", given.max_link) + link_line("solved", solved.max_link);
  text += crossings_text(topology, graph, solution);
  text += candidates_text(topology, solution);
  text += "\n";
  text +=
      wrapped("  model    ",
              solved.model + (timed ? ": explains NCCL's and MPI's choices, is no promise" : ""));
  text += wrapped("  gain     ", solution.gain.why);
  text += changes_text(solution.changes);
  for (const auto& reason : solution.reasons) text += wrapped("  why      ", reason);
  if (!solution.spares.empty()) {
    std::string names;
    for (const int h : solution.spares)
      names += (names.empty() ? "" : " ") + topology.hosts[ix(h)].name;
    text += wrapped("  spares   ", names);
  }
  bool first = true;
  for (const auto& advice : advices(topology, graph, solution)) {
    text += wrapped(first ? "  helps    " : "           ",
                    fmt::format("{}: {} a step instead of {}", advice.what, to_text(advice.seconds),
                                to_text(solved.seconds)));
    first = false;
  }
  text += wrapped("  solver   ",
                  solution.solver + (solution.cut_short ? ", cut short: best so far" : ""));
  return text;
}

}  // namespace topolaunch::mapping
