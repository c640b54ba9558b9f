// SPDX-License-Identifier: Apache-2.0
//
// The ranks that do something together as one value: all of this run, or a group of them, with the
// handful of calls topobench makes outside of what it times.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace topolaunch::bench {

/// One number for what each rank has its own of; nccl-tests' -a.
enum class OverRanks { first = 0, mean = 1, fastest = 2, slowest = 3 };

class World {
 public:
  /// Initialises MPI; the end of the World finalises it.
  World(int* argc, char*** argv);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  /// The ranks that name the same `group` as this one, in the order of their ranks. All ranks call
  /// it; the group has to end before the World does.
  World split(int group) const { return World(*this, group); }

  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  bool root() const { return rank_ == 0; }

  void barrier() const;
  void wait_asleep() const;      ///< a barrier that leaves the CPU to ranks that are measuring
  void meet(int other) const;    ///< with one other rank, which calls it too
  std::int64_t sum(std::int64_t mine) const;  ///< over all ranks, on all ranks
  std::int64_t minimum(std::int64_t mine) const;
  /// Element by element over all ranks; the result counts on rank 0 only.
  std::vector<double> slowest(const std::vector<double>& mine) const {
    return over_ranks(mine, OverRanks::slowest);
  }
  std::vector<double> over_ranks(const std::vector<double>& mine, OverRanks how) const;
  /// Every rank's text, in rank order, on all ranks.
  std::vector<std::string> gather(const std::string& mine) const;
  /// Success if it is success everywhere; else the failure of the lowest rank that has one, on all
  /// ranks, so that all stop at the same place.
  Status agree(const Status& mine) const;

 private:
  World(const World& all, int group);
  MPI_Comm comm_ = MPI_COMM_WORLD;
  int rank_ = 0, size_ = 1;
};

}  // namespace topolaunch::bench
