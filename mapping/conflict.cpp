// SPDX-License-Identifier: Apache-2.0
#include "mapping/conflict.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/counted.h"
#include "mapping/index.h"
#include "mapping/rules.h"
#include "mapping/block_choice.h"

namespace topolaunch::mapping {
namespace {

enum Kind { pin, host, gpus, slots, require, together, apart, spare };

/// A request with thousands of pins is answered too: this many are tried one by one, and two by two
/// where they are few.
constexpr int kMostItems = 400, kMostInPairs = 24;

template <class T>
void drop(std::vector<T>& list, int index) {
  list.erase(list.begin() + index);
}

}  // namespace

std::vector<ConstraintItem> items_of(const Constraints& c) {
  std::vector<ConstraintItem> items;
  if (!c.require_level.empty()) items.push_back({"--require " + c.require_level, require, 0});
  if (c.spares > 0) items.push_back({fmt::format("--spares {}", c.spares), spare, 0});
  for (int i = 0; i < count_of(c.affinity); ++i)
    items.push_back({"--affinity " + c.affinity[ix(i)], together, i});
  for (int i = 0; i < count_of(c.anti_affinity); ++i)
    items.push_back({"--anti-affinity " + c.anti_affinity[ix(i)], apart, i});
  // One item: of hosts that are excluded together, each may be one too many.
  if (!c.excluded_hosts.empty()) {
    constexpr std::size_t kMostNamed = 8;
    const auto named = std::min(c.excluded_hosts.size(), kMostNamed);
    items.push_back({fmt::format("--exclude {}{}", fmt::join(c.excluded_hosts.begin(), c.excluded_hosts.begin() + static_cast<std::ptrdiff_t>(named), ","),
                                 c.excluded_hosts.size() > named ? fmt::format(",... ({} hosts)", c.excluded_hosts.size()) : ""),
                     host, 0});
  }
  if (!c.excluded_gpus.empty())
    items.push_back({counted(c.excluded_gpus.size(), "GPU") + " masked or busy", gpus, 0});
  if (!c.slots_per_host.empty()) items.push_back({"slots per host as given", slots, 0});
  for (int i = 0; i < count_of(c.pins); ++i) {
    const auto& p = c.pins[ix(i)];
    items.push_back({p.gpu >= 0 ? fmt::format("--pin {}={}:{}", p.rank, p.host, p.gpu)
                                : fmt::format("--pin {}={}", p.rank, p.host),
                     pin, i});
  }
  return items;
}

Constraints ConstraintItem::without(const Constraints& all) const {
  Constraints c = all;
  switch (kind) {
    case pin:
      drop(c.pins, index);
      break;
    case host:
      c.excluded_hosts.clear();
      break;
    case gpus:
      c.excluded_gpus.clear();
      break;
    case slots:
      c.slots_per_host.clear();
      break;
    case require:
      c.require_level.clear();
      break;
    case together:
      drop(c.affinity, index);
      break;
    case apart:
      drop(c.anti_affinity, index);
      break;
    case spare:
      c.spares = 0;
      break;
    default:
      break;
  }
  return c;
}

Feasibility feasibility(const topo::Topology& topology, const RankGraph& graph,
                        const Constraints& constraints) {
  const auto rules = Rules::make(topology, graph, constraints);
  if (!rules) return {false, true, rules.error()};
  bool proved = true;
  const auto chosen = choose_blocks(topology, constraints, *rules, &proved);
  if (chosen) return {};
  return {false, proved, chosen.error()};
}

namespace {

class ConflictSearch {
 public:
  ConflictSearch(const topo::Topology& topology, const RankGraph& graph, Constraints all)
      : topology_(topology), graph_(graph), all_(std::move(all)), items_(items_of(all_)) {}

