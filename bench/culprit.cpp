// SPDX-License-Identifier: Apache-2.0
#include "bench/culprit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/units.h"
#include "bench/elimination.h"
#include "bench/held_back.h"
#include "bench/statistics.h"
#include "bench/uplink_loads.h"

namespace topolaunch::bench {
namespace {

using Kind = Culprit::Kind;

/// Parts of the machine by name, in the order in which they came.
class Parts {
 public:
  std::size_t of(Kind kind, const std::string& name, const std::string& owner = {}) {
    const auto [it, fresh] = index_.try_emplace(std::pair(kind, name), all_.size());
    if (fresh) all_.push_back({kind, name, owner});
    return it->second;
  }
  struct Part {
    Kind kind;
    std::string name;
    std::string owner;  ///< the host of a link; the two of a path, a line break between
  };
  const Part& at(std::size_t i) const { return all_[i]; }
  std::size_t size() const { return all_.size(); }

 private:
  std::map<std::pair<Kind, std::string>, std::size_t> index_;
  std::vector<Part> all_;
};

std::string link_of(const std::string& host) { return "link of host " + host; }

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

/// One kind of measurement: what was measured, and over what.
struct View {
  std::string name;      ///< "one way"
  bool latency = false;  ///< values are 1/seconds
  std::vector<Sample> samples;
  bool by_itself = false;  ///< over no link: what it blames alone slows no communication
};

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
std::vector<Vote> votes_of(const View& view, const Parts& parts, bool& judged, std::string& left_over) {
  constexpr double kMany = 0.25, kManyAbove = 0.15;
  const Elimination found = eliminate(view.samples, parts.size());
  judged = judged || found.judged > 0;
  if (found.unexplained >= 2 && found.unexplained > kMany * found.judged)
    left_over += fmt::format("{}{}: {} of {} figures are far below the others", left_over.empty() ? "" : "; ",
                             view.name, found.unexplained, found.judged);
  else if (found.above >= 2 && found.above > kManyAbove * found.judged)
    left_over += fmt::format("{}{}: {} of {} figures are far above the others, so that most may be slow",
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
    std::string evidence = fmt::format("{}: {} of {} over it at {:.2f}{} of {}", view.name, b.slow,
                                       b.all, view.latency ? 1 / b.ratio : b.ratio,
                                       view.latency ? " times" : "", in_words(healthy, view.latency));
    if (b.failed == b.slow) {
      evidence = fmt::format("{}: {} of {} over it failed", view.name, b.failed, b.all);
    } else if (b.failed > 0) {
      evidence += fmt::format(", {} failed", b.failed);
    }
    votes.push_back(
        {b.part, b.or_part, b.ratio, b.confidence(), b.failed > 0, view.by_itself,
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

/// All views of the same parts. `slow_by_itself`: hosts that are slow with nothing on any link;
/// nothing where that wasn't looked at. `by_others`: figures that somebody else took, of which many
/// that nothing explains are said; our own kinds of measurement hold each other.
Findings findings_of(const std::vector<View>& views, const Parts& parts,
                     const std::optional<std::set<std::string>>& slow_by_itself,
                     bool by_others = false) {
  Findings findings;
  std::vector<Vote> votes;
  std::string left_over;
  std::size_t asked = 0;
  for (const View& view : views) {
    if (view.samples.empty()) continue;
    ++asked;
    for (Vote& vote : votes_of(view, parts, findings.judged, left_over)) votes.push_back(std::move(vote));
  }
  if (!findings.judged) {
    findings.why_not = "too few figures to hold against each other: four of a kind are needed";
    return findings;
  }
  std::map<std::string, Culprit> by_name;
  std::map<std::string, std::set<std::string>> seen_in;
  std::set<std::string> failed, over_links, hosts_at_fault = slow_by_itself.value_or(std::set<std::string>{});
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

void add_path(Parts& parts, std::vector<std::size_t>& over, const std::string& from,
              const std::string& to, bool directed, const std::string& owner) {
  over.push_back(parts.of(
      Kind::path, fmt::format("path {} - {}", std::min(from, to), std::max(from, to)), owner));
  if (directed)
    over.push_back(parts.of(Kind::one_direction, fmt::format("{} sending to {}", from, to), owner));
}

std::string rank_name(const Device& d, bool only_one) {
  if (only_one) return d.host;
  return d.device == "cpu" || d.device.empty()
             ? fmt::format("rank {} on {}", d.rank, d.host)
             : fmt::format("rank {} ({} on {})", d.rank, d.device, d.host);
}

const Device* device_of(const Measurement& m, int rank) {
  const auto it = std::ranges::find(m.devices, rank, &Device::rank);
  return it == m.devices.end() ? nullptr : &*it;
}

/// Numbers kinds as they come.
class Kinds {
 public:
  int of(const std::string& name) {
    return numbers_.try_emplace(name, static_cast<int>(numbers_.size())).first->second;
  }

 private:
  std::map<std::string, int> numbers_;
};

}  // namespace

Findings culprits_of_figures(const std::vector<PairFigure>& figures) {
  Parts parts;
  std::map<std::string, View> views;
  for (const PairFigure& f : figures) {
    View& view = views[f.test];
    view.name = f.test;
    view.latency = f.latency;
    const bool crosses = !f.from_leaf.empty() && !f.to_leaf.empty() && f.from_leaf != f.to_leaf;
    Sample s{f.value, crosses ? 1 : 0, {}};
    if (crosses) {
      for (const std::string& leaf : {f.from_leaf, f.to_leaf})
        s.parts.push_back(parts.of(Kind::leaf, "uplink of leaf " + leaf));
    }
    for (const std::string& host : {f.from, f.to}) {
      s.parts.push_back(parts.of(Kind::host, "host " + host, host));
      s.parts.push_back(parts.of(Kind::host_link, link_of(host), host));
    }
    if (f.directed) {
      // Half of a link may fail: its lanes out, or in.
      s.parts.push_back(parts.of(Kind::host_link, link_of(f.from) + ", sending", f.from));
      s.parts.push_back(parts.of(Kind::host_link, link_of(f.to) + ", receiving", f.to));
    }
    add_path(parts, s.parts, f.from, f.to, f.directed, f.from + '\n' + f.to);
    view.samples.push_back(std::move(s));
  }
  std::vector<View> all;
  for (auto& [name, view] : views) all.push_back(std::move(view));
  return findings_of(all, parts, std::nullopt, true);
}

Findings culprits_of_pairs(const Measurement& m) {
  Findings nothing;
  if (!m.pairs) return nothing.why_not = "no pairs were measured", nothing;
  const PairMatrix& p = *m.pairs;
  std::vector<const Device*> ends;
  ends.reserve(p.ranks.size());
  std::map<std::string, int> on_host;
  for (const int rank : p.ranks) {
    const Device* d = device_of(m, rank);
    if (d == nullptr) return nothing.why_not = fmt::format("rank {} has no device", rank), nothing;
    ends.push_back(d);
    ++on_host[d->host];
  }
  const bool single = std::ranges::all_of(on_host, [](const auto& h) { return h.second == 1; });
  Parts parts;
  Kinds kinds;
  std::vector<std::string> leaves;
  for (const Device* d : ends) leaves.push_back(d->leaf);
  const UplinkLoads loads(leaves);
  const auto over_end = [&](std::vector<std::size_t>& over, const Device& d, bool leaves_host) {
    over.push_back(parts.of(Kind::host, "host " + d.host, d.host));
    if (leaves_host) over.push_back(parts.of(Kind::host_link, link_of(d.host), d.host));
    if (!single) over.push_back(parts.of(Kind::rank, rank_name(d, false)));
  };
  std::vector<View> views;
  const auto add = [&](const char* name, const Matrix& matrix, bool directed, bool latency) {
    View& view = views.emplace_back(View{name, latency, {}});
    for (std::size_t a = 0; a < matrix.size(); ++a) {
      for (std::size_t b = 0; b < matrix.size(); ++b) {
        if (a == b || !matrix.has(a, b) || (latency && b < a)) continue;
        const Device &from = *ends[a], &to = *ends[b];
        const bool same_host = from.host == to.host;
        const bool crosses =
            !same_host && !from.leaf.empty() && !to.leaf.empty() && from.leaf != to.leaf;
        const int load = crosses && matrix.size() == p.concurrent.size() && &matrix == &p.concurrent
                             ? loads.of(a, b)
                             : 0;
        Sample s{latency ? 1 / std::max(matrix.at(a, b), 1e-12) : matrix.at(a, b),
                 kinds.of(fmt::format("{} {} {} {}", name, same_host, crosses, load)),
                 {}};
        over_end(s.parts, from, !same_host);
        over_end(s.parts, to, !same_host);
        if (crosses) {
          s.parts.push_back(parts.of(Kind::leaf, "uplink of leaf " + from.leaf));
          s.parts.push_back(parts.of(Kind::leaf, "uplink of leaf " + to.leaf));
        }
        std::ranges::sort(s.parts);
        s.parts.erase(std::unique(s.parts.begin(), s.parts.end()), s.parts.end());
        add_path(parts, s.parts, rank_name(from, single), rank_name(to, single), directed,
                 from.host + '\n' + to.host);
        view.samples.push_back(std::move(s));
      }
    }
  };
  add("one way", p.one_way, true, false);
  add("both ways", p.both_ways, true, false);
  add("concurrent", p.concurrent, true, false);
  add("latency", p.latency, false, true);
  std::vector<std::string> hosts;
  for (const Device* d : ends) hosts.push_back(d->host);
  const std::vector<HeldBack> held_back = hosts_held_back(p, hosts);
  std::optional<std::set<std::string>> slow_by_itself;
  if (!p.local.empty()) {
    View& view = views.emplace_back(View{"own memory", false, {}, true});
    for (std::size_t i = 0; i < p.local.size(); ++i) {
      Sample s{p.local[i],
               kinds.of("local"),
               {parts.of(Kind::host, "host " + ends[i]->host, ends[i]->host)}};
      if (!single) s.parts.push_back(parts.of(Kind::rank, rank_name(*ends[i], false)));
      view.samples.push_back(std::move(s));
    }
    bool judged = false;
    std::string ignored;
    std::set<std::string> slow;
    for (const Vote& vote : votes_of(view, parts, judged, ignored)) slow.insert(parts.at(vote.part).owner);
    for (const HeldBack& host : held_back) slow.insert(host.host);
    if (judged) slow_by_itself = std::move(slow);
  }
  Findings findings = findings_of(views, parts, slow_by_itself);
  add_held_back(held_back, findings);
  return findings;
}

Findings culprits_of_groups(const Measurement& m) {
  Parts parts;
  Kinds kinds;
  View view{"groups side by side", false, {}};
  for (const GroupResult& group : m.groups) {
    if (group.ranks.size() < 2) continue;
    std::vector<std::size_t> over;
    for (const int rank : group.ranks) {
      const Device* d = device_of(m, rank);
      if (d == nullptr) continue;
      over.push_back(parts.of(Kind::host, "host " + d->host, d->host));
      over.push_back(parts.of(Kind::rank, rank_name(*d, false)));
    }
    std::ranges::sort(over);
    over.erase(std::unique(over.begin(), over.end()), over.end());
    for (const SizeResult& r : group.results) {
      view.samples.push_back(
          {r.out_of_place.busbw,
           kinds.of(fmt::format("{} {} {}", group.axis, r.size, group.ranks.size())), over});
    }
  }
  return findings_of({view}, parts, std::nullopt);
}

}  // namespace topolaunch::bench
