// SPDX-License-Identifier: Apache-2.0
//
// Several "GPUs" in one process for the tests of the peer kernels: each rank is a grid of host
// threads, peer memory is everybody's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/host_team.h"
#include "kernels/pattern.h"
#include "kernels/peer_allreduce.cuh"

namespace topolaunch::kernels {

template <class T>
T element(std::uint32_t v) {
  return narrowed<T>(static_cast<float>(v));
}

template <class T>
class PeerRanks {
 public:
  PeerRanks(int ranks, std::size_t count, std::uint32_t most_blocks)
      : ranks_(static_cast<std::size_t>(ranks)), count_(count), faults_(ranks_) {
    for (std::size_t r = 0; r < ranks_; ++r) {
      inboxes_.emplace_back(most_blocks * ranks_, 0);
      inputs_.emplace_back(count);
      scratches_.emplace_back(count);
      outputs_.emplace_back(count);
    }
  }
  std::vector<T>& input(std::size_t rank) { return inputs_[rank]; }
  const std::vector<T>& output(std::size_t rank) const { return outputs_[rank]; }
  const Fault& fault(std::size_t rank) const { return faults_[rank]; }
  void start_at(std::uint32_t epoch) { epoch_ = epoch; }

  void fill(const Pattern& p) {
    for (std::size_t r = 0; r < ranks_; ++r) {
      for (std::size_t i = 0; i < count_; ++i) {
        inputs_[r][i] = element<T>(value_at(p, static_cast<std::uint32_t>(r), i));
        outputs_[r][i] = element<T>(0);
      }
    }
  }

  /// Runs `kernel` on all ranks at once, each with a grid of its own size; a size of 0 is a rank
  /// that never comes.
  template <class Kernel>
  void run(const std::vector<std::uint32_t>& blocks, std::uint32_t threads, const Kernel& kernel,
           std::uint64_t deadline_ns = 60'000'000'000) {
    std::vector<std::unique_ptr<HostGrid>> grids;
    for (std::size_t r = 0; r < ranks_; ++r) {
      PeerCall<T> call;
      call.inboxes.rank = static_cast<int>(r);
      call.inboxes.ranks = static_cast<int>(ranks_);
      call.inboxes.fault = &faults_[r];
      call.inboxes.deadline_ns = deadline_ns;
      for (std::size_t peer = 0; peer < ranks_; ++peer) {
        call.inboxes.of[peer] = inboxes_[peer].data();
        call.input[peer] = inputs_[peer].data();
        call.scratch[peer] = scratches_[peer].data();
      }
      call.output = outputs_[r].data();
      call.count = count_;
      call.epoch = epoch_;
      if (blocks[r] > 0) {
        grids.push_back(std::make_unique<HostGrid>(
            blocks[r], threads, [call, kernel](HostTeam& team) { kernel(team, call); }));
      }
    }
    grids.clear();  // waits for all
    epoch_ += kEpochsPerCall;
  }

 private:
  std::size_t ranks_, count_;
  std::uint32_t epoch_ = 1;
  std::vector<Fault> faults_;
  std::vector<std::vector<std::uint64_t>> inboxes_;
  std::vector<std::vector<T>> inputs_, scratches_, outputs_;
};

}  // namespace topolaunch::kernels
