// SPDX-License-Identifier: Apache-2.0
//
// Properties of the tree search over random graphs and trees.
#include "mapping/solver/tree_search.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <thread>
#include <tuple>

#include "mapping/index.h"
#include "mapping/solver/bisection.h"
#include "mapping/solver/contraction.h"
#include "mapping/solver/grid.h"
#include "mapping/solver/multisection.h"
#include "mapping/solver/swaps.h"
#include "mapping/solver/tabu.h"

namespace topolaunch::mapping {
namespace {

int below(Random& random, int n) { return static_cast<int>(random.below(static_cast<std::uint64_t>(n))); }

CommGraph random_graph(Random& random, int n, std::int64_t heaviest) {
  std::vector<Edge> edges;
  const int m = below(random, 3 * n + 1);
  for (int i = 0; i < m; ++i)
    edges.push_back({below(random, n), below(random, n), 1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(heaviest)))});
  return make_comm_graph(n, std::move(edges));
}

/// Nested blocks of random, unequal sizes.
PlaceTree random_tree(Random& random, int places) {
  PlaceTree tree;
  tree.places = places;
  const int levels = below(random, 4);
  std::vector<int> block(ix(places));
  std::iota(block.begin(), block.end(), 0);
  int blocks = places;
  std::int64_t distance = 1 + below(random, 3);
  tree.distance.push_back(distance);
  for (int l = 0; l < levels; ++l) {
    // Merge neighbouring blocks at random.
    std::vector<int> merged(ix(blocks));
    int next = -1;
    for (int b = 0; b < blocks; ++b) {
      if (b == 0 || below(random, 3) == 0) ++next;
      merged[ix(b)] = next;
    }
    for (int& b : block) b = merged[ix(b)];
    blocks = next + 1;
    tree.block.push_back(block);
    distance += 1 + below(random, 20);
    tree.distance.push_back(distance);
  }
  return tree;
}

bool is_bijection(std::vector<int> place, int places) {
  std::sort(place.begin(), place.end());
  for (int i = 0; i < places; ++i)
    if (place[ix(i)] != i) return false;
  return count_of(place) == places;
}

// Weights up to 2^40; every third time there are more places than vertices.
TEST(TreeSearch, SeatsEveryVertexOnceAndIsNeverWorseThanItsStarts) {
  Random random(11);
  for (int i = 0; i < 3000; ++i) {
    const int places = 1 + below(random, 40), n = i % 3 == 0 ? 1 + below(random, places) : places;
    const auto graph = random_graph(random, n, std::int64_t{1} << below(random, 41));
    const auto tree = random_tree(random, places);
    std::vector<int> start(ix(places));
    std::iota(start.begin(), start.end(), 0);
    auto other = start;
    random.shuffle(other);
    start.resize(ix(n));
    other.resize(ix(n));
    const auto place = search_tree(graph, tree, {start, other}, 5, {2, 1, 500, nullptr});
    ASSERT_EQ(place.size(), ix(n)) << i;
    ASSERT_EQ(std::set<int>(place.begin(), place.end()).size(), ix(n)) << i;
    ASSERT_TRUE(std::all_of(place.begin(), place.end(), [&](int p) { return p >= 0 && p < places; })) << i;
    const auto cost = hop_bytes(graph, tree, place);
    ASSERT_TRUE(cost <= hop_bytes(graph, tree, start)) << i;
    ASSERT_TRUE(cost <= hop_bytes(graph, tree, other)) << i;
  }
}

TEST(TreeSearch, GivesTheSameAnswerForTheSameSeed) {
  Random random(12);
  for (int i = 0; i < 50; ++i) {
    const auto graph = random_graph(random, 64, 100);
    const auto tree = regular_tree({4, 4, 4}, {1, 10, 100});
    EXPECT_EQ(search_tree(graph, tree, {}, 7, {2, 2, 2000, nullptr}), search_tree(graph, tree, {}, 7, {2, 2, 2000, nullptr}));
  }
}

// A search shares nothing with those beside it.
TEST(TreeSearch, GivesTheSameAnswerBesideOtherThreads) {
  Random random(19);
  const auto tree = regular_tree({4, 4, 8}, {1, 10, 100});
  std::vector<CommGraph> graphs;
  std::vector<std::vector<int>> alone;
  for (int i = 0; i < 40; ++i) {
    graphs.push_back(random_graph(random, 128, 100));
    alone.push_back(search_tree(graphs.back(), tree, {}, 7, {2, 1, 2000, nullptr}));
  }
  for (const std::size_t count : {std::size_t{2}, std::size_t{3}, std::size_t{8}}) {
    std::vector<std::vector<int>> found(graphs.size());
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < count; ++t)
      threads.emplace_back([&, t] {
        for (std::size_t i = t; i < graphs.size(); i += count)
          found[i] = search_tree(graphs[i], tree, {}, 7, {2, 1, 2000, nullptr});
      });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(found, alone) << count;
  }
}

