// SPDX-License-Identifier: Apache-2.0
//
// One instance of the solver benchmark: a METIS graph on a regular tree.
//   solver_bench GRAPH 8:32:16 1:10:100 [--seed N] [--starts N] [--tries N] [--swaps N]   solves
//   solver_bench GRAPH 8:32:16 1:10:100 --evaluate MAP    J of a mapping, one place a line
//   solver_bench --qap FILE ITERATIONS SEED               QAPLIB: robust tabu search from the identity
//   --places FILE   the tree's places that may be used, one a line (fragmented allocations)
//   --tasks N       more tasks than seats: up to N a seat, and no distance between those of one
// Prints: J, J of the identity, CPU seconds, peak memory in MB; and ! where two vertices share a place, or more than N a seat.
#include <sys/resource.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "mapping/index.h"
#include "mapping/solver/tabu.h"
#include "mapping/solver/tree_search.h"
#include "mapping/traffic.h"

namespace {

using namespace topolaunch::mapping;

template <class T>
std::vector<T> colons(const std::string& text) {
  std::vector<T> values;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ':');) values.push_back(static_cast<T>(std::stoll(part)));
  return values;
}

std::string decimal(Wide value) {
  std::string text;
  do text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
  while ((value /= 10) > 0);
  return text;
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/// Of this program alone: getrusage() counts what the process was before exec, too.
long peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stol(line.substr(6)) / 1024;
  return 0;
}

/// The tree that is left of `tree` with only some places.
PlaceTree with_places(const PlaceTree& tree, const std::vector<int>& places) {
  PlaceTree result;
  result.places = count_of(places);
  result.distance = tree.distance;
  for (const auto& level : tree.block) {
    std::map<int, int> number;
    auto& block = result.block.emplace_back();
    for (const int p : places) block.push_back(number.emplace(level[ix(p)], count_of(number)).first->second);
  }
  return result;
}

std::vector<int> numbers(const std::string& path) {
  std::ifstream file(path);
  std::vector<int> values;
  for (int value = 0; file >> value;) values.push_back(value);
  return values;
}

/// QAPLIB's form: n, then two n x n matrices.
int quadratic_assignment(const std::string& path, std::int64_t iterations, std::uint64_t seed) {
  std::ifstream file(path);
  std::size_t n = 0;
  if (!(file >> n) || n < 1 || n > 1000) {
    std::cerr << path << ": no QAPLIB instance\n";
    return 65;
  }
  Dense a(n * n), b(n * n);
  for (auto* matrix : {&a, &b})
    for (auto& entry : *matrix)
      if (!(file >> entry)) {
        std::cerr << path << ": the matrices are cut\n";
        return 65;
      }
  std::vector<int> place(n);
  std::iota(place.begin(), place.end(), 0);
  const double before = cpu_seconds();
  Random random(seed);
  place = robust_tabu(a, b, place, iterations, random);
  std::cout << decimal(assignment_cost(a, b, place)) << " " << cpu_seconds() - before << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5 && std::string(argv[1]) == "--qap")
    return quadratic_assignment(argv[2], std::atoll(argv[3]), std::strtoull(argv[4], nullptr, 10));
  if (argc < 4) {
    std::cerr << "solver_bench GRAPH H D [--seed N] [--starts N] [--tries N] [--swaps N] [--places FILE] [--tasks N] "
                 "[--evaluate MAP]\n";
    return 64;
  }
  std::ifstream file(argv[1]);
  std::stringstream text;
  text << file.rdbuf();
  const auto graph = graph_from_traffic(std::move(text).str(), argv[1]);
  if (!graph) {
    std::cerr << graph.error().text() << "\n";
    return 65;
  }
  SearchEffort effort;
  std::uint64_t seed = 1;
  std::string evaluate, places;
  int tasks = 0;
  for (int i = 4; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
    else if (option == "--starts") effort.starts = std::atoi(argv[i + 1]);
    else if (option == "--tries") effort.tries = std::atoi(argv[i + 1]);
    else if (option == "--swaps") effort.swaps = std::atoll(argv[i + 1]);
    else if (option == "--evaluate") evaluate = argv[i + 1];
    else if (option == "--places") places = argv[i + 1];
    else if (option == "--tasks") tasks = std::atoi(argv[i + 1]);
  }
  auto arities = colons<int>(argv[2]);
  auto distances = colons<std::int64_t>(argv[3]);
  if (tasks > 0) {
    arities.insert(arities.begin(), tasks);
    distances.insert(distances.begin(), 0);
  }
  auto tree = regular_tree(arities, distances);
  if (!places.empty()) tree = with_places(tree, numbers(places));
  const auto edges = comm_graph_of(*graph);
  if (tasks > 0 ? edges.n > tree.places : edges.n != tree.places) {
    std::cerr << edges.n << " vertices, " << tree.places << " places\n";
    return 79;
  }
  std::vector<int> identity(ix(edges.n));
  for (int v = 0; v < edges.n; ++v)
    identity[ix(v)] = static_cast<int>(static_cast<std::int64_t>(v) * tree.places / edges.n);
  const double before = cpu_seconds();
  auto place = evaluate.empty() ? search_tree(edges, tree, {identity}, seed, effort) : numbers(evaluate);
  const double seconds = cpu_seconds() - before;
  std::vector<bool> used(ix(tree.places), false);
  bool feasible = count_of(place) == edges.n;
  if (tasks > 0 && !evaluate.empty()) {
    // A map onto seats: those of one take its places in turn, and its first when they are used up.
    std::vector<int> next(ix(tree.places / tasks), 0);
    for (int& p : place)
      if (p >= 0 && p < count_of(next)) p = p * tasks + (next[ix(p)] < tasks ? next[ix(p)]++ : 0);
  }
  for (const int p : place) {
    if (p < 0 || p >= tree.places) {
      std::cerr << "no place " << p << "\n";
      return 65;
    }
    feasible = feasible && !used[ix(p)];
    used[ix(p)] = true;
  }
  std::cout << decimal(hop_bytes(edges, tree, place)) << " " << decimal(hop_bytes(edges, tree, identity)) << " "
            << seconds << " " << peak_megabytes() << (feasible ? "" : " !") << "\n";
  return 0;
}
