// SPDX-License-Identifier: Apache-2.0
#include "bench/views.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"

namespace topolaunch::bench {
namespace {

using Kind = Culprit::Kind;

std::string how_to_confirm(Kind kind, const std::string& name) {
  switch (kind) {
    case Kind::host:
      return "topobench --pairs local on it alone; other jobs, cpu.max of its cgroup, clocks and "
             "throttle reasons there";
    case Kind::host_link:
      return "its port's rate and error counters (ethtool, ibstat), then another cable or port; "
             "the "
             "same job without it has to be fast";
    case Kind::rank:
      return "the same rank on another GPU and NIC of that host: does it stay slow?";
    case Kind::leaf:
      return "pairs inside the leaf have to be fast; then count its uplinks that are up, and their "
             "rates";
    case Kind::path:
    case Kind::one_direction:
      return "topobench --pairs on these two alone, twice: " + name;
  }
  return {};
}

std::string in_words(double value, bool latency) {
  return latency ? to_text(Seconds(1 / value)) : to_text(Bandwidth::bytes_per_second(value));
}

/// One blame of one view, on its way to a culprit.
struct Vote {
  std::size_t part;
  std::vector<std::size_t> or_part;
  double ratio, confidence;
  bool failed, by_itself;
  std::string evidence, view;
};

/// `left_over`: slow figures of the view that no part explains, where they are many.
std::vector<Vote> votes_of(const View& view, const Parts& parts, bool& judged,
                           std::string& left_over) {
  constexpr double kMany = 0.25, kManyAbove = 0.15;
  const Elimination found = eliminate(view.samples, parts.size());
  judged = judged || found.judged > 0;
  if (found.unexplained >= 2 && found.unexplained > kMany * found.judged)
    left_over +=
        fmt::format("{}{}: {} of {} figures are far below the others",
                    left_over.empty() ? "" : "; ", view.name, found.unexplained, found.judged);
  else if (found.above >= 2 && found.above > kManyAbove * found.judged)
    left_over +=
        fmt::format("{}{}: {} of {} figures are far above the others, so that most may be slow",
                    left_over.empty() ? "" : "; ", view.name, found.above, found.judged);
  std::vector<Vote> votes;
  for (const Blame& b : found.blames) {
    double healthy = 0;
    for (const Sample& s : view.samples) {
      if (std::ranges::find(s.parts, b.part) != s.parts.end()) {
        healthy = std::max(healthy, found.healthy[static_cast<std::size_t>(s.kind)]);
      }
    }
    // Of times the larger is the worse: twice as long, not half of it.
    std::string evidence =
        fmt::format("{}: {} of {} over it at {:.2f}{} of {}", view.name, b.slow, b.all,
                    view.latency ? 1 / b.ratio : b.ratio, view.latency ? " times" : "",
                    in_words(healthy, view.latency));
    if (b.failed == b.slow) {
      evidence = fmt::format("{}: {} of {} over it failed", view.name, b.failed, b.all);
    } else if (b.failed > 0) {
      evidence += fmt::format(", {} failed", b.failed);
    }
    votes.push_back({b.part, b.or_part, b.ratio, b.confidence(), b.failed > 0, view.by_itself,
                     std::move(evidence), view.name});
  }
  return votes;
}

/// A path that isn't dead is no fault of its own where one of its hosts, or that host's link, is
/// one.
bool touches_one_of(const std::string& owner, const std::set<std::string>& hosts) {
  const auto line_break = owner.find('\n');
  return line_break != std::string::npos && (hosts.contains(owner.substr(0, line_break)) ||
                                             hosts.contains(owner.substr(line_break + 1)));
}

bool between_two(Kind kind) { return kind == Kind::path || kind == Kind::one_direction; }

}  // namespace

std::set<std::string> owners_blamed(const View& view, const Parts& parts, bool& judged) {
  std::string ignored;
  std::set<std::string> owners;
  for (const Vote& vote : votes_of(view, parts, judged, ignored))
    owners.insert(parts.at(vote.part).owner);
  return owners;
}

Findings findings_of(const std::vector<View>& views, const Parts& parts,
                     const std::optional<std::set<std::string>>& slow_by_itself, bool by_others) {
  Findings findings;
  std::vector<Vote> votes;
  std::string left_over;
  std::size_t asked = 0;
  for (const View& view : views) {
    if (view.samples.empty()) continue;
    ++asked;
    for (Vote& vote : votes_of(view, parts, findings.judged, left_over))
      votes.push_back(std::move(vote));
  }
  if (!findings.judged) {
    findings.why_not = "too few figures to hold against each other: four of a kind are needed";
    return findings;
  }
  std::map<std::string, Culprit> by_name;
  std::map<std::string, std::set<std::string>> seen_in;
  std::set<std::string> failed, over_links,
      hosts_at_fault = slow_by_itself.value_or(std::set<std::string>{});
  std::map<std::string, std::string> owners;
  for (const Vote& vote : votes) {
    const Parts::Part* part = &parts.at(vote.part);
    bool either = false;
    std::string others;
    for (const std::size_t other : vote.or_part) {
      const Parts::Part& o = parts.at(other);
      // A host and its link went over the same figures: whether it is slow by itself decides.
      if (part->kind == Kind::host && o.kind == Kind::host_link) {
        if (slow_by_itself && !slow_by_itself->contains(part->owner)) part = &o;
        either = !slow_by_itself;
      }
      if (o.kind == Kind::leaf || o.kind == Kind::rank) others += " or " + o.name;
    }
    std::string name = either ? part->name + " or its link" : part->name;
    if (!between_two(part->kind)) name += others;
    Culprit& c = by_name[name];
    if (part->kind == Kind::host || part->kind == Kind::host_link)
      hosts_at_fault.insert(part->owner);
    owners[name] = part->owner;
    if (c.name.empty()) {
      c.kind = part->kind;
      c.name = name;
      c.ratio = vote.ratio;
      c.confirm = how_to_confirm(part->kind, part->name);
    }
    c.ratio = std::min(c.ratio, vote.ratio);
    // Measurements that agree leave less room for chance.
    c.confidence = 1 - (1 - c.confidence) * (1 - vote.confidence);
    c.evidence += (c.evidence.empty() ? "" : "; ") + vote.evidence;
    seen_in[name].insert(vote.view);
    if (vote.failed) failed.insert(name);
    if (!vote.by_itself) over_links.insert(name);
  }
  for (auto& [name, c] : by_name) {
    const bool alone =
        (between_two(c.kind) && seen_in[name].size() < 2) || !over_links.contains(name);
    const bool explained = between_two(c.kind) && touches_one_of(owners[name], hosts_at_fault);
    if ((explained || (alone && asked > 1)) && !failed.contains(name)) continue;
    findings.culprits.push_back(std::move(c));
  }
  std::ranges::stable_sort(findings.culprits, std::greater<>(), &Culprit::confidence);
  if (by_others && findings.culprits.empty() && !left_over.empty()) {
    findings.judged = false;
    findings.why_not = left_over + ", and no host, link or path explains which";
  }
  return findings;
}

}  // namespace topolaunch::bench