TEST(TreeSearch, FixedVerticesStay) {
  Random random(13);
  for (int i = 0; i < 200; ++i) {
    const int n = 24;
    const auto graph = random_graph(random, n, 100);
    const auto tree = random_tree(random, n);
    std::vector<int> start(ix(n));
    std::iota(start.begin(), start.end(), 0);
    random.shuffle(start);
    std::vector<char> fixed(ix(n), 0);
    for (int k = 0; k < 6; ++k) fixed[ix(below(random, n))] = 1;
    const auto place = search_tree(graph, tree, {start}, 3, {2, 1, 500, nullptr}, fixed);
    for (int v = 0; v < n; ++v) ASSERT_TRUE(!fixed[ix(v)] || place[ix(v)] == start[ix(v)]);
  }
}

TEST(Swaps, DeltaEqualsFullEvaluation) {
  Random random(14);
  for (int i = 0; i < 5000; ++i) {
    const int n = 2 + below(random, 30);
    const auto graph = random_graph(random, n, std::int64_t{1} << (1 + below(random, 40)));
    const auto tree = random_tree(random, n);
    std::vector<int> place(ix(n));
    std::iota(place.begin(), place.end(), 0);
    random.shuffle(place);
    const Swaps swaps(graph, tree, place);
    const int a = below(random, n), b = below(random, n);
    if (a == b) continue;
    const auto before = hop_bytes(graph, tree, place);
    std::swap(place[ix(a)], place[ix(b)]);
    ASSERT_TRUE(swaps.delta(a, b) == hop_bytes(graph, tree, place) - before) << i;
  }
}

TEST(Swaps, TheSumItKeepsIsTheTrueOne) {
  Random random(15);
  for (int i = 0; i < 1000; ++i) {
    const int n = 4 + below(random, 40);
    const auto graph = random_graph(random, n, std::int64_t{1} << below(random, 41));
    const auto tree = random_tree(random, n);
    std::vector<int> place(ix(n));
    std::iota(place.begin(), place.end(), 0);
    Swaps swaps(graph, tree, place);
    swaps.descend(10000);
    swaps.iterate(2000, random);
    ASSERT_TRUE(swaps.hop_bytes() == hop_bytes(graph, tree, swaps.place()));
  }
}

// 2^40 bytes on thousands of edges at distances up to a million: beyond 64 bits.
TEST(Swaps, WeightsOfTwoToTheFortyDoNotOverflow) {
  std::vector<Edge> edges;
  const int n = 1024;
  for (int v = 0; v < n; ++v)
    for (int k = 1; k <= 8; ++k) edges.push_back({v, (v * 37 + k * 101) % n, std::int64_t{1} << 40});
  const auto graph = make_comm_graph(n, std::move(edges));
  const auto tree = regular_tree({4, 16, 16}, {1, 1000, 1000000});
  std::vector<int> start(ix(n));
  std::iota(start.begin(), start.end(), 0);
  const auto before = hop_bytes(graph, tree, start);
  EXPECT_TRUE(before > (Wide{1} << 70));
  const auto place = search_tree(graph, tree, {start}, 1, {1, 1, 1000, nullptr});
  EXPECT_TRUE(hop_bytes(graph, tree, place) < before);
  EXPECT_TRUE(hop_bytes(graph, tree, place) > 0);
}

TEST(Bisection, KeepsToEverySizeAndRange) {
  Random random(16);
  for (int i = 0; i < 2000; ++i) {
    const int n = 2 + below(random, 300);
    const auto graph = random_graph(random, n, 10);
    const int size = below(random, n + 1), slack = i % 2 == 0 ? 0 : below(random, n - size + 1);
    const auto side = bisect(graph, {size, size + slack}, {1, i % 3}, random);
    const auto got = std::count(side.begin(), side.end(), char{0});
    ASSERT_GE(got, size);
    ASSERT_LE(got, size + slack);
  }
}

