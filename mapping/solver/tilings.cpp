// SPDX-License-Identifier: Apache-2.0
#include "mapping/solver/tilings.h"

#include <algorithm>
#include <functional>
#include <set>

#include "mapping/index.h"

namespace topolaunch::mapping {
namespace {

/// One axis of the line: a part of a dimension with its stride in rank numbers.
struct Part {
  int size, stride;
  friend bool operator<(const Part& a, const Part& b) {
    return std::pair(a.stride, a.size) < std::pair(b.stride, b.size);
  }
};

/// How many seats of a row share a host, a common divisor: parts are cut there.
int run_length(const std::vector<Seat>& line) {
  int run = 1;
  while (run < count_of(line) && line[ix(run)].host == line[0].host) ++run;
  return run;
}

std::vector<Seat> lay(const std::vector<Part>& parts, const std::vector<Seat>& line) {
  // The first part varies fastest along the line.
  std::vector<Seat> seats(line.size());
  std::vector<int> digit(parts.size(), 0);
  int rank = 0;
  for (const auto& seat : line) {
    seats[ix(rank)] = seat;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      rank += parts[p].stride;
      if (++digit[p] < parts[p].size) break;
      rank -= parts[p].size * parts[p].stride;
      digit[p] = 0;
    }
  }
  return seats;
}

}  // namespace

void each_tiling(const RankGraph& graph, const std::vector<Seat>& line, Constraints::Effort effort,
                 const std::function<void(std::vector<Seat>)>& visit) {
  if (graph.dimensions.empty() || line.size() != ix(graph.ranks) || graph.ranks < 2) return;

  // Only the decoder's dimensions tile the ranks; ep and the like lie across them.
  std::vector<Part> whole;
  int covered = 1;
  for (const auto& dimension : graph.dimensions)
    if (dimension.size > 1 && dimension.stride == covered) {
      whole.push_back({dimension.size, dimension.stride});
      covered *= dimension.size;
    }
  if (covered != graph.ranks) return;

  // Work is ranks x tilings: many for small jobs, the plain permutations for a million ranks.
  const std::size_t work = effort == Constraints::Effort::fast ? 400'000 : effort == Constraints::Effort::best ? 20'000'000 : 2'000'000;
  const std::size_t most = std::clamp<std::size_t>(work / line.size(), 4, 200);

  std::set<std::vector<Part>> tried;
  const auto permute = [&](std::vector<Part> parts) {
    std::sort(parts.begin(), parts.end());
    do {
      // Parts of one dimension side by side in their own order are that dimension again.
      std::vector<Part> merged;
      for (const auto& part : parts) {
        if (!merged.empty() && merged.back().stride * merged.back().size == part.stride &&
            std::any_of(whole.begin(), whole.end(), [&](const Part& w) {
              return merged.back().stride >= w.stride && part.stride * part.size <= w.stride * w.size;
            }))
          merged.back().size *= part.size;
        else
          merged.push_back(part);
      }
      if (tried.insert(merged).second) visit(lay(merged, line));
    } while (tried.size() < most && std::next_permutation(parts.begin(), parts.end()));
  };
  permute(whole);
  // One dimension cut in two at every divisor that a run of seats suggests.
  const int run = run_length(line);
  for (std::size_t d = 0; d < whole.size() && tried.size() < most; ++d)
    for (int cut = 2; cut < whole[d].size && tried.size() < most; ++cut) {
      if (whole[d].size % cut != 0) continue;
      if (run % cut != 0 && (graph.ranks / std::max(1, run)) % cut != 0) continue;
      auto parts = whole;
      parts[d].size = cut;
      parts.push_back({whole[d].size / cut, whole[d].stride * cut});
      permute(std::move(parts));
    }
}

}  // namespace topolaunch::mapping
