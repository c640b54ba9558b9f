// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/groups.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace topolaunch::bench {
namespace {

constexpr const char* kAxes[] = {"tp", "cp", "ep", "dp", "pp"};

struct Axis {
  std::string name;
  int size = 0;  ///< 0 = not given
};

Result<std::vector<Axis>> axes_of(const std::string& words) {
  std::vector<Axis> axes;
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t comma = std::min(words.find(',', at), words.size());
    const std::string word = words.substr(at, comma - at);
    at = comma + 1;
    Axis axis{word.substr(0, word.find('=')), 0};
    if (axis.name.empty())
      return fail(Code::wrong_usage, "--groups: an axis without a name in \"" + words + "\"");
    if (const auto equals = word.find('='); equals != std::string::npos) {
      const char* const end = word.data() + word.size();
      const auto read = std::from_chars(word.data() + equals + 1, end, axis.size);
      if (read.ec != std::errc{} || read.ptr != end || axis.size < 1) {
        return fail(Code::wrong_usage, "--groups: \"" + word + "\" has no size of 1 or more");
      }
    }
    for (const Axis& other : axes) {
      if (other.name == axis.name)
        return fail(Code::wrong_usage, "--groups: " + axis.name + " is there twice");
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

/// Numbers the different keys in the order in which they come.
template <class Key>
std::vector<int> numbered(const std::vector<Key>& keys) {
  std::map<Key, int> numbers;
  std::vector<int> out;
  for (const Key& key : keys) {
    out.push_back(numbers.try_emplace(key, static_cast<int>(numbers.size())).first->second);
  }
  return out;
}

template <class KeyOf>
Grouping by(const std::string& axis, const std::vector<RankFacts>& ranks, const KeyOf& key_of) {
  std::vector<decltype(key_of(ranks.front()))> keys;
  for (const RankFacts& rank : ranks) keys.push_back(key_of(rank));
  return {axis, numbered(keys)};
}

std::string unknown_axis(const std::string& axis) {
  return "--groups: " + axis +
         " has no size here, and the launcher gave the ranks no coordinate of that name";
}

}  // namespace

std::map<std::string, int> coordinates_from(const Environment& environment) {
  std::map<std::string, int> found;
  for (const std::string axis : kAxes) {
    std::string name = "TOPOLAUNCH_";
    for (const char c : axis) name += static_cast<char>(c - 'a' + 'A');
    if (const auto value = environment.get_int(name)) found[axis] = static_cast<int>(*value);
  }
  return found;
}

Result<std::vector<Grouping>> groupings(const std::string& words,
                                        const std::vector<RankFacts>& ranks) {
  auto axes = axes_of(words);
  if (!axes) return fail(std::move(axes).error());
  std::int64_t product = 1;
  bool sized = false;
  for (const Axis& axis : *axes) {
    if (axis.size == 0) continue;
    sized = true;
    product *= axis.size;
    if (product > static_cast<std::int64_t>(ranks.size())) break;
  }
  if (sized && product != static_cast<std::int64_t>(ranks.size())) {
    return fail(Code::wrong_usage,
                "--groups " + words + ": the sizes don't multiply to the " +
                    std::to_string(ranks.size()) + " ranks",
                "sizes of all axes, tp=2,dp=4 for 8 ranks");
  }
  std::vector<Grouping> out;
  std::size_t stride = 1;
  for (const Axis& axis : *axes) {
    if (axis.size > 0) {
      const auto size = static_cast<std::size_t>(axis.size);
      std::vector<std::size_t> keys;
      for (std::size_t r = 0; r < ranks.size(); ++r) {
        keys.push_back(r / (stride * size) * stride + r % stride);
      }
      out.push_back({axis.name, numbered(keys)});
      stride *= size;
    } else if (axis.name == "host") {
      out.push_back(by("host", ranks, [](const RankFacts& r) { return r.host_key; }));
    } else if (axis.name == "rail") {
      out.push_back(by("rail", ranks, [](const RankFacts& r) { return r.local_rank; }));
    } else if (axis.name == "leaf") {
      for (const RankFacts& rank : ranks) {
        if (rank.leaf.empty()) {
          return fail(
              Code::unavailable, "--groups leaf: nobody says under which leaf the ranks are",
              "start it with topolaunch bench on a topology with switches, or set TOPOLAUNCH_LEAF");
        }
      }
      out.push_back(by("leaf", ranks, [](const RankFacts& r) { return r.leaf; }));
    } else {
      for (const RankFacts& rank : ranks) {
        if (!rank.coordinates.contains(axis.name)) {
          return fail(Code::wrong_usage, unknown_axis(axis.name),
                      axis.name + "=SIZE, or host, leaf, rail");
        }
      }
      // A group along an axis: all other coordinates are equal.
      out.push_back(by(axis.name, ranks, [&](const RankFacts& r) {
        auto others = r.coordinates;
        others.erase(axis.name);
        return others;
      }));
    }
  }
  return out;
}

}  // namespace topolaunch::bench
