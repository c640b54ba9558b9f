// SPDX-License-Identifier: Apache-2.0
#include "topo/probe_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "topo/json_reading.h"

namespace topolaunch::topo {
namespace {

constexpr std::string_view kSchema = "topolaunch.probe/1";

std::string_view word_of(PairFact::Of of) {
  return of == PairFact::Of::latency ? "latency" : "bandwidth";
}

/// Rows send: bytes per second or seconds; null where nothing was measured.
Json matrix_json(const std::vector<std::string>& hosts, const std::vector<PairFact>& pairs,
                 PairFact::Of of) {
  const PairTable table(pairs, of);
  Json rows = Json::array();
  if (table.measured() == 0) return rows;
  std::vector<std::size_t> at;
  for (const std::string& host : hosts) {
    at.push_back(static_cast<std::size_t>(std::ranges::find(table.hosts(), host) -
                                          table.hosts().begin()));
  }
  const double sign = of == PairFact::Of::bandwidth ? -1 : 1;
  for (std::size_t a = 0; a < hosts.size(); ++a) {
    Json row = Json::array();
    for (std::size_t b = 0; b < hosts.size(); ++b) {
      const bool known = a != b && at[a] < table.size() && at[b] < table.size() &&
                         table.known(at[a], at[b]);
      // Three digits are more than a measurement has, and a file of 1,000 hosts stays small.
      if (known) {
        row.push_back(std::stod(fmt::format("{:.3g}", std::exp(sign * table.far(at[a], at[b])))));
      } else {
        row.push_back(nullptr);
      }
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

tl::unexpected<Error> broken(const std::string& what, const std::string& file) {
  return fail(Error{Code::invalid_input, "the probe is not whole: " + what,
                    "measure again: topolaunch topo --probe --refresh --hosts ...", file, 1});
}

}  // namespace

Json probe_json(const std::vector<std::string>& hosts, const ProbeResult& result,
                const ProbeCost& cost) {
  const LeafClusters& found = result.leaves;
  Json json;
  json["schema"] = kSchema;
  json["time"] = cost.time_of_day;
  json["backend"] = cost.backend;
  json["hosts"] = hosts;
  json["sure"] = found.sure;
  json["why"] = found.why;
  Json leaves = Json::array();
  for (int leaf = 0; found.sure && leaf < found.leaves; ++leaf) {
    Json members = Json::array();
    for (std::size_t h = 0; h < hosts.size(); ++h) {
      if (found.leaf[h] == leaf) members.push_back(hosts[h]);
    }
    leaves.push_back(std::move(members));
  }
  json["leaves"] = std::move(leaves);
  json["by"] = word_of(result.by);
  json["pairs"] = found.pairs;
  json["pairs_that_fit"] = found.pairs - found.odd;
  json["ratio"] = std::isfinite(found.ratio) ? found.ratio : 1.0;
  json["rounds"] = result.rounds;
  json["tournaments"] = result.tournaments;
  json["seconds"] = cost.time.count();
  json["bytes_sent"] = cost.sent.count();
  json["message_bytes"] = cost.message.count();
  json["latency_seconds"] = matrix_json(hosts, result.pairs, PairFact::Of::latency);
  json["bytes_per_second"] = matrix_json(hosts, result.pairs, PairFact::Of::bandwidth);
  return json;
}

bool is_probe(const Json& json) { return string_of(member(&json, "schema")) == kSchema; }

bool probe_is_sure(const Json& json) {
  const Json* sure = member(&json, "sure");
  return is_probe(json) && sure != nullptr && sure->is_boolean() && sure->get<bool>();
}

Result<std::string> probe_words(const Json& json, const std::string& file) {
  try {
    const std::string cost = fmt::format(
        "{} hosts probed in {}: {} rounds, {} sent, {}, {}", json.at("hosts").size(),
        topolaunch::to_text(Seconds(json.at("seconds").get<double>())), json.at("rounds").get<int>(),
        topolaunch::to_text(Bytes(json.at("bytes_sent").get<std::int64_t>())),
        json.at("backend").get<std::string>(), json.at("time").get<std::string>());
    if (!probe_is_sure(json)) {
      return fmt::format("leaves unsure: {} ({})", json.at("why").get<std::string>(), cost);
    }
    return fmt::format(
        "{} leaves by {}: {} of {} pairs fit, pairs between leaves are {:.2g} times as far as within "
        "({})",
        json.at("leaves").size(), json.at("by").get<std::string>(),
        json.at("pairs_that_fit").get<int>(), json.at("pairs").get<int>(),
        json.at("ratio").get<double>(), cost);
  } catch (const Json::exception& error) {
    return broken(error.what(), file);
  }
}

Result<std::vector<Fact>> facts_from_probe(const Json& json, const GivenText& given) {
  auto words = probe_words(json, given.file);
  if (!words) return tl::unexpected(std::move(words.error()));
  const Origin origin{"measured", given.file, 0};
  const std::vector<std::string> hosts = strings_of(member(&json, "hosts"));
  std::set<std::string> open(hosts.begin(), hosts.end());
  if (hosts.empty() || open.size() != hosts.size()) {
    return broken("hosts are missing or named twice", given.file);
  }
  std::vector<Fact> facts;
  for (const auto& host : hosts) facts.push_back({origin, host, MentionFact{}});
  if (probe_is_sure(json)) {
    const Json& leaves = elements_of(member(&json, "leaves"));
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      SwitchFact box;
      box.name = fmt::format("leaf{}", leaf);
      box.hosts = strings_of(&leaves[leaf]);
      for (const auto& host : box.hosts) {
        if (open.erase(host) == 0) return broken(host + " is on two leaves, or on none of its hosts", given.file);
      }
      facts.push_back({origin, {}, std::move(box)});
    }
    if (!open.empty()) return broken(*open.begin() + " is on no leaf", given.file);
  }
  facts.push_back({origin,
                   {},
                   WarningFact{{probe_is_sure(json) ? "measured-leaves" : "measured-unsure",
                                Warning::Severity::note, given.file, 0, std::move(*words)}}});
  return facts;
}

}  // namespace topolaunch::topo
