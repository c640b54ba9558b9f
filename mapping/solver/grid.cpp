// SPDX-License-Identifier: Apache-2.0
#include "mapping/solver/grid.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>

#include "mapping/index.h"

namespace topolaunch::mapping {
namespace {

using Box = std::array<int, 3>;

/// Only the edges of at least this weight.
CommGraph heavier(const CommGraph& graph, std::int64_t least) {
  CommGraph result;
  result.n = graph.n;
  result.first.push_back(0);
  for (int v = 0; v < graph.n; ++v) {
    for (std::size_t e = graph.first[ix(v)]; e < graph.first[ix(v) + 1]; ++e)
      if (graph.weight[e] >= least)
        result.to.push_back(graph.to[e]), result.weight.push_back(graph.weight[e]);
    result.first.push_back(result.to.size());
  }
  return result;
}

/// Steps from `start`; -1 where it is not reached.
std::vector<int> steps_from(const CommGraph& graph, int start) {
  std::vector<int> steps(ix(graph.n), -1), queue{start};
  queue.reserve(ix(graph.n));
  steps[ix(start)] = 0;
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const int v = queue[at];
    for (std::size_t e = graph.first[ix(v)]; e < graph.first[ix(v) + 1]; ++e) {
      const int u = graph.to[e];
      if (steps[ix(u)] < 0) steps[ix(u)] = steps[ix(v)] + 1, queue.push_back(u);
    }
  }
  return steps;
}

int degree(const CommGraph& graph, int v) {
  return static_cast<int>(graph.first[ix(v) + 1] - graph.first[ix(v)]);
}

/// Every point of the box has its vertex, and every edge joins neighbours.
bool is_grid(const CommGraph& graph, const Grid& grid) {
  std::vector<char> seen(ix(graph.n), 0);
  for (const auto& p : grid.at) {
    for (int a = 0; a < 3; ++a)
      if (p[ix(a)] < 0 || p[ix(a)] >= grid.size[ix(a)]) return false;
    char& taken = seen[ix((p[2] * grid.size[1] + p[1]) * grid.size[0] + p[0])];
    if (taken) return false;
    taken = 1;
  }
  for (int v = 0; v < graph.n; ++v)
    for (std::size_t e = graph.first[ix(v)]; e < graph.first[ix(v) + 1]; ++e) {
      int apart = 0;
      for (int a = 0; a < 3; ++a)
        apart += std::abs(grid.at[ix(v)][ix(a)] - grid.at[ix(graph.to[e])][ix(a)]);
      if (apart != 1) return false;
    }
  return true;
}

std::optional<Grid> grid_of(const CommGraph& graph) {
  // Corners have the fewest neighbours: one per dimension.
  int least = graph.n;
  for (int v = 0; v < graph.n; ++v) least = std::min(least, degree(graph, v));
  if (least < 1 || least > 3) return std::nullopt;
  std::vector<int> corners;
  for (int v = 0; v < graph.n; ++v)
    if (degree(graph, v) == least) corners.push_back(v);
  if (corners.size() != (std::size_t{1} << least)) return std::nullopt;
  std::vector<std::vector<int>> steps;
  for (const int corner : corners) steps.push_back(steps_from(graph, corner));
  if (std::find(steps[0].begin(), steps[0].end(), -1) != steps[0].end()) return std::nullopt;

  // From corner A with neighbours B along x, C along y: x = (a - b + |AB|) / 2 and so on; the last
  // coordinate is what is left of a.
  const int others = count_of(corners) - 1;
  for (int b = 1; b <= others; ++b)
    for (int c = least > 1 ? 1 : 0; c <= (least > 1 ? others : 0); ++c)
      for (int d = least > 2 ? 1 : 0; d <= (least > 2 ? others : 0); ++d) {
        if ((c > 0 && c <= b) || (d > 0 && d <= c)) continue;
        Grid grid;
        const std::array<int, 3> ends{b, c, d};
        std::int64_t points = 1;
        for (int a = 0; a < least; ++a) {
          grid.size[ix(a)] = steps[0][ix(corners[ix(ends[ix(a)])])] + 1;
          points *= grid.size[ix(a)];
        }
        if (points != graph.n) continue;
        grid.at.resize(ix(graph.n));
        for (int v = 0; v < graph.n; ++v)
          for (int a = 0; a < 3; ++a)
            grid.at[ix(v)][ix(a)] =
                a < least
                    ? (steps[0][ix(v)] - steps[ix(ends[ix(a)])][ix(v)] + grid.size[ix(a)] - 1) / 2
                    : 0;
        if (is_grid(graph, grid)) return grid;
      }
  return std::nullopt;
}

/// Sizes of the blocks of every level and of the whole, innermost first; empty where blocks differ.
std::vector<int> block_sizes(const PlaceTree& tree) {
  std::vector<int> sizes;
  for (int l = 0; l < tree.levels(); ++l) {
    std::vector<int> count(ix(tree.blocks(l)), 0);
    for (const int b : tree.block[ix(l)]) ++count[ix(b)];
    if (std::any_of(count.begin(), count.end(), [&](int n) { return n != count[0]; })) return {};
    sizes.push_back(count[0]);
  }
  sizes.push_back(tree.places);
  return sizes;
}

}  // namespace

