// SPDX-License-Identifier: Apache-2.0
#include "topo/trust.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace topolaunch::topo {
namespace {

using Names = std::span<const std::string_view>;

// "?" stands for every source that isn't named.
constexpr std::array<std::string_view, 10> kIdentity{
    "nvml",      "sysfs",    "hwloc", "?",        "nvidia-smi", "topolaunch-json",
    "hwloc-xml", "nccl-xml", "slurm", "synthetic"};
constexpr std::array<std::string_view, 10> kPlace{
    "hwloc",     "sysfs",    "nvml",  "?",        "nvidia-smi", "topolaunch-json",
    "hwloc-xml", "nccl-xml", "slurm", "synthetic"};
constexpr std::array<std::string_view, 9> kFabric{
    "ibnetdiscover", "ec2",   "kubernetes", "topograph", "?", "topolaunch-json", "slurm",
    "measured",      "synthetic"};

Names names_of(Field field) {
  switch (field) {
    case Field::identity: return kIdentity;
    case Field::place: return kPlace;
    case Field::fabric: break;
  }
  return kFabric;
}

}  // namespace

int trust_rank(Field field, const Origin& origin) {
  const Names table = names_of(field);
  // A live source that reads from a file of its own (a capture) keeps its rank.
  auto found = std::find(table.begin(), table.end(), origin.source);
  if (found == table.end()) found = std::find(table.begin(), table.end(), "?");
  return static_cast<int>(found - table.begin());
}

}  // namespace topolaunch::topo
