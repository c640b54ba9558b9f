// SPDX-License-Identifier: Apache-2.0
//
// Allreduce by loads from peer memory, for small messages inside one NVLink domain.
//   one-shot: every rank reads everybody's input and adds it up. 1 round, (n-1) x the data read.
//   two-shot: every rank adds up its part; then every rank reads all parts. 2 rounds, 2(n-1)/n x.
// All ranks add in the order of ranks, so that results are the same bits everywhere. The same
// source runs on host threads, where ranks are groups of threads of one process (host_team.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/bf16.h"
#include "kernels/peer_barrier.cuh"

namespace topolaunch::kernels {

/// One allreduce as one rank is asked to do it. All ranks use the same count, epoch and grid.
template <class T>
struct PeerCall {
  Inboxes inboxes;
  const T* input[kMostPeers] = {};  ///< of each rank; not written while the kernel runs
  T* scratch[kMostPeers] = {};      ///< two-shot: of each rank, `count` elements
  T* output = nullptr;              ///< this rank's; may not be an input
  std::size_t count = 0;
  std::uint32_t epoch = 0;  ///< first epoch of this call; a call uses kEpochsPerCall
};
inline constexpr std::uint32_t kEpochsPerCall = 3;

/// Elements [first, last) of `count` that share number `share` of `shares` holds.
struct Span {
  std::size_t first, last;
};
TOPOLAUNCH_KERNEL_SIDE inline Span share_of(std::size_t count, std::size_t share,
                                            std::size_t shares) {
  const std::size_t each = count / shares, more = count % shares;
  const auto start = [&](std::size_t s) { return each * s + (s < more ? s : more); };
  return {start(share), start(share + 1)};
}

/// Adds up [span) of all inputs into `into`.
template <class T, class Team>
TOPOLAUNCH_KERNEL_SIDE void add_up(Team& team, const PeerCall<T>& call, Span span, T* into) {
  for (std::size_t i = span.first + team.thread(); i < span.last; i += team.threads()) {
    float sum = widened(call.input[0][i]);
    for (int r = 1; r < call.inboxes.ranks; ++r) sum += widened(call.input[r][i]);
    into[i] = narrowed<T>(sum);
  }
}

template <class T, class Team, class Orders = SoundOrders>
TOPOLAUNCH_KERNEL_SIDE bool one_shot(Team& team, const PeerCall<T>& call) {
  if (!peer_barrier<Orders>(team, call.inboxes, call.epoch)) return false;
  add_up(team, call, share_of(call.count, team.block(), team.blocks()), call.output);
  // Nobody's input may be overwritten before all have read it.
  return peer_barrier<Orders>(team, call.inboxes, call.epoch + 1);
}

template <class T, class Team, class Orders = SoundOrders>
TOPOLAUNCH_KERNEL_SIDE bool two_shot(Team& team, const PeerCall<T>& call) {
  const auto ranks = static_cast<std::size_t>(call.inboxes.ranks);
  // A block reads of a peer only what the block of the same number wrote there: the barrier joins
  // equal numbers and no others.
  const auto span = [&](std::size_t part) {
    const Span whole = share_of(call.count, part, ranks);
    const Span mine = share_of(whole.last - whole.first, team.block(), team.blocks());
    return Span{whole.first + mine.first, whole.first + mine.last};
  };
  if (!peer_barrier<Orders>(team, call.inboxes, call.epoch)) return false;
  const auto rank = static_cast<std::size_t>(call.inboxes.rank);
  add_up(team, call, span(rank), call.scratch[rank]);
  if (!peer_barrier<Orders>(team, call.inboxes, call.epoch + 1)) return false;
  for (std::size_t turn = 0; turn < ranks; ++turn) {
    const std::size_t part = (rank + turn) % ranks;  // not all at once from the same peer
    const Span s = span(part);
    for (std::size_t i = s.first + team.thread(); i < s.last; i += team.threads()) {
      call.output[i] = call.scratch[part][i];
    }
  }
  return peer_barrier<Orders>(team, call.inboxes, call.epoch + 2);
}

}  // namespace topolaunch::kernels