TEST(Bisection, CutsTwoCliquesAtTheirOneEdge) {
  std::vector<Edge> edges = {{3, 60, 1}};
  for (int a = 0; a < 50; ++a)
    for (int b = a + 1; b < 50; ++b) edges.push_back({a, b, 1}), edges.push_back({50 + a, 50 + b, 1});
  const auto graph = make_comm_graph(100, std::move(edges));
  Random random(17);
  const auto side = bisect(graph, {50, 50}, {2, 1}, random);
  for (int v = 1; v < 50; ++v) EXPECT_EQ(side[ix(v)], side[0]);
}

// 4 cliques of 6 with one task less on 4 seats of at most 7 tasks: free places don't part what belongs together.
TEST(Multisection, PutsMoreTasksThanSeatsWithinTheLimit) {
  std::vector<Edge> edges;
  for (int c = 0; c < 4; ++c)
    for (int a = 0; a < 6; ++a)
      for (int b = a + 1; b < 6; ++b)
        if (c * 6 + b < 23) edges.push_back({c * 6 + a, c * 6 + b, 5});
  for (int c = 0; c < 3; ++c) edges.push_back({c * 6, c * 6 + 6, 1});
  const auto graph = make_comm_graph(23, std::move(edges));
  const auto tree = regular_tree({7, 2, 2}, {0, 1, 10});
  const auto place = search_tree(graph, tree, {}, 1, {});
  EXPECT_EQ(std::set<int>(place.begin(), place.end()).size(), 23U);
  EXPECT_TRUE(hop_bytes(graph, tree, place) == 1 + 10 + 1);
}

TEST(Contraction, FindsGroupsThatFillHosts) {
  // 8 groups of 4 in a ring of weight 100, groups in a ring of weight 1; hosts of 8.
  std::vector<Edge> edges;
  for (int g = 0; g < 8; ++g)
    for (int i = 0; i < 4; ++i) {
      edges.push_back({g + 8 * i, g + 8 * ((i + 1) % 4), 100});
      edges.push_back({g + 8 * i, (g + 1) % 8 + 8 * i, 1});
    }
  const auto graph = make_comm_graph(32, std::move(edges));
  const auto tree = regular_tree({8, 4}, {1, 10});
  const auto contraction = contract(graph, tree);
  ASSERT_TRUE(contraction);
  EXPECT_EQ(contraction->size, 4);
  EXPECT_EQ(contraction->parts, 8);
  EXPECT_EQ(contraction->tree.places, 8);
  const auto place = search_tree(graph, tree, {}, 1, {});
  // Four hosts of two neighbouring groups: 4 lanes x 4 host borders outside, the rest inside.
  EXPECT_TRUE(hop_bytes(graph, tree, place) == 8 * 4 * 100 + 4 * 4 * 1 + 4 * 4 * 10);
}

TEST(Contraction, LeavesUnevenGroupsAlone) {
  const auto graph = make_comm_graph(8, {{0, 1, 9}, {2, 3, 9}, {3, 4, 9}});
  EXPECT_FALSE(contract(graph, regular_tree({4, 2}, {1, 10})));
}

// 16 x 16 stencil on hosts of 4, leaves of 4 hosts, shuffled: 2 x 2 hosts in 4 x 4 leaves is best.
TEST(TreeSearch, TilesAShuffledStencil) {
  Random random(18);
  std::vector<int> name(256);
  std::iota(name.begin(), name.end(), 0);
  random.shuffle(name);
  std::vector<Edge> edges;
  for (int y = 0; y < 16; ++y)
    for (int x = 0; x < 16; ++x) {
      if (x + 1 < 16) edges.push_back({name[ix(y * 16 + x)], name[ix(y * 16 + x + 1)], 1});
      if (y + 1 < 16) edges.push_back({name[ix(y * 16 + x)], name[ix(y * 16 + x + 16)], 1});
    }
  const auto graph = make_comm_graph(256, std::move(edges));
  const auto place = search_tree(graph, regular_tree({4, 4, 16}, {1, 10, 100}), {}, 1, {});
  // 256 edges inside hosts, 128 between hosts of a leaf, 96 between leaves.
  EXPECT_TRUE(hop_bytes(graph, regular_tree({4, 4, 16}, {1, 10, 100}), place) <= (256 + 128 * 10 + 96 * 100) * 103 / 100);
}

