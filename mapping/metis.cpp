// SPDX-License-Identifier: Apache-2.0
//
// METIS graphs: "n m [fmt [constraints]]", then a line a vertex with its neighbours from 1
// (METIS 5.1 manual, 4.1.1).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>

#include "mapping/index.h"
#include "mapping/traffic_reader.h"

namespace topolaunch::mapping {

TrafficReader::Likeness TrafficReader::likeness_to_metis() const {
  auto text = lines_.front().text;
  std::int64_t n = 0;
  const auto word = next_word(text);
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), n);
  if (failed != std::errc{} || end != word.data() + word.size() || n < 1) return Likeness::none;
  const auto vertex_lines = static_cast<std::int64_t>(all_.size() - first_line_index()) - 1;
  if (n < static_cast<std::int64_t>(lines_.size()) - 1) return Likeness::none;
  return n <= vertex_lines + 1 ? Likeness::by_lines : Likeness::with_lines_missing;
}
std::size_t TrafficReader::first_line_index() const {
  for (std::size_t i = 0; i < all_.size(); ++i)
    if (all_[i].number == lines_.front().number) return i;
  return 0;
}

Result<RankGraph> TrafficReader::metis() {
  const std::size_t head_at = first_line_index();
  const auto& head = all_[head_at];
  auto text = head.text;
  auto last = index(next_word(text), kMaxSparseRanks, head.number);
  if (!last) return fail(last.error());
  const int n = *last + 1;
  std::int64_t stated_edges = 0;
  const auto edges_word = next_word(text);
  const auto [end, failed] =
      std::from_chars(edges_word.data(), edges_word.data() + edges_word.size(), stated_edges);
  if (failed != std::errc{} || end != edges_word.data() + edges_word.size() || stated_edges < 0)
    return error(head.number, fmt::format("'{}' is not a number of edges", edges_word));
  int format = 0, constraints = 1;
  if (const auto word = next_word(text); !word.empty()) {
    std::from_chars(word.data(), word.data() + word.size(), format);
    if (word.size() > 3 || word.find_first_not_of("01") != std::string_view::npos)
      return error(head.number,
                   fmt::format("METIS format '{}' is not three digits of 0 and 1", word));
  }
  if (const auto word = next_word(text); !word.empty())
    std::from_chars(word.data(), word.data() + word.size(), constraints);
  const bool edge_weights = format % 10 == 1, vertex_weights = format / 10 % 10 == 1,
             vertex_sizes = format / 100 == 1;
  const int skip = (vertex_sizes ? 1 : 0) + (vertex_weights ? constraints : 0);

  struct Arc {
    int from, to;
    double weight;
    int line;
  };
  std::vector<Arc> arcs;
  int missing = 0;
  for (int vertex = 0; vertex < n; ++vertex) {
    const std::size_t at = head_at + 1 + ix(vertex);
    if (at >= all_.size()) {  // vertices without neighbours, whose empty lines are not there
      missing = n - vertex;
      break;
    }
    const auto& line = all_[at];
    auto rest = line.text;
    for (int i = 0; i < skip; ++i) next_word(rest);
    while (true) {
      const auto word = next_word(rest);
      if (word.empty()) break;
      auto to = index(word, n, line.number);
      if (!to) return fail(to.error());
      double weight = 1;
      if (edge_weights) {
        auto value = bytes(next_word(rest), line.number);
        if (!value) return fail(value.error());
        weight = *value;
      }
      arcs.push_back({vertex, *to, weight, line.number});
    }
  }
  // Every edge must stand at both ends with one weight.
  std::sort(arcs.begin(), arcs.end(), [](const Arc& x, const Arc& y) {
    const auto key = [](const Arc& a) {
      return std::tuple(std::min(a.from, a.to), std::max(a.from, a.to), a.weight, a.from);
    };
    return key(x) < key(y);
  });
  const bool as_stated = static_cast<std::int64_t>(arcs.size()) == 2 * stated_edges;
  if (missing > 0 && !as_stated)
    return error(all_.back().number,
                 fmt::format("the file ends at vertex {} of {}", n - missing, n));
  for (std::size_t i = 0; i < arcs.size(); i += 2) {
    const auto& arc = arcs[i];
    if (i + 1 >= arcs.size() || arcs[i + 1].from != arc.to || arcs[i + 1].to != arc.from ||
        arcs[i + 1].weight != arc.weight || arc.from == arc.to)
      return error(arc.line, fmt::format("edge {} - {} does not stand at both ends with one weight",
                                         arc.from + 1, arc.to + 1));
    if (auto status = add(arc.from, arc.to, arc.weight, arc.line); !status)
      return fail(status.error());
  }
  if (!as_stated)
    return error(head.number, fmt::format("the first line says {} edges, the file has {}",
                                          stated_edges, arcs.size() / 2));
  return finish(n);
}

}  // namespace topolaunch::mapping
