// SPDX-License-Identifier: Apache-2.0
#include "topo/smi/affinity.h"

#include <algorithm>

#include "topo/smi/lines.h"

namespace topolaunch::topo::smi {
namespace {

constexpr std::string_view kNothing = "N/A";

/// Of a list of nodes the one with the CPUs; nothing if the list doesn't tell it apart.
bool read_nodes(const std::string& word, Place& place) {
  const auto nodes = CpuSet::from_list(word);
  if (!nodes || nodes->empty()) return false;
  // Grace Hopper: the CPUs' own node stands first, alone; the others hold no CPU. A plain range
  // ("0-1") says that the GPU is near to none of them in particular.
  const auto dash = word.find('-');
  const bool first_alone = dash != std::string::npos && word.find(',') < dash;
  if (nodes->size() == 1 || first_alone || place.memory_numa) place.numa = nodes->first();
  return true;
}

}  // namespace

std::optional<Place> read_affinity(const std::vector<std::string>& words, int columns) {
  Place place;
  if (std::ranges::all_of(words, [](const auto& word) { return word == kNothing; })) return place;
  if (columns >= 0 && words.size() != static_cast<std::size_t>(columns)) return {};
  if (words[0] != kNothing) {
    auto cpus = CpuSet::from_list(words[0]);
    if (!cpus || cpus->empty()) return {};
    place.cpus = std::move(*cpus);
  }
  if (words.size() > 2 && words[2] != kNothing) {
    place.memory_numa = whole_number(words[2]);
    if (!place.memory_numa) return {};
  }
  if (words.size() > 1 && words[1] != kNothing && !read_nodes(words[1], place)) return {};
  return place;
}

}  // namespace topolaunch::topo::smi
