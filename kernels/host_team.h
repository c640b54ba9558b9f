// SPDX-License-Identifier: Apache-2.0
//
// A GPU's blocks and threads as host threads, so that kernels written against a Team run, and are
// held to account by sanitizers, where there is no GPU. Slow by design: one std::thread a thread.
#pragma once

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace topolaunch::kernels {

class HostBlock {
 public:
  explicit HostBlock(std::uint32_t threads) : barrier_(static_cast<std::ptrdiff_t>(threads)) {}

 private:
  friend class HostTeam;
  std::barrier<> barrier_;
  std::atomic<bool> failed_ = false;  // stays set: a block that failed once is at its end
};

class HostTeam {
 public:
  HostTeam(HostBlock& shared, std::uint32_t block, std::uint32_t blocks, std::uint32_t thread,
           std::uint32_t threads)
      : shared_(shared), block_(block), blocks_(blocks), thread_(thread), threads_(threads) {}
  std::uint32_t block() const { return block_; }
  std::uint32_t blocks() const { return blocks_; }
  std::uint32_t thread() const { return thread_; }
  std::uint32_t threads() const { return threads_; }
  void sync() { shared_.barrier_.arrive_and_wait(); }
  bool all(bool mine) {
    if (!mine) shared_.failed_ = true;
    shared_.barrier_.arrive_and_wait();
    return !shared_.failed_;
  }
  std::uint64_t nanoseconds() const {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
  }
  void pause() const { std::this_thread::yield(); }

 private:
  HostBlock& shared_;
  std::uint32_t block_, blocks_, thread_, threads_;
};

/// A grid in flight on host threads; the end of it waits for them.
class HostGrid {
 public:
  HostGrid(std::uint32_t blocks, std::uint32_t threads, const std::function<void(HostTeam&)>& kernel) {
    for (std::uint32_t b = 0; b < blocks; ++b) {
      HostBlock& shared = *blocks_.emplace_back(std::make_unique<HostBlock>(threads));
      for (std::uint32_t t = 0; t < threads; ++t) {
        threads_.emplace_back([&shared, kernel, b, blocks, t, threads] {
          HostTeam team(shared, b, blocks, t, threads);
          kernel(team);
        });
      }
    }
  }
  ~HostGrid() {
    for (std::thread& thread : threads_) thread.join();
  }
  HostGrid(const HostGrid&) = delete;
  HostGrid& operator=(const HostGrid&) = delete;

 private:
  std::vector<std::unique_ptr<HostBlock>> blocks_;
  std::vector<std::thread> threads_;
};

}  // namespace topolaunch::kernels
