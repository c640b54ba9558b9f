// SPDX-License-Identifier: Apache-2.0
#include "mapping/solver/comm_graph.h"

#include <algorithm>
#include <cmath>

#include "mapping/index.h"

namespace topolaunch::mapping {
namespace {

constexpr int kLargestClique = 2048;

std::int64_t ring_edge(const Group& group) {
  const double n = count_of(group.members);
  const double bytes = static_cast<double>(group.bytes.count());
  switch (group.collective) {
    case Collective::allreduce:
    case Collective::reduce_scatter_allgather: return static_cast<std::int64_t>(2 * (n - 1) / n * bytes);
    case Collective::allgather:
    case Collective::reduce_scatter: return static_cast<std::int64_t>((n - 1) / n * bytes);
    default: return group.bytes.count();
  }
}

}  // namespace

Wide CommGraph::total() const {
  Wide sum = 0;
  for (const auto w : weight) sum += w;
  return sum / 2;
}

CommGraph make_comm_graph(int n, std::vector<Edge> edges) {
  CommGraph graph;
  graph.n = n;
  for (auto& edge : edges)
    if (edge.a > edge.b) std::swap(edge.a, edge.b);
  std::sort(edges.begin(), edges.end(),
            [](const Edge& x, const Edge& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
  std::size_t kept = 0;
  for (const auto& edge : edges) {
    if (edge.a == edge.b || edge.bytes <= 0) continue;
    if (kept > 0 && edges[kept - 1].a == edge.a && edges[kept - 1].b == edge.b) edges[kept - 1].bytes += edge.bytes;
    else edges[kept++] = edge;
  }
  edges.resize(kept);
  graph.first.assign(ix(n) + 1, 0);
  for (const auto& edge : edges) ++graph.first[ix(edge.a) + 1], ++graph.first[ix(edge.b) + 1];
  for (std::size_t v = 0; v < ix(n); ++v) graph.first[v + 1] += graph.first[v];
  graph.to.resize(2 * kept);
  graph.weight.resize(2 * kept);
  auto at = graph.first;
  const auto put = [&](int from, int to, std::int64_t weight) {
    graph.to[at[ix(from)]] = to;
    graph.weight[at[ix(from)]++] = weight;
  };
  // The lower neighbours of a vertex come before the higher ones: rows are sorted.
  for (const auto& edge : edges) put(edge.b, edge.a, edge.bytes);
  for (const auto& edge : edges) put(edge.a, edge.b, edge.bytes);
  return graph;
}

CommGraph comm_graph_of(const RankGraph& graph) {
  std::vector<Edge> edges = graph.edges;
  for (const auto& group : graph.groups) {
    const int n = count_of(group.members);
    if (n < 2) continue;
    const auto& members = group.members;
    if (group.collective == Collective::alltoall) {
      if (n == graph.ranks || n > kLargestClique) continue;
      const std::int64_t pair = std::max<std::int64_t>(1, group.bytes.count() / n * 2);
      for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n; ++j) edges.push_back({members[ix(i)], members[ix(j)], pair});
      continue;
    }
    const std::int64_t weight = std::max<std::int64_t>(1, ring_edge(group));
    for (int i = 0; i + 1 < n; ++i) edges.push_back({members[ix(i)], members[ix(i + 1)], weight});
    if (group.collective != Collective::path) edges.push_back({members[ix(n - 1)], members[0], weight});
    else if (group.wrap.count() > 0) edges.push_back({members[ix(n - 1)], members[0], group.wrap.count()});
  }
  return make_comm_graph(graph.ranks, std::move(edges));
}

CommGraph quotient(const CommGraph& graph, const std::vector<int>& part, int parts) {
  // Bucket vertices by part, then one pass with a marker per part: O(n + m).
  CommGraph result;
  result.n = parts;
  std::vector<int> start(ix(parts) + 1, 0), member(ix(graph.n));
  for (int v = 0; v < graph.n; ++v) ++start[ix(part[ix(v)]) + 1];
  for (std::size_t p = 0; p < ix(parts); ++p) start[p + 1] += start[p];
  auto at = start;
  for (int v = 0; v < graph.n; ++v) member[ix(at[ix(part[ix(v)])]++)] = v;
  std::vector<std::ptrdiff_t> seen(ix(parts), -1);
  result.first.assign(1, 0);
  for (int p = 0; p < parts; ++p) {
    const auto row = std::ssize(result.to);
    for (int i = start[ix(p)]; i < start[ix(p) + 1]; ++i) {
      const int v = member[ix(i)];
      for (std::size_t e = graph.first[ix(v)]; e < graph.first[ix(v) + 1]; ++e) {
        const int q = part[ix(graph.to[e])];
        if (q == p) continue;
        auto& place = seen[ix(q)];
        if (place < row) {
          place = std::ssize(result.to);
          result.to.push_back(q);
          result.weight.push_back(0);
        }
        result.weight[static_cast<std::size_t>(place)] += graph.weight[e];
      }
    }
    result.first.push_back(result.to.size());
  }
  return result;
}

}  // namespace topolaunch::mapping
