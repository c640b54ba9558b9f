// SPDX-License-Identifier: Apache-2.0
#include "mapping/patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

#include "base/counted.h"
#include "base/lower_case.h"
#include "mapping/index.h"

namespace topolaunch::mapping {
namespace {

/// Near-cubic factors of n, largest first: primes from the largest go to the smallest factor so far.
std::vector<int> cubic_shape(int n, int axes) {
  std::vector<int> primes;
  for (int p = 2; static_cast<std::int64_t>(p) * p <= n; ++p)
    while (n % p == 0) primes.push_back(p), n /= p;
  if (n > 1) primes.push_back(n);
  std::vector<int> shape(ix(axes), 1);
  for (auto p = primes.rbegin(); p != primes.rend(); ++p)
    *std::min_element(shape.begin(), shape.end()) *= *p;
  std::sort(shape.rbegin(), shape.rend());
  return shape;
}

std::optional<std::vector<int>> parse_shape(std::string_view text) {
  std::vector<int> shape;
  while (true) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || value < 1) return std::nullopt;
    shape.push_back(value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) return shape;
    if (text.front() != 'x') return std::nullopt;
    text.remove_prefix(1);
  }
}

/// Open-boundary stencil with faces only; the last axis varies fastest.
std::vector<Edge> stencil_edges(const std::vector<int>& shape, std::int64_t face) {
  std::vector<Edge> edges;
  const int n = std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>());
  for (int rank = 0; rank < n; ++rank) {
    int stride = 1;
    for (auto size = shape.rbegin(); size != shape.rend(); ++size) {
      if (rank / stride % *size + 1 < *size) edges.push_back({rank, rank + stride, 2 * face});
      stride *= *size;
    }
  }
  return edges;
}

std::vector<int> all_ranks(int ranks) {
  std::vector<int> members(ix(ranks));
  std::iota(members.begin(), members.end(), 0);
  return members;
}

}  // namespace

RankGraph world_allreduce(int ranks, Bytes bytes) {
  RankGraph graph;
  graph.ranks = ranks;
  graph.origin = "world allreduce";
  if (ranks > 1)
    graph.groups.push_back({"world", all_ranks(ranks), Collective::allreduce, bytes, false});
  return graph;
}

Result<RankGraph> graph_from_pattern(const std::string& pattern, int ranks, Bytes bytes) {
  if (ranks < 1) return fail(Code::wrong_usage, "a pattern needs at least one rank");
  const auto equals = pattern.find('=');
  // "all_reduce" and "All-Reduce" are allreduce.
  auto name = lower_case(pattern.substr(0, equals));
  std::erase_if(name, [](char c) { return c == '_' || c == '-'; });
  const std::optional<std::string> shape_text =
      equals == std::string::npos ? std::nullopt : std::optional(pattern.substr(equals + 1));

  const int axes = name == "stencil2d" ? 2 : name == "stencil3d" ? 3 : 0;
  RankGraph graph;
  graph.ranks = ranks;
  graph.origin = "--pattern " + pattern;
  if (axes > 0) {
    auto shape = cubic_shape(ranks, axes);
    if (shape_text) {
      const auto given = parse_shape(*shape_text);
      if (!given || count_of(*given) != axes)
        return fail(Code::wrong_usage, fmt::format("--pattern '{}': '{}' is no shape of {} axes", pattern,
                                                   *shape_text, axes),
                    axes == 2 ? "write it like stencil2d=8x4" : "write it like stencil3d=4x4x2");
      std::int64_t product = 1;
      for (const int size : *given) product = std::min<std::int64_t>(product * size, 1 << 30);
      if (product != ranks)
        return fail(Code::wrong_usage, fmt::format("--pattern '{}' is {}, not {}", pattern,
                                                   counted(product, "rank"), ranks));
      shape = *given;
    }
    graph.edges = stencil_edges(shape, bytes.count() > 0 ? bytes.count() : kFaceBytes.count());
    graph.origin += fmt::format(" ({} as {})", counted(ranks, "rank"), fmt::join(shape, "x"));
    return graph;
  }

  Collective collective;
  if (name == "allreduce") collective = Collective::allreduce;
  else if (name == "allgather") collective = Collective::allgather;
  else if (name == "reducescatter") collective = Collective::reduce_scatter;
  else if (name == "alltoall" || name == "all2all") collective = Collective::alltoall;
  else if (name == "ring") collective = Collective::ring;
  else
    return fail(Code::wrong_usage, fmt::format("no pattern '{}'", pattern),
                "known: allreduce allgather reduce_scatter alltoall ring stencil2d stencil3d");
  if (shape_text)
    return fail(Code::wrong_usage, fmt::format("--pattern '{}': {} has no shape", pattern, name));
  if (ranks > 1)
    graph.groups.push_back(
        {"world", all_ranks(ranks), collective, bytes.count() > 0 ? bytes : kPatternBytes, false});
  return graph;
}

}  // namespace topolaunch::mapping
