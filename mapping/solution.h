// SPDX-License-Identifier: Apache-2.0
//
// Solution: where every rank goes, what that costs against the given order, and why.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/cpu_set.h"
#include "base/units.h"
#include "mapping/watch.h"

namespace topolaunch::mapping {

/// A place for one rank: a GPU of a host, or a slot of a host without GPUs.
struct Seat {
  int host = 0;  ///< index in Topology::hosts
  int gpu = -1;  ///< index in Host::gpus; -1 = no GPU
  /// Number within the host, 0-based: the GPU's for its first rank, above all GPUs for further ones
  /// (MIG instances, ranks that share a GPU).
  int slot = 0;
  friend bool operator==(const Seat&, const Seat&) = default;
};

/// Bytes over one level of the machine in a step: "nvlink", "pcie", "numa", "host", "leaf", "spine".
struct LevelLoad {
  std::string level;
  std::int64_t bytes = 0;
};

struct LinkLoad {
  std::string name;  ///< "host0 gpu3 nvlink", "leaf2 uplink"
  std::int64_t bytes = 0;
  Seconds seconds{0};
};

/// The groups of one dimension, which run at the same time.
struct PhaseTime {
  std::string dimension;
  Seconds seconds{0};
  bool overlapped = false;
};

/// Predicted cost of a placement, for one step of the job.
struct Estimate {
  Seconds seconds{0};
  std::vector<PhaseTime> phases;  ///< those that are not overlapped add up to `seconds`
  double hop_bytes = 0;  ///< sum of bytes x distance
  std::vector<LevelLoad> bytes_by_level;
  LinkLoad max_link;
  std::vector<std::pair<std::string, LinkLoad>> max_links;  ///< the busiest of each level, inner levels first
  std::string model;     ///< name and version of the cost model: "nccl 2.28.9", "host memory"
};

/// CPUs, memory and NICs next to a seat.
struct Affinity {
  std::optional<int> numa;        ///< NUMA node with CPUs nearest to the seat; nothing = unknown
  CpuSet cpus;                    ///< to bind to: allowed, nearest, shared out among the ranks there
  std::vector<int> memory_nodes;  ///< NUMA nodes to prefer for memory; empty = leave alone
  std::vector<std::string> nics;  ///< nearest first; empty = none
  std::string note;               ///< "locality unknown: ...", "nearest node has no allowed CPU: ..."
};

struct RankPlace {
  int rank = 0;
  Seat seat;
  int local_rank = 0;  ///< position among the ranks of its host, by rank
  Affinity affinity;
};

struct Gain {
  bool possible = false;
  Seconds seconds{0};  ///< given - solution
  std::string why;     ///< one sentence; with possible == false the reason for "no gain possible"
};

/// A set of hosts that holds the job, where there are more than it needs.
struct HostCandidate {
  std::vector<int> hosts;
  int blocks = 0;       ///< of the innermost level of the fabric that it touches
  int left_over = 0;    ///< seats that stay free in those blocks: fragments
  Seconds seconds{0};   ///< T of the simple order on it
  double hop_bytes = 0;
};

struct Solution {
  std::vector<RankPlace> placement;  ///< by rank
  std::vector<Seat> given_seats;     ///< by rank; host -1 = not in this topology
  Estimate given, solution;
  Gain gain;
  /// Which of the five things of a placement differ from the given order: "gpu-choice",
  /// "groups", "host-order", "affinity", "rank-order".
  std::vector<std::string> changes;
  std::vector<std::string> reasons;  ///< sentences, most important first
  std::string solver;                ///< the one that won: "identity", "exhaustive", ...
  std::vector<HostCandidate> candidates;  ///< best first; empty = every host is needed
  std::vector<int> spares;                ///< hosts that were kept free on purpose
  std::vector<std::string> unmet;         ///< preferences that could not be had, in words
  bool cut_short = false;                 ///< by --solve-limit or Ctrl-C: best so far
};

/// What the user asked of the placement besides the graph.
struct Constraints {
  struct Pin {
    int rank = 0;
    std::string host;
    int gpu = -1;
  };
  int ranks = 0;
  std::vector<int> slots_per_host;         ///< parallel to hosts; empty = one per visible GPU, or cores
  std::vector<Pin> pins;
  std::vector<std::string> excluded_hosts;
  std::vector<std::pair<int, int>> excluded_gpus;  ///< (host, gpu): masked or busy
  /// (host, gpu) -> ranks it takes, where those are not all its MIG instances.
  std::map<std::pair<int, int>, int> ranks_on_gpu;
  std::string require_level, prefer_level, spread_level;
  /// "GROUP[=LEVEL]", as written (mapping/rules.h).
  std::vector<std::string> affinity, anti_affinity;
  std::vector<std::string> near;           ///< hosts or switches to be close to, if it can be had
  int spares = 0;                          ///< hosts to keep free
  enum class Objective { time, hop_bytes } objective = Objective::time;
  enum class Effort { fast, standard, best } effort = Effort::standard;
  std::uint64_t seed = 1;
  std::shared_ptr<const Watch> watch;      ///< cuts the search short, hears of it; null = runs to its end
};

}  // namespace topolaunch::mapping
