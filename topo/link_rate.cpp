// SPDX-License-Identifier: Apache-2.0
#include "topo/link_rate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

namespace topolaunch::topo {
namespace {

constexpr const char* kExample = "write it like --link-rate host=200Mb/s,uplink=200Mb/s";

void say_other(Topology& topology, const std::string& what, Bandwidth before, Bandwidth now) {
  Warning note;
  note.code = "link-rate-given";
  note.severity = Warning::Severity::note;
  note.message = fmt::format("{}: {} as --link-rate says, not {}", what, to_text(now),
                             to_text(before));
  topology.warnings.push_back(std::move(note));
}

/// A host's links together carry `rate`, each its share.
void set_host_rate(Topology& topology, Bandwidth rate) {
  topology.fabric.host_rate = rate;
  bool said = false;
  for (Host& host : topology.hosts) {
    const bool rdma = std::ranges::any_of(
        host.nics, [](const Nic& nic) { return nic.up && nic.rdma && nic.rate.known(); });
    double sum = 0;
    int count = 0;
    const auto counts = [&](const Nic& nic) { return nic.up && (nic.rdma || !rdma); };
    for (const Nic& nic : host.nics) {
      if (!counts(nic)) continue;
      sum += nic.rate.bytes_per_second();
      ++count;
    }
    if (!said && sum > 0 && Bandwidth::bytes_per_second(sum) != rate) {
      said = true;
      say_other(topology, "network of " + host.name, Bandwidth::bytes_per_second(sum), rate);
    }
    for (Nic& nic : host.nics) {
      if (counts(nic)) nic.rate = rate * (sum > 0 ? nic.rate.bytes_per_second() / sum : 1.0 / count);
    }
  }
}

void set_uplinks(Topology& topology, Bandwidth rate, int level) {
  bool said = false;
  for (Switch& box : topology.fabric.switches) {
    if (box.parent < 0 || (level >= 0 && box.level != level)) continue;
    if (!said && box.uplink.known() && box.uplink != rate) {
      said = true;
      say_other(topology, "uplink of " + box.name, box.uplink, rate);
    }
    box.uplink = rate;
  }
}

}  // namespace

Status apply_link_rates(const std::string& text, Topology& topology) {
  std::map<std::string, Bandwidth> rates;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const auto end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    begin = end + 1;
    const auto equals = part.find('=');
    if (equals == std::string::npos) {
      return fail(Code::wrong_usage, fmt::format("'{}' gives no rate", part), kExample);
    }
    const std::string level = part.substr(0, equals);
    auto rate = parse_bandwidth(part.substr(equals + 1));
    if (!rate) return fail(std::move(rate).error());
    if (!rate->known()) {
      return fail(Code::wrong_usage, fmt::format("'{}' is no rate that carries anything", part),
                  kExample);
    }
    if (!rates.emplace(level, *rate).second) {
      return fail(Code::wrong_usage, fmt::format("{} is given twice", level), kExample);
    }
  }
  const auto& names = topology.fabric.level_names;
  // "uplink" is every level; one that is named by itself comes after it.
  for (const bool every : {true, false}) {
    for (const auto& [level, rate] : rates) {
      if ((level == "uplink") != every) continue;
      const auto named = std::ranges::find(names, level);
      if (level == "host") {
        set_host_rate(topology, rate);
      } else if (topology.fabric.empty()) {
        return fail(Code::wrong_usage,
                    fmt::format("{}={}, but no source names a switch", level, to_text(rate)),
                    "give the fabric with --topology, or the host's rate alone");
      } else if (every) {
        set_uplinks(topology, rate, -1);
      } else if (named != names.end()) {
        set_uplinks(topology, rate, static_cast<int>(named - names.begin()));
      } else {
        return fail(Code::wrong_usage, fmt::format("there is no level '{}'", level),
                    fmt::format("levels: host uplink {}", fmt::join(names, " ")));
      }
    }
  }
  return {};
}

}  // namespace topolaunch::topo
