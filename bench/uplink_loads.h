// SPDX-License-Identifier: Apache-2.0
//
// While everybody is busy with a partner, transfers that leave a leaf share its uplink: how many
// they are says which figures can be held against each other.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace topolaunch::bench {

class UplinkLoads {
 public:
  /// `leaves`: of each row of the matrix, as rounds_of_pairs() pairs them.
  explicit UplinkLoads(const std::vector<std::string>& leaves);
  /// Transfers over the busiest leaf uplink that this one crosses; 0 = it stays below its leaf.
  int of(std::size_t from, std::size_t to) const;

 private:
  std::map<std::pair<std::size_t, std::size_t>, int> load_;
};

}  // namespace topolaunch::bench