std::optional<Grid> find_grid(const CommGraph& graph) {
  if (graph.n < 8 || graph.arcs() == 0) return std::nullopt;
  // All edges, or those over a gap in the weights: a stencil's faces weigh more than its edges and
  // corners.
  std::map<std::int64_t, std::size_t> count;
  for (const auto w : graph.weight) {
    ++count[w];
    if (count.size() > 16) return std::nullopt;
  }
  std::size_t arcs = 0;
  for (auto weight = count.rbegin(); weight != count.rend(); ++weight) {
    arcs += weight->second;
    if (arcs < 2 * ix(graph.n - 1)) continue;  // fewer than connect it
    if (arcs > 6 * ix(graph.n)) break;         // more than three dimensions have
    if (auto grid = grid_of(arcs == graph.arcs() ? graph : heavier(graph, weight->first)))
      return grid;
  }
  return std::nullopt;
}

std::vector<std::vector<int>> grid_tilings(const Grid& grid, const PlaceTree& tree,
                                           std::size_t most) {
  const auto sizes = block_sizes(tree);
  if (sizes.size() < 2 || grid.at.size() != ix(tree.places)) return {};
  // Nested boxes, one a level; cost: edges cut, each as far as its blocks are.
  struct Tiling {
    double cost;
    std::vector<Box> boxes;
  };
  std::vector<Tiling> tilings;
  std::vector<Box> boxes;
  const double points = tree.places;
  const std::function<void(std::size_t, double)> choose = [&](std::size_t level, double cost) {
    if (level + 1 == sizes.size()) {
      tilings.push_back({cost, boxes});
      return;
    }
    const Box inner = level == 0 ? Box{1, 1, 1} : boxes.back();
    const int inside = level == 0 ? 1 : sizes[level - 1];
    if (sizes[level] % inside != 0) return;
    const int factor = sizes[level] / inside;
    const double step = static_cast<double>(tree.distance[level + 1] - tree.distance[level]);
    for (int x = 1; x <= factor; ++x) {
      if (factor % x != 0 || grid.size[0] % (inner[0] * x) != 0) continue;
      for (int y = 1; y <= factor / x; ++y) {
        if (factor / x % y != 0 || grid.size[1] % (inner[1] * y) != 0) continue;
        const int z = factor / x / y;
        if (grid.size[2] % (inner[2] * z) != 0) continue;
        const Box box{inner[0] * x, inner[1] * y, inner[2] * z};
        double cut = 0;
        for (std::size_t a = 0; a < 3; ++a)
          cut += (grid.size[a] / box[a] - 1) * (points / grid.size[a]);
        boxes.push_back(box);
        choose(level + 1, cost + step * cut);
        boxes.pop_back();
      }
    }
  };
  choose(0, 0);
  std::stable_sort(tilings.begin(), tilings.end(),
                   [](const Tiling& a, const Tiling& b) { return a.cost < b.cost; });
  if (tilings.size() > most) tilings.resize(most);

  // Places in tree order: the outermost blocks one after the other, and so on inwards.
  std::vector<int> order(ix(tree.places));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int p, int q) {
    for (int l = tree.levels() - 1; l >= 0; --l)
      if (tree.block[ix(l)][ix(p)] != tree.block[ix(l)][ix(q)])
        return tree.block[ix(l)][ix(p)] < tree.block[ix(l)][ix(q)];
    return false;
  });
  std::vector<std::vector<int>> result;
  for (const auto& tiling : tilings) {
    auto& place = result.emplace_back(grid.at.size());
    for (std::size_t v = 0; v < place.size(); ++v) {
      // Which box of each level, from the outermost: its number among those of the level above.
      std::int64_t number = 0;
      Box outer = grid.size;
      for (std::size_t l = sizes.size(); l-- > 0;) {
        const Box inner = l == 0 ? Box{1, 1, 1} : tiling.boxes[l - 1];
        std::int64_t within = 0;
        for (std::size_t a = 3; a-- > 0;)
          within = within * (outer[a] / inner[a]) + grid.at[v][a] % outer[a] / inner[a];
        number = number * (static_cast<std::int64_t>(outer[0] / inner[0]) * (outer[1] / inner[1]) *
                           (outer[2] / inner[2])) +
                 within;
        outer = inner;
      }
      place[v] = order[static_cast<std::size_t>(number)];
    }
  }
  return result;
}

}  // namespace topolaunch::mapping
