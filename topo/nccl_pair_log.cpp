// SPDX-License-Identifier: Apache-2.0
#include "topo/nccl_pair_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/counted.h"
#include "base/rank_tag.h"

namespace topolaunch::topo {
namespace {

/// What stands behind `label` up to the next blank; empty if `label` isn't there.
std::string_view word_behind(std::string_view line, std::string_view label) {
  const auto at = line.find(label);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + label.size());
  line.remove_prefix(std::min(line.find_first_not_of(" \t:"), line.size()));
  return line.substr(0, line.find_first_of(" \t\r"));
}

struct Test {
  std::string name;
  int line = 0;
  double gigabytes = -1;  ///< average bus bandwidth
};

int preference(const std::string& name) {
  return name.starts_with("sendrecv") ? 0 : name.starts_with("all_reduce") ? 1 : 2;
}

}  // namespace

bool looks_like_nccl_log(std::string_view text) {
  text = text.substr(0, 1 << 16);
  return text.find("# Using devices") != std::string_view::npos &&
         text.find("# nThread ") != std::string_view::npos;
}

Result<std::vector<Fact>> facts_from_nccl_log(std::string_view text, const std::string& file) {
  const auto refuse = [&file](int line, std::string message) {
    return fail(Error{Code::invalid_input, std::move(message),
                      "a pair is measured by one rank or more on each of two hosts", file, line});
  };
  std::vector<std::string> hosts;  // in order of their ranks
  std::set<std::string> ranks;     // of this test
  std::vector<Test> tests;
  std::string next_name;
  int number = 0, first_rank = 1;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string_view line = without_rank_tag(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    if (const auto name = word_behind(line, "Collective test starting:"); !name.empty()) {
      next_name = name;
    }
    if (line.find("# Using devices") != std::string_view::npos) {
      if (ranks.size() == 1 || (!tests.empty() && tests.back().line == number - 1)) {
        return refuse(number, "several worlds of one rank each, not one run");
      }
      ranks.clear();
      tests.push_back({std::move(next_name), number, -1});
      next_name.clear();
    }
    const auto rank = line.starts_with('#') ? word_behind(line, " Rank ") : std::string_view();
    const auto host = word_behind(line, " on ");
    if (!rank.empty() && !host.empty() && line.find(" device ") != std::string_view::npos) {
      if (hosts.empty()) first_rank = number;
      if (!ranks.insert(std::string(rank)).second) {
        return refuse(number, fmt::format("rank {} stands twice: several runs mixed", rank));
      }
      if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.emplace_back(host);
      if (hosts.size() > 64) break;
    }
    const auto average = word_behind(line, "Avg bus bandwidth");
    double value = 0;
    if (!average.empty() && !tests.empty() &&
        std::from_chars(average.data(), average.data() + average.size(), value).ec == std::errc{}) {
      tests.back().gigabytes = value;
      tests.back().line = number;
    }
  }
  if (hosts.size() != 2) {
    return refuse(first_rank,
                  fmt::format("an nccl-tests log over {}{} is no pair",
                              counted(hosts.size(), "host"), hosts.size() > 64 ? " or more" : ""));
  }
  std::stable_sort(tests.begin(), tests.end(), [](const Test& a, const Test& b) {
    return preference(a.name) < preference(b.name);
  });
  const auto measured =
      std::find_if(tests.begin(), tests.end(), [](const Test& test) { return test.gigabytes > 0; });
  if (measured == tests.end()) return refuse(number, "the log ends before its average bandwidth");
  return std::vector<Fact>{
      {{"measured", file, measured->line},
       {},
       PairFact{hosts[0], hosts[1], PairFact::Of::bandwidth, measured->gigabytes * 1e9, false}}};
}

}  // namespace topolaunch::topo
