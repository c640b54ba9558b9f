// SPDX-License-Identifier: Apache-2.0
#include "bench/uplink_loads.h"

#include <algorithm>

#include "bench/pair_matrix.h"

namespace topolaunch::bench {

UplinkLoads::UplinkLoads(const std::vector<std::string>& leaves) {
  for (const auto& round : rounds_of_pairs(leaves.size())) {
    for (const bool back : {false, true}) {
      std::map<std::string, int> up, down;
      const auto each = [&](const auto& f) {
        for (const auto& [a, b] : round) {
          const auto from = back ? b : a, to = back ? a : b;
          if (leaves[from] != leaves[to]) f(from, to);
        }
      };
      each([&](auto from, auto to) { ++up[leaves[from]], ++down[leaves[to]]; });
      each([&](auto from, auto to) {
        load_[{from, to}] = std::max(up[leaves[from]], down[leaves[to]]);
      });
    }
  }
}

int UplinkLoads::of(std::size_t from, std::size_t to) const {
  const auto it = load_.find({from, to});
  return it == load_.end() ? 0 : it->second;
}

}  // namespace topolaunch::bench
