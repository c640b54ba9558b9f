// SPDX-License-Identifier: Apache-2.0
//
// Copy and ping-pong between two ranks over peer memory, and the probe that comes before either:
// "peer access is supported" is what a driver believes; where an IOMMU redirects peer traffic the
// copy hangs or brings garbage all the same. The probe writes to the peer, waits for the peer's
// write, and reads back what stands there.
//
// Words written by one side and read by the other go at system scope, released and acquired, with
// epochs that only grow and a deadline on every wait, as in peer_barrier.cuh.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/peer_barrier.cuh"

namespace topolaunch::kernels {

/// Two ranks that look at each other. A word each: `mine` is written by the peer, `theirs` by us.
struct PeerLink {
  std::uint64_t* mine = nullptr;
  std::uint64_t* theirs = nullptr;
  Fault* fault = nullptr;
  std::uint64_t deadline_ns = 0;  ///< per wait
  int peer = 0;                   ///< for the report
};

namespace peer_link {

template <class Orders>
TOPOLAUNCH_KERNEL_SIDE inline void put(std::uint64_t* word, std::uint64_t value) {
  Flag(*word).store(value, Orders::publish);
}

/// Waits until the peer's word is `wanted`; false, and a report, when it isn't in time.
template <class Orders, class Team>
TOPOLAUNCH_KERNEL_SIDE bool await(Team& team, const PeerLink& link, std::uint64_t wanted) {
  const Flag mine(*link.mine);
  const std::uint64_t start = team.nanoseconds();
  while (mine.load(Orders::observe) != wanted) {
    if (team.nanoseconds() - start > link.deadline_ns) {
      Inboxes in;
      in.fault = link.fault;
      report(in, Fault::peer_late, team.block(), link.peer, static_cast<std::uint32_t>(wanted));
      return false;
    }
    team.pause();
  }
  return true;
}

}  // namespace peer_link

/// Both ranks run it, one block each. Writes a number derived from `epoch` into the peer's `probe`
/// memory, says so, and checks what the peer wrote into ours and that a read over the link gives
/// back what was written over it. The host waits for both ranks between two probes. False if the
/// peer is late; `*wrong` counts words that aren't right.
template <class Team, class Orders = SoundOrders>
TOPOLAUNCH_KERNEL_SIDE bool peer_probe(Team& team, const PeerLink& link, std::uint64_t* own,
                                       std::uint64_t* peers, std::size_t words, std::uint64_t epoch,
                                       bool first, std::uint32_t* wrong) {
  const auto value = [&](bool of_first, std::size_t i) {
    return (epoch * 2 + (of_first ? 1 : 0)) * 0x9e3779b97f4a7c15ULL + i;
  };
  for (std::size_t i = team.thread(); i < words; i += team.threads()) peers[i] = value(first, i);
  team.sync();
  bool came = true;
  if (team.thread() == 0) {
    peer_link::put<Orders>(link.theirs, epoch);
    came = peer_link::await<Orders>(team, link, epoch);
  }
  if (!team.all(came)) return false;
  cuda::atomic_ref<std::uint32_t, cuda::thread_scope_system> count(*wrong);
  for (std::size_t i = team.thread(); i < words; i += team.threads()) {
    if (own[i] != value(!first, i)) count.fetch_add(1, cuda::std::memory_order_relaxed);
    if (peers[i] != value(first, i)) count.fetch_add(1, cuda::std::memory_order_relaxed);
  }
  return true;
}

/// Copies `bytes` (a multiple of 16, both aligned to it) from one memory to another, by all threads
/// of the grid: what SM copies reach over the link.
struct alignas(16) Sixteen {
  std::uint64_t low, high;
};
template <class Team>
TOPOLAUNCH_KERNEL_SIDE void peer_copy(Team& team, const Sixteen* from, Sixteen* to,
                                      std::size_t count) {
  const std::size_t all = std::size_t{team.blocks()} * team.threads();
  for (std::size_t i = std::size_t{team.block()} * team.threads() + team.thread(); i < count;
       i += all) {
    to[i] = from[i];
  }
}

/// `turns` round trips of one word; thread 0 of one block on each side. Returns the nanoseconds of
/// all of them on the side that begins, 0 on the other and where the peer was late. Epochs
/// first_epoch to first_epoch + turns - 1 are used up.
template <class Team, class Orders = SoundOrders>
TOPOLAUNCH_KERNEL_SIDE std::uint64_t peer_ping_pong(Team& team, const PeerLink& link, bool begins,
                                                    std::uint64_t first_epoch, int turns) {
  if (team.block() != 0 || team.thread() != 0) return 0;
  const std::uint64_t start = team.nanoseconds();
  for (int t = 0; t < turns; ++t) {
    const std::uint64_t epoch = first_epoch + static_cast<std::uint64_t>(t);
    if (begins) peer_link::put<Orders>(link.theirs, epoch);
    if (!peer_link::await<Orders>(team, link, epoch)) return 0;
    if (!begins) peer_link::put<Orders>(link.theirs, epoch);
  }
  return begins ? team.nanoseconds() - start : 0;
}

}  // namespace topolaunch::kernels
