// SPDX-License-Identifier: Apache-2.0
#include "topo/measured_unit.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/lower_case.h"

namespace topolaunch::topo {
namespace {

using Of = PairFact::Of;

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Takes `part` off the end of `text`, if it stands there.
bool take_end(std::string_view& text, std::string_view part) {
  if (!text.ends_with(part)) return false;
  text.remove_suffix(part.size());
  return true;
}

/// Letters, digits, '/' and the bytes of a µ together; "bytes_per_second" becomes "bytes/s".
std::vector<std::string> tokens_of(std::string_view words) {
  std::string text(words);
  for (const std::string_view per : {"_per_", " per "}) {
    for (auto at = lower_case(text).find(per); at != std::string::npos; at = lower_case(text).find(per))
      text.replace(at, per.size(), "/");
  }
  std::vector<std::string> tokens(1);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '/' || byte >= 0x80) {
      tokens.back() += c;
    } else if (!tokens.back().empty()) {
      tokens.emplace_back();
    }
  }
  std::erase(tokens, std::string());
  return tokens;
}

/// The factor of "k", "Mi" ... in front of bits or bytes; nothing for other text.
std::optional<double> factor_of(std::string_view prefix) {
  if (prefix.empty()) return 1;
  const bool binary = prefix.size() == 2 && (prefix[1] == 'i' || prefix[1] == 'I');
  const auto power = std::string_view("kmgt").find(lower_case(prefix.substr(0, 1)));
  if (power == std::string_view::npos || (prefix.size() > 1 && !binary)) return {};
  return std::pow(binary ? 1024.0 : 1000.0, static_cast<double>(power + 1));
}

std::optional<MeasuredUnit> rate_of(std::string_view token) {
  const std::string small = lower_case(token);
  std::string_view rest = small;
  const bool per = take_end(rest, "/seconds") || take_end(rest, "/second") ||
                   take_end(rest, "/sec") || take_end(rest, "/s");
  double unit = 0;
  if (take_end(rest, "bits") || take_end(rest, "bit")) {
    unit = 1.0 / 8;  // "Gbit" is said of rates, too
  } else if (per && (take_end(rest, "bytes") || take_end(rest, "byte"))) {
    unit = 1;
  } else if (!per && take_end(rest, "ps") && take_end(rest, "b")) {
    unit = token[rest.size()] == 'B' && token.back() == 's' ? 1 : 1.0 / 8;  // GBps; Gbps, GBPS
  } else if ((per || take_end(rest, "s")) && take_end(rest, "b")) {
    unit = token[rest.size()] == 'b' && token != small ? 1.0 / 8 : 1;
  }
  if (unit == 0 || (rest.empty() && !per)) return {};
  const auto factor = factor_of(token.substr(0, rest.size()));
  if (!factor) return {};
  return MeasuredUnit{Of::bandwidth, *factor * unit};
}

std::optional<MeasuredUnit> time_of(std::string_view token) {
  static constexpr std::array<std::pair<std::string_view, double>, 18> kTimes{
      {{"s", 1},
       {"sec", 1},
       {"second", 1},
       {"seconds", 1},
       {"ms", 1e-3},
       {"msec", 1e-3},
       {"millisecond", 1e-3},
       {"milliseconds", 1e-3},
       {"us", 1e-6},
       {"usec", 1e-6},
       {"microsecond", 1e-6},
       {"microseconds", 1e-6},
       {"\xC2\xB5s", 1e-6},
       {"\xCE\xBCs", 1e-6},
       {"ns", 1e-9},
       {"nsec", 1e-9},
       {"nanosecond", 1e-9},
       {"nanoseconds", 1e-9}}};
  const std::string small = lower_case(token);
  for (const auto& [name, seconds] : kTimes) {
    if (small == name) return MeasuredUnit{Of::latency, seconds};
  }
  return {};
}

}  // namespace

std::optional<MeasuredUnit> measured_unit(std::string_view words) {
  const auto tokens = tokens_of(words);
  for (const auto& token : tokens) {
    if (const auto rate = rate_of(token)) return rate;
  }
  for (const auto& token : tokens) {
    if (const auto time = time_of(token)) return time;
  }
  const std::string text = lower_case(words);
  if (has(text, "busbw") || has(text, "bandwidth")) return MeasuredUnit{Of::bandwidth, 1e9};
  if (has(text, "latency")) return MeasuredUnit{Of::latency, 1};
  if (has(text, "distance") || has(text, "hops")) return MeasuredUnit{Of::distance, 1};
  return {};
}

bool names_no_unit(std::string_view words) {
  static constexpr std::array<std::string_view, 20> kNames{
      "host", "hosts", "hostname", "node",        "nodes",  "instance", "server",
      "name", "names", "rank",     "ranks",       "gpu",    "from",     "to",
      "src",  "dst",   "source",   "destination", "sender", "receiver"};
  std::string text(words);
  std::replace(text.begin(), text.end(), '/', ' ');
  const auto tokens = tokens_of(text);
  return std::all_of(tokens.begin(), tokens.end(), [](const std::string& token) {
    return std::find(kNames.begin(), kNames.end(), lower_case(token)) != kNames.end();
  });
}

}  // namespace topolaunch::topo
