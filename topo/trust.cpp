// SPDX-License-Identifier: Apache-2.0
#include "topo/trust.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace topolaunch::topo {
namespace {

constexpr std::size_t kNames = 9;

// "?" stands for every source that isn't named.
constexpr std::array<std::string_view, kNames> kIdentity{
    "nvml", "sysfs", "hwloc", "?", "topolaunch-json", "hwloc-xml", "nccl-xml", "slurm", "synthetic"};
constexpr std::array<std::string_view, kNames> kPlace{
    "hwloc", "sysfs", "nvml", "?", "topolaunch-json", "hwloc-xml", "nccl-xml", "slurm", "synthetic"};

}  // namespace

int trust_rank(Field field, const Origin& origin) {
  const auto& table = field == Field::identity ? kIdentity : kPlace;
  // A live source that reads from a file of its own (a capture) keeps its rank.
  auto found = std::find(table.begin(), table.end(), origin.source);
  if (found == table.end()) found = std::find(table.begin(), table.end(), "?");
  return static_cast<int>(found - table.begin());
}

}  // namespace topolaunch::topo
