// SPDX-License-Identifier: Apache-2.0
//
// A barrier among the blocks of one number on all ranks, through flags in peer memory. Each rank
// has an inbox of one 64-bit word per (block, sender); a sender writes its word in every peer's
// inbox and waits until all words of its own have come. The word holds
//   - the epoch in its low half. Epochs only grow (they may wrap), so nothing is ever reset: a reset
//     races with a peer that is already one round further;
//   - the sender's number of blocks in its high half. Ranks that launch unequal grids would wait for
//     blocks that don't exist; here they say so.
// The store is a release and the load an acquire, both at system scope: device scope lets a peer
// GPU read stale data, rarely. A wait has a deadline and then names (rank, block, peer).
//
// libcu++ (cuda/atomic) compiles for the GPU and for host threads alike.
#pragma once

#include <cstdint>
#include <cuda/atomic>

#include "kernels/execution.h"

namespace topolaunch::kernels {

inline constexpr int kMostPeers = 16;

/// Why a kernel gave up. Written once per rank, by whoever is first.
struct Fault {
  enum Kind : std::uint32_t { none = 0, peer_late = 1, unequal_grid = 2 };
  std::uint32_t kind = none;
  std::uint32_t block = 0, peer = 0, epoch = 0;
};

/// One rank's view of the flags.
struct Inboxes {
  std::uint64_t* of[kMostPeers] = {};  ///< of[r]: rank r's inbox, blocks x ranks words, zeroed once
  Fault* fault = nullptr;              ///< this rank's
  std::uint64_t deadline_ns = 0;       ///< per wait
  int rank = 0, ranks = 1;
};

/// How flags are written and read; the tests put mutants in its place.
struct SoundOrders {
  static constexpr auto publish = cuda::std::memory_order_release;
  static constexpr auto observe = cuda::std::memory_order_acquire;
};

using Flag = cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>;

TOPOLAUNCH_KERNEL_SIDE inline std::uint64_t flag_word(std::uint32_t epoch, std::uint32_t blocks) {
  return std::uint64_t{blocks} << 32 | epoch;
}

/// True if `seen` is `wanted` or a later epoch; epochs wrap.
TOPOLAUNCH_KERNEL_SIDE inline bool reached(std::uint64_t seen, std::uint32_t wanted) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(seen) - wanted) >= 0;
}

TOPOLAUNCH_KERNEL_SIDE inline void report(const Inboxes& in, Fault::Kind kind, std::uint32_t block,
                                          int peer, std::uint32_t epoch) {
  cuda::atomic_ref<std::uint32_t, cuda::thread_scope_system> first(in.fault->kind);
  std::uint32_t expected = Fault::none;
  if (first.compare_exchange_strong(expected, kind)) {
    in.fault->block = block;
    in.fault->peer = static_cast<std::uint32_t>(peer);
    in.fault->epoch = epoch;
  }
}

/// All threads of the block call it. What any of them wrote before it is seen by all threads of the
/// same block on every rank after it. False (on all threads of the block) if a peer didn't come.
/// Needs at least `ranks` threads in the block.
template <class Orders, class Team>
TOPOLAUNCH_KERNEL_SIDE bool peer_barrier(Team& team, const Inboxes& in, std::uint32_t epoch) {
  team.sync();  // the block's own writes come before its signal
  bool came = true;
  if (team.thread() < static_cast<std::uint32_t>(in.ranks)) {
    const auto peer = static_cast<int>(team.thread());
    const auto ranks = static_cast<std::size_t>(in.ranks);
    const std::size_t row = team.block() * ranks;
    Flag(in.of[peer][row + static_cast<std::size_t>(in.rank)])
        .store(flag_word(epoch, team.blocks()), Orders::publish);
    const Flag mine(in.of[in.rank][row + static_cast<std::size_t>(peer)]);
    const Flag of_block_0(in.of[in.rank][static_cast<std::size_t>(peer)]);
    const std::uint64_t start = team.nanoseconds();
    for (;;) {
      const std::uint64_t seen = mine.load(Orders::observe);
      const bool here = reached(seen, epoch) && seen != 0;
      // A block that the peer doesn't have is never signalled; the peer's block 0 tells. Words of
      // earlier epochs may be those of a call with another grid.
      const std::uint64_t first = here ? seen : of_block_0.load(Orders::observe);
      if (first != 0 && reached(first, epoch) &&
          static_cast<std::uint32_t>(first >> 32) != team.blocks()) {
        report(in, Fault::unequal_grid, team.block(), peer, epoch);
        came = false;
        break;
      }
      if (here) break;
      if (team.nanoseconds() - start > in.deadline_ns) {
        report(in, Fault::peer_late, team.block(), peer, epoch);
        came = false;
        break;
      }
      team.pause();
    }
  }
  return team.all(came);
}

}  // namespace topolaunch::kernels
