// SPDX-License-Identifier: Apache-2.0
#include "topo/tree_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace topolaunch::topo {
namespace {

constexpr long kMostHosts = 1L << 20;
constexpr long kMostSeats = 1L << 24;

}  // namespace

Result<TreeSpec> parse_tree(std::string_view text, const std::vector<double>& distances) {
  constexpr std::string_view example = "write it like tree:8:32:16, innermost level first";
  TreeSpec spec;
  std::string_view rest = text;
  while (true) {
    const auto colon = rest.find(':');
    std::string_view part = rest.substr(0, colon);
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    int value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc{} || end != part.data() + part.size() || value < 1) {
      return fail(Code::wrong_usage,
                  fmt::format("tree: '{}' (character {}) is not a number of 1 or more",
                              part.substr(0, 40), rest.data() - text.data() + 1),
                  std::string(example));
    }
    spec.arities.push_back(value);
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  if (spec.arities.size() > 16) {
    return fail(Code::wrong_usage, "tree: more than 16 levels", std::string(example));
  }
  long hosts = 1;
  for (std::size_t i = 1; i < spec.arities.size() && hosts <= kMostHosts; ++i) {
    hosts *= spec.arities[i];
  }
  if (hosts > kMostHosts || hosts * spec.arities[0] > kMostSeats || spec.arities[0] > 65536) {
    return fail(Code::wrong_usage,
                fmt::format("tree: at most {} hosts, {} seats and 65536 seats a host", kMostHosts,
                            kMostSeats));
  }
  spec.distances = distances;
  if (distances.empty()) {
    double distance = 1;
    for (std::size_t i = 0; i < spec.arities.size(); ++i, distance *= 10) {
      spec.distances.push_back(distance);
    }
  }
  if (spec.distances.size() != spec.arities.size()) {
    return fail(Code::wrong_usage,
                fmt::format("--distance has {} values for a tree of {} levels", distances.size(),
                            spec.arities.size()),
                "give one for each level, innermost first, as in --distance 1:10:100");
  }
  for (std::size_t i = 0; i < spec.distances.size(); ++i) {
    const double d = spec.distances[i];
    if (!std::isfinite(d) || d < 0 || (i > 0 && d < spec.distances[i - 1])) {
      return fail(Code::wrong_usage, "--distance values must not be negative nor fall outwards");
    }
  }
  return spec;
}

std::vector<Fact> tree_facts(const TreeSpec& spec) {
  const Origin origin{"tree", "", 0};
  std::vector<Fact> facts;
  HostFact host;  // one description for all hosts
  host.slots = spec.arities[0];
  host.cpus.add_range(0, spec.arities[0] - 1);
  facts.push_back({origin, {}, std::move(host)});
  FabricFact fabric;
  fabric.distances = spec.distances;
  facts.push_back({origin, {}, std::move(fabric)});
  int children = 1;
  for (std::size_t i = 1; i < spec.arities.size(); ++i) children *= spec.arities[i];
  for (std::size_t level = 0; level + 1 < spec.arities.size(); ++level) {
    const int fan_in = spec.arities[level + 1];
    const int boxes = children / fan_in;
    for (int b = 0; b < boxes; ++b) {
      SwitchFact box;
      box.name = fmt::format("s{}.{}", level, b);
      box.level = static_cast<int>(level);
      if (level + 2 < spec.arities.size()) {
        box.parent = fmt::format("s{}.{}", level + 1, b / spec.arities[level + 2]);
      }
      if (level == 0) {
        for (int h = b * fan_in; h < (b + 1) * fan_in; ++h) {
          box.hosts.push_back("host" + std::to_string(h));
        }
      }
      facts.push_back({origin, {}, std::move(box)});
    }
    children = boxes;
  }
  return facts;
}

}  // namespace topolaunch::topo
