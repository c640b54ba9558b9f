// SPDX-License-Identifier: Apache-2.0
#include "mapping/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/counted.h"
#include "mapping/index.h"

namespace topolaunch::mapping {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t at = 0;
  while (true) {
    const auto end = text.find(separator, at);
    parts.push_back(text.substr(at, end - at));
    if (end == std::string::npos) return parts;
    at = end + 1;
  }
}

/// "0-7,12" below `ranks`.
Result<std::vector<int>> rank_list(const std::string& list, int ranks, const RuleText& rule) {
  std::vector<int> result;
  for (const auto& part : split(list, ',')) {
    int first = 0;
    const char* const end = part.data() + part.size();
    auto [stop, error] = std::from_chars(part.data(), end, first);
    int last = first;
    if (error == std::errc{} && stop != end && *stop == '-') {
      const auto second = std::from_chars(stop + 1, end, last);
      error = second.ec;
      stop = second.ptr;
    }
    if (error != std::errc{} || stop != end)
      return fail(Code::wrong_usage,
                  fmt::format("{}: '{}' is neither a group nor a list of ranks", rule.text(), part),
                  "write it like tp, 0-7 or @host1, with =LEVEL behind it");
    if (last < first)
      return fail(Code::wrong_usage, fmt::format("{}: {} runs backwards", rule.text(), part),
                  fmt::format("write {}-{}", last, first));
    if (first < 0 || last >= ranks)
      return fail(Code::wrong_usage, fmt::format("{}: ranks are 0 to {}", rule.text(), ranks - 1));
    for (int r = first; r <= last; ++r) result.push_back(r);
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::string rank_text(const std::vector<int>& ranks) {
  if (ranks.size() <= 4) return fmt::format("ranks {}", fmt::join(ranks, ","));
  return fmt::format("ranks {},{},... ({} in all)", ranks[0], ranks[1], ranks.size());
}

}  // namespace

std::string RuleText::text() const {
  return fmt::format("{} {}{}", option, group, level.empty() ? "" : "=" + level);
}

RuleText RuleText::parse(const std::string& option, const std::string& value) {
  const auto equals = value.rfind('=');
  if (equals == std::string::npos) return {option, value, {}};
  return {option, value.substr(0, equals), value.substr(equals + 1)};
}

Result<std::vector<int>> hosts_named(const topo::Topology& topology, const std::string& option,
                                     const std::string& list) {
  std::vector<int> hosts;
  for (const auto& name : split(list, ',')) {
    const auto before = hosts.size();
    for (int h = 0; h < count_of(topology.hosts); ++h)
      if (topology.hosts[ix(h)].name == name) hosts.push_back(h);
    const auto& fabric = topology.fabric;
    for (int s = 0; s < count_of(fabric.switches) && hosts.size() == before; ++s) {
      if (fabric.switches[ix(s)].name != name) continue;
      for (int h = 0; h < count_of(fabric.leaf_of_host); ++h) {
        int steps = 0;
        for (int at = fabric.leaf_of_host[ix(h)]; at >= 0 && steps <= count_of(fabric.switches);
             ++steps) {
          if (at == s) {
            hosts.push_back(h);
            break;
          }
          at = fabric.switches[ix(at)].parent;
        }
      }
    }
    if (hosts.size() == before)
      return fail(Code::wrong_usage,
                  fmt::format("{}: no host or switch is called '{}'", option, name),
                  "see: topolaunch topo");
  }
  return hosts;
}

Result<Rules> Rules::make(const topo::Topology& topology, const RankGraph& graph,
                          const Constraints& constraints) {
  Rules rules;
  rules.levels_ = fabric_levels(topology);
  if (constraints.affinity.empty() && constraints.anti_affinity.empty()) return rules;
  rules.sets_of_rank_.resize(ix(graph.ranks));
  for (const bool apart : {false, true})
    for (const auto& value : apart ? constraints.anti_affinity : constraints.affinity) {
      const auto rule = RuleText::parse(apart ? "--anti-affinity" : "--affinity", value);
      const int text = count_of(rules.texts_);
      int level = 0;
      if (!rule.level.empty()) {
        while (level < count_of(rules.levels_.levels) &&
               rules.levels_.levels[ix(level)].name != rule.level)
          ++level;
        if (level == count_of(rules.levels_.levels))
          return fail(Code::wrong_usage,
                      fmt::format("{}: this machine has no level '{}'", rule.text(), rule.level),
                      "levels: " + rules.levels_.names());
      }
      if (rule.about_hosts()) continue;
      rules.texts_.push_back(rule.text());
      const auto add = [&](std::vector<int> ranks, std::vector<int> others) {
        const int number = count_of(rules.sets_);
        for (const int r : ranks) rules.sets_of_rank_[ix(r)].push_back(number);
        for (const int r : others) rules.sets_of_rank_[ix(r)].push_back(number);
        rules.sets_.push_back({apart, level, std::move(ranks), std::move(others), text});
      };
      bool dimension = false;
      for (const auto& group : graph.groups) {
        if (group.dimension != rule.group) continue;
        dimension = true;
        if (count_of(group.members) > 1) add(group.members, {});
      }
      if (dimension) continue;
      if (rule.group.empty())
        return fail(Code::wrong_usage, fmt::format("{} '{}': no group before the level", rule.option, value),
                    "write it like tp, 0-7 or @host1, with =LEVEL behind it");
      if (rule.group.find_first_not_of("0123456789-,/") != std::string::npos) {
        std::set<std::string> known;
        for (const auto& group : graph.groups) known.insert(group.dimension);
        return fail(Code::wrong_usage,
                    fmt::format("{}: the job has no group '{}'", rule.text(), rule.group),
                    fmt::format("groups: {}; or a list of ranks, or @HOST",
                                known.empty() ? "none" : fmt::format("{}", fmt::join(known, " "))));
      }
      const auto sides = split(rule.group, '/');
      if (sides.size() > 2 || (sides.size() == 2 && !apart))
        return fail(
            Code::wrong_usage,
            fmt::format("{}: A/B is for two lists of ranks that are kept apart", rule.text()),
            "use --anti-affinity 0-7/8-15=LEVEL");
      auto ranks = rank_list(sides[0], graph.ranks, rule);
      if (!ranks) return fail(ranks.error());
      std::vector<int> others;
      if (sides.size() == 2) {
        auto second = rank_list(sides[1], graph.ranks, rule);
        if (!second) return fail(second.error());
        others = std::move(*second);
        for (const int rank : *ranks)
          if (std::find(others.begin(), others.end(), rank) != others.end())
            return fail(Code::wrong_usage, fmt::format("{}: rank {} stands on both sides", rule.text(), rank),
                        "a rank can't be kept apart from itself");
      }
      add(std::move(*ranks), std::move(others));
    }
  for (const auto& level : rules.levels_.levels)
    if (ix(level.blocks) > rules.seen_.size()) rules.seen_.resize(ix(level.blocks), -1);
  return rules;
}

bool Rules::holds(const Set& set, const std::vector<Seat>& seats) const {
  const auto& block = levels_.levels[ix(set.level)].block;
  const auto seated = [&](int rank) { return seats[ix(rank)].host >= 0; };
  const auto block_of = [&](int rank) { return block[ix(seats[ix(rank)].host)]; };
  if (!set.apart) {
    int first = -1;
    return std::all_of(set.ranks.begin(), set.ranks.end(), [&](int r) {
      if (!seated(r)) return true;
      if (first < 0) first = block_of(r);
      return block_of(r) == first;
    });
  }
  bool fine = true;
  for (const int r : set.ranks) {
    if (!seated(r)) continue;
    fine = fine && (!set.others.empty() || seen_[ix(block_of(r))] < 0);
    seen_[ix(block_of(r))] = 1;
  }
  for (const int r : set.others) fine = fine && (!seated(r) || seen_[ix(block_of(r))] < 0);
  for (const int r : set.ranks)
    if (seated(r)) seen_[ix(block_of(r))] = -1;
  return fine;
}

std::string Rules::fault(const std::vector<Seat>& seats) const {
  for (const auto& set : sets_) {
    if (holds(set, seats)) continue;
    const auto& level = levels_.levels[ix(set.level)].name;
    if (!set.apart)
      return fmt::format("{}: {} are not in one {}", texts_[ix(set.text)], rank_text(set.ranks),
                         level);
    return fmt::format("{}: some of {} share a {}", texts_[ix(set.text)], rank_text(set.ranks),
                       level);
  }
  return {};
}

std::string Rules::shortage(const std::vector<int>& capacity) const {
  for (const auto& set : sets_) {
    const auto& level = levels_.levels[ix(set.level)];
    std::vector<int> room(ix(level.blocks), 0);
    for (int h = 0; h < count_of(capacity); ++h) room[ix(level.block[ix(h)])] += capacity[ix(h)];
    const int most = *std::ranges::max_element(room);
    const auto usable = std::ranges::count_if(room, [](int seats) { return seats > 0; });
    const int apart_blocks = !set.apart ? 1 : set.others.empty() ? count_of(set.ranks) : 2;
    if (!set.apart && count_of(set.ranks) > most)
      return fmt::format("{}: {} in one {}, and the largest has {}", texts_[ix(set.text)],
                         rank_text(set.ranks), level.name, counted(most, "seat"));
    if (apart_blocks > usable)
      return fmt::format("{}: {} on {}, and {} free", texts_[ix(set.text)], rank_text(set.ranks),
                         counted(apart_blocks, level.name),
                         usable == 1 ? "1 is" : fmt::format("{} are", usable));
  }
  return {};
}

bool Rules::hold(const std::vector<Seat>& seats, const std::vector<int>& moved) const {
  if (sets_.empty()) return true;
  for (const int r : moved)
    for (const int s : sets_of_rank_[ix(r)])
      if (!holds(sets_[ix(s)], seats)) return false;
  return true;
}

}  // namespace topolaunch::mapping
