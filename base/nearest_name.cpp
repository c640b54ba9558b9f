// SPDX-License-Identifier: Apache-2.0
#include "base/nearest_name.h"

#include <algorithm>
#include <cstddef>

namespace topolaunch {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string nearest_name(std::string_view typed, const std::vector<std::string>& known,
                         std::size_t most) {
  if (typed.empty() || typed.size() > 64) return {};
  std::string best;
  std::size_t best_cost = std::min(most, std::max<std::size_t>(1, typed.size() / 3)) + 1;
  for (const std::string& name : known) {
    const std::size_t cost = edit_distance(typed, name);
    if (cost < best_cost) {
      best_cost = cost;
      best = name;
    }
  }
  if (!best.empty()) return best;
  for (const std::string& name : known) {
    if (typed.size() < 4 || !name.starts_with(typed)) continue;
    if (!best.empty()) return {};
    best = name;
  }
  return best;
}

}  // namespace topolaunch
