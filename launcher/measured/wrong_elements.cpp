// SPDX-License-Identifier: Apache-2.0
#include "launcher/measured/wrong_elements.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"

namespace topolaunch::launcher {
namespace {

/// "12 wrong at 128 MiB, in place", for each of the first sizes with any; how many more there are.
std::string sizes(const bench::Measurement& m) {
  constexpr int kMostNamed = 4;
  std::string named;
  int all = 0;
  for (const bench::SizeResult& r : m.results) {
    for (const auto& [t, place] :
         {std::pair(&r.out_of_place, "out of place"), std::pair(&r.in_place, "in place")}) {
      if (t->wrong <= 0 || ++all > kMostNamed) continue;
      named += fmt::format("{}{} wrong at {}, {}", named.empty() ? "" : "; ", t->wrong,
                           to_text(Bytes(r.size)), place);
    }
  }
  if (all > kMostNamed) named += fmt::format("; {} more such sizes", all - kMostNamed);
  return named;
}

/// "only on rank 3 of h02", "on ranks 0, 3 and 5 of 8", "on all ranks".
std::string which_ranks(const bench::Measurement& m) {
  constexpr std::size_t kMostNamed = 4;
  std::vector<int> ranks;
  for (std::size_t rank = 0; rank < m.wrong_by_rank.size(); ++rank) {
    if (m.wrong_by_rank[rank] > 0) ranks.push_back(static_cast<int>(rank));
  }
  if (ranks.empty()) return {};
  if (ranks.size() == m.wrong_by_rank.size()) return "on all ranks";
  if (ranks.size() > kMostNamed) {
    return fmt::format("on {} of {} ranks", ranks.size(), m.wrong_by_rank.size());
  }
  std::string named;
  for (const int rank : ranks) {
    const auto device = std::ranges::find(m.devices, rank, &bench::Device::rank);
    const std::string host = device == m.devices.end() ? "" : " of " + device->host;
    named += fmt::format("{}rank {}{}", named.empty() ? "only on " : ", ", rank, host);
  }
  return named;
}

}  // namespace

Check wrong_elements_check(const bench::Measurement& m) {
  Check check;
  check.name = "results";
  check.expected = "0 wrong elements";
  check.measured = counted(m.wrong, "wrong element");
  check.verdict = m.wrong == 0 ? Outcome::pass : Outcome::fail;
  if (m.wrong < 0) {
    check.verdict = Outcome::could_not_test;
    check.measured = "not checked";
    const bool nothing = m.results.empty() && m.groups.empty() && !m.pairs;
    check.suspect =
        nothing ? "it ended before the first size" : "the benchmark ran with checks off";
  }
  if (m.wrong > 0) {
    check.suspect = sizes(m);
    if (const std::string ranks = which_ranks(m); !ranks.empty()) {
      check.suspect += (check.suspect.empty() ? "" : "; ") + ranks;
    }
    check.confirm = "the same job without that host, or with NCCL_ALGO and NCCL_PROTO set to others";
  }
  return check;
}

}  // namespace topolaunch::launcher
