// SPDX-License-Identifier: Apache-2.0
#include "bench/culprit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "bench/held_back.h"
#include "bench/uplink_loads.h"
#include "bench/views.h"

namespace topolaunch::bench {
namespace {

using Kind = Culprit::Kind;

std::string link_of(const std::string& host) { return "link of host " + host; }

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
    std::set<std::string> slow = owners_blamed(view, parts, judged);
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
