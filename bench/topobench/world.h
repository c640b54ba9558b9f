// SPDX-License-Identifier: Apache-2.0
//
// The ranks of this run as one value: MPI_COMM_WORLD with the handful of calls topobench makes
// outside of what it times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace topolaunch::bench {

class World {
 public:
  /// Initialises MPI; the end of the World finalises it.
  World(int* argc, char*** argv);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool root() const { return rank_ == 0; }

  void barrier() const;
  std::int64_t sum(std::int64_t mine) const;  ///< over all ranks, on all ranks
  std::int64_t minimum(std::int64_t mine) const;
  /// Element by element over all ranks; the result counts on rank 0 only.
  std::vector<double> slowest(const std::vector<double>& mine) const;
  /// Every rank's text, in rank order, on all ranks.
  std::vector<std::string> gather(const std::string& mine) const;
  /// Success if it is success everywhere; else the failure of the lowest rank that has one, on all
  /// ranks, so that all stop at the same place.
  Status agree(const Status& mine) const;

 private:
  int rank_ = 0, size_ = 1;
};

}  // namespace topolaunch::bench
