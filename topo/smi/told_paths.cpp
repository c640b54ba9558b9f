// SPDX-License-Identifier: Apache-2.0
#include "topo/smi/told_paths.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace topolaunch::topo::smi {
namespace {

/// Numbers of the groups that devices form which reach each other by `widest` or something closer.
/// PciRelation's values go from close to far.
std::vector<int> groups(const Relations& relations, PciRelation widest) {
  std::vector<int> group(relations.size());
  std::iota(group.begin(), group.end(), 0);
  const auto root = [&group](int i) {
    while (group[static_cast<std::size_t>(i)] != i) i = group[static_cast<std::size_t>(i)];
    return i;
  };
  for (std::size_t a = 0; a < relations.size(); ++a) {
    for (std::size_t b = 0; b < relations.size(); ++b) {
      if (a == b || relations[a][b] > widest) continue;
      const int first = root(static_cast<int>(a));
      const int second = root(static_cast<int>(b));
      group[static_cast<std::size_t>(std::max(first, second))] = std::min(first, second);
    }
  }
  for (std::size_t i = 0; i < group.size(); ++i) group[i] = root(static_cast<int>(i));
  return group;
}

/// Small numbers for what lies in one group, counted from 0 in each.
class Numbers {
 public:
  unsigned of(int within, int what) {
    unsigned& count = counts_[within];
    const auto [at, added] = numbers_.try_emplace({within, what}, count);
    if (added) ++count;
    return at->second;
  }

 private:
  std::map<std::pair<int, int>, unsigned> numbers_;
  std::map<int, unsigned> counts_;
};

}  // namespace

std::vector<std::vector<PciAddress>> told_paths(const Relations& relations,
                                                const std::vector<bool>& unread) {
  const auto nodes = groups(relations, PciRelation::node);
  const auto roots = groups(relations, PciRelation::phb);
  const auto trees = groups(relations, PciRelation::pxb);
  const auto boxes = groups(relations, PciRelation::pix);
  Numbers node_numbers, root_numbers, tree_numbers, box_numbers;
  std::vector<std::vector<PciAddress>> paths(relations.size());
  for (std::size_t i = 0; i < relations.size(); ++i) {
    const bool told = std::any_of(relations[i].begin(), relations[i].end(), [](PciRelation word) {
      return word != PciRelation::same && word != PciRelation::unknown;
    });
    if (!told) continue;
    // One domain a NUMA node, one bus a host bridge, one device a tree of switches below it. The
    // switches of a tree stand on buses of their own, so that two of them are PXB and never PIX.
    PciAddress tree;
    tree.domain = kToldDomain + (node_numbers.of(0, nodes[i]) & 0xfffU);
    tree.bus = static_cast<std::uint8_t>(root_numbers.of(nodes[i], roots[i]));
    const unsigned number = tree_numbers.of(roots[i], trees[i]);
    tree.device = static_cast<std::uint8_t>(number & 31U);
    tree.function = static_cast<std::uint8_t>((number >> 5U) & 7U);
    PciAddress box = tree;
    box.domain = kToldDomain + 0x1000U + static_cast<std::uint32_t>(trees[i]);
    box.bus = static_cast<std::uint8_t>(box_numbers.of(trees[i], boxes[i]));
    paths[i] = {tree, box};
    if (i >= unread.size() || !unread[i]) continue;
    PciAddress mark;  // a bridge of its own
    mark.domain = kToldDomain + 0x2000U + static_cast<std::uint32_t>(i);
    paths[i].push_back(mark);
  }
  return paths;
}

PciRelation told_relation(const std::vector<PciAddress>& a, const std::vector<PciAddress>& b) {
  if (a.size() > 2 && b.size() > 2) return PciRelation::unknown;
  if (a[0] == b[0]) return a[1] == b[1] ? PciRelation::pix : PciRelation::pxb;
  if (a[0].domain != b[0].domain) return PciRelation::sys;
  return a[0].bus == b[0].bus ? PciRelation::phb : PciRelation::node;
}

}  // namespace topolaunch::topo::smi