  Constraints run() {
    if (auto none = with({}); impossible(none)) return none;
    const int count = count_of(items_);
    if (count <= kMostItems)
      for (int i = 0; i < count; ++i)
        if (auto one = with({i}); impossible(one)) return one;
    if (count <= kMostInPairs)
      for (int i = 0; i < count; ++i)
        for (int j = i + 1; j < count; ++j)
          if (auto two = with({i, j}); impossible(two)) return two;
    return minimal();
  }

 private:
  bool impossible(const Constraints& constraints) const {
    const auto answer = feasibility(topology_, graph_, constraints);
    return !answer.possible && answer.proved && answer.error.code == Code::infeasible;
  }

  /// The request with these items alone. From the last to the first, so that indices stay what they
  /// are.
  Constraints with(const std::vector<int>& kept) const {
    auto left = all_;
    for (int i = count_of(items_) - 1; i >= 0; --i)
      if (std::find(kept.begin(), kept.end(), i) == kept.end()) left = items_[ix(i)].without(left);
    return left;
  }

  /// Until nothing more can go: what could not be shown with all of them may be plain with fewer.
  Constraints minimal() const {
    auto left = all_;
    int tries = 0;
    for (bool dropped = true; dropped;) {
      dropped = false;
      const auto items = items_of(left);
      for (std::size_t i = items.size(); i-- > 0 && tries < kMostItems; ++tries) {
        auto less = items[i].without(left);
        if (!impossible(less)) continue;
        left = std::move(less);
        dropped = true;
      }
    }
    return left;
  }

  const topo::Topology& topology_;
  const RankGraph& graph_;
  Constraints all_;
  std::vector<ConstraintItem> items_;
};

/// The most ranks with which all else of the request holds; 0 = none, or groups of ranks are asked for.
int most_ranks(const topo::Topology& topology, const RankGraph& graph, Constraints constraints) {
  const auto in_groups = [&](const auto& group) { return count_of(group.members) < graph.ranks; };
  if (std::ranges::any_of(graph.groups, in_groups)) return 0;
  RankGraph fewer;
  int holds = 0, fails = constraints.ranks;
  while (holds + 1 < fails) {
    const int middle = holds + (fails - holds) / 2;
    fewer.ranks = constraints.ranks = middle;
    (feasibility(topology, fewer, constraints).possible ? holds : fails) = middle;
  }
  return holds;
}

}  // namespace

Constraints smallest_conflict(const topo::Topology& topology, const RankGraph& graph,
                              const Constraints& constraints) {
  auto hard = constraints;
  hard.prefer_level.clear();
  hard.spread_level.clear();
  hard.near.clear();
  return ConflictSearch(topology, graph, std::move(hard)).run();
}

Error with_conflict(const topo::Topology& topology, const RankGraph& graph,
                    const Constraints& constraints, Error error) {
  if (error.code != Code::infeasible) return error;
  const auto left = smallest_conflict(topology, graph, constraints);
  std::vector<std::string> kept;
  for (const auto& item : items_of(left)) kept.push_back(item.text);
  const int most = most_ranks(topology, graph, constraints);
  const auto fewer = most > 0 ? fmt::format("use -n {} or less", most) : "";
  const auto about_number = [](const Error& e) { return e.next.empty() || e.next.starts_with("use -n"); };
  if (kept.empty()) {
    if (about_number(error)) error.next = fewer;
    return error;
  }
  // What those alone come to is the sentence that holds.
  if (const auto alone = feasibility(topology, graph, left);
      !alone.possible && alone.error.code == Code::infeasible)
    error = alone.error;
  const auto list = fmt::format("{}", fmt::join(kept, " and "));
  if (kept.size() > 1) error.message += fmt::format("; these cannot hold together: {}", list);
  if (kept.size() == 1 && error.message.find(list) == std::string::npos)
    error.message += fmt::format(": {} cannot hold", list);
  const auto without = kept.size() > 1      ? "leave out any one of them"
                       : about_number(error) ? "leave it out"
                                             : error.next;
  error.next = fmt::format("{}{}{}", fewer, fewer.empty() ? "" : ", or ", without);
  return error;
}

}  // namespace topolaunch::mapping