CommGraph box(int x, int y, int z, Random* shuffle) {
  std::vector<int> name(ix(x * y * z));
  std::iota(name.begin(), name.end(), 0);
  if (shuffle != nullptr) shuffle->shuffle(name);
  std::vector<Edge> edges;
  const auto at = [&](int i, int j, int k) { return name[ix((k * y + j) * x + i)]; };
  for (int k = 0; k < z; ++k)
    for (int j = 0; j < y; ++j)
      for (int i = 0; i < x; ++i) {
        if (i + 1 < x) edges.push_back({at(i, j, k), at(i + 1, j, k), 9});
        if (j + 1 < y) edges.push_back({at(i, j, k), at(i, j + 1, k), 9});
        if (k + 1 < z) edges.push_back({at(i, j, k), at(i, j, k + 1), 9});
        if (i + 1 < x && j + 1 < y) edges.push_back({at(i, j, k), at(i + 1, j + 1, k), 1});
      }
  return make_comm_graph(x * y * z, std::move(edges));
}

TEST(Grid, IsFoundWhateverItsVerticesAreCalled) {
  Random random(16);
  for (const auto& [x, y, z] : {std::tuple(8, 4, 1), std::tuple(6, 5, 4), std::tuple(16, 1, 1), std::tuple(2, 2, 2)}) {
    const auto grid = find_grid(box(x, y, z, &random));
    ASSERT_TRUE(grid) << x << y << z;
    auto sizes = grid->size;
    std::sort(sizes.begin(), sizes.end());
    std::array<int, 3> expected{x, y, z};
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(sizes, expected);
  }
  for (int i = 0; i < 200; ++i) {
    const auto graph = random_graph(random, 8 + below(random, 30), 3);
    if (const auto grid = find_grid(graph)) {
      EXPECT_EQ(grid->at.size(), ix(graph.n));
    }
  }
}

// 16 x 16 points on 4 x 4 x 16 places: boxes of 2 x 2 and 4 x 4 cut the fewest edges.
TEST(Grid, ShuffledStencilsAreTiled) {
  Random random(17);
  const auto graph = box(16, 16, 1, &random);
  const auto tree = regular_tree({4, 4, 16}, {1, 10, 100});
  const auto tilings = grid_tilings(*find_grid(graph), tree, 4);
  ASSERT_FALSE(tilings.empty());
  for (const auto& place : tilings) EXPECT_TRUE(is_bijection(place, graph.n));
  const auto natural = box(16, 16, 1, nullptr);
  std::vector<int> best(ix(natural.n));
  for (int v = 0; v < natural.n; ++v) {
    const int i = v % 16, j = v / 16;
    best[ix(v)] = (j / 4 * 4 + i / 4) * 16 + (j % 4 / 2 * 2 + i % 4 / 2) * 4 + j % 2 * 2 + i % 2;
  }
  EXPECT_TRUE(hop_bytes(graph, tree, search_tree(graph, tree, {}, 1, {1, 1, 1000, nullptr})) <= hop_bytes(natural, tree, best));
}

TEST(Tabu, IsABijectionNeverWorseAndRepeatable) {
  Random random(18);
  for (int i = 0; i < 200; ++i) {
    const std::size_t n = 2 + random.below(14);
    Dense flow(n * n), distance(n * n);
    const bool symmetric = below(random, 2) == 0;
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t c = 0; c < n; ++c) {
        flow[r * n + c] = symmetric && c < r ? flow[c * n + r] : below(random, 50);
        distance[r * n + c] = symmetric && c < r ? distance[c * n + r] : below(random, 50);
        if (symmetric && r == c) flow[r * n + c] = distance[r * n + c] = 0;
      }
    std::vector<int> place(n);
    std::iota(place.begin(), place.end(), 0);
    random.shuffle(place);
    Random one(7), two(7);
    const auto found = robust_tabu(flow, distance, place, 300, one);
    ASSERT_TRUE(is_bijection(found, static_cast<int>(n)));
    ASSERT_TRUE(assignment_cost(flow, distance, found) <= assignment_cost(flow, distance, place)) << i;
    ASSERT_EQ(found, robust_tabu(flow, distance, place, 300, two));
    if (n > 6) continue;
    // Small ones against all permutations.
    std::vector<int> all(n);
    std::iota(all.begin(), all.end(), 0);
    Wide least = assignment_cost(flow, distance, all);
    while (std::next_permutation(all.begin(), all.end())) least = std::min(least, assignment_cost(flow, distance, all));
    ASSERT_TRUE(assignment_cost(flow, distance, found) == least) << i;
  }
}

}  // namespace
}  // namespace topolaunch::mapping
