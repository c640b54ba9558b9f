// SPDX-License-Identifier: Apache-2.0
//
// The peer kernels on host threads, built with ThreadSanitizer whatever the rest is built with.
// peer_allreduce_test runs it:  peer_race sound | relaxed_store | relaxed_load | no_fence | no_end_barrier
// Exits with 0 if the sums are right and no race was seen, 66 (TSan's own) if one was.
#include <cstdio>
#include <string>
#include <string_view>

#include "tests/kernels/peer_ranks.h"
#include "tests/kernels/relaxed_orders.h"

namespace topolaunch::kernels {
namespace {

/// Mutant: returns as soon as it has its own sums, so that the next call's inputs are written while
/// a slower rank still reads these.
void no_end_barrier(HostTeam& team, const PeerCall<float>& call) {
  if (!peer_barrier<SoundOrders>(team, call.inboxes, call.epoch)) return;
  add_up(team, call, share_of(call.count, team.block(), team.blocks()), call.output);
  team.sync();
  // The owner's next write of its input, which the end barrier has to keep away.
  if (team.block() == 0 && team.thread() == 0) {
    const_cast<float*>(call.input[call.inboxes.rank])[0] = 1;
  }
}

/// Mutant: the first barrier of a two-shot's second round without the block's own fence: a thread
/// signals while others of its block still write.
void no_fence(HostTeam& team, const PeerCall<float>& call) {
  const auto ranks = static_cast<std::size_t>(call.inboxes.ranks);
  const auto rank = static_cast<std::size_t>(call.inboxes.rank);
  if (!peer_barrier<SoundOrders>(team, call.inboxes, call.epoch)) return;
  add_up(team, call, share_of(call.count, team.block(), team.blocks()), call.scratch[rank]);
  if (team.thread() < static_cast<std::uint32_t>(call.inboxes.ranks)) {
    const std::size_t row = team.block() * ranks;
    const auto peer = static_cast<std::size_t>(team.thread());
    Flag(call.inboxes.of[peer][row + rank])
        .store(flag_word(call.epoch + 1, team.blocks()), SoundOrders::publish);
    const Flag mine(call.inboxes.of[rank][row + peer]);
    while (!reached(mine.load(SoundOrders::observe), call.epoch + 1)) team.pause();
  }
  team.sync();
  const std::size_t next = (rank + 1) % ranks;
  const Span s = share_of(call.count, team.block(), team.blocks());
  for (std::size_t i = s.first + team.thread(); i < s.last; i += team.threads()) {
    call.output[i] = call.scratch[next][i];
  }
  peer_barrier<SoundOrders>(team, call.inboxes, call.epoch + 2);
}

int run(std::string_view what) {
  PeerRanks<float> peers(3, 700, 2);
  for (std::uint32_t c = 0; c < 5; ++c) {
    const Pattern p = make_pattern(3, c);
    peers.fill(p);
    const std::vector<std::uint32_t> blocks{2, 2, 2};
    if (what == "sound") {
      peers.run(blocks, 4, [c](HostTeam& team, const PeerCall<float>& call) {
        c % 2 == 0 ? one_shot(team, call) : two_shot(team, call);
      });
      for (std::size_t i = 0; i < 700; ++i) {
        if (peers.output(2)[i] != static_cast<float>(sum_at(p, i))) return 1;
      }
    } else if (what == "relaxed_store") {
      peers.run(blocks, 4, [](HostTeam& team, const PeerCall<float>& call) {
        two_shot<float, HostTeam, RelaxedStore>(team, call);
      });
    } else if (what == "relaxed_load") {
      peers.run(blocks, 4, [](HostTeam& team, const PeerCall<float>& call) {
        two_shot<float, HostTeam, RelaxedLoad>(team, call);
      });
    } else if (what == "no_fence") {
      peers.run(blocks, 4, [](HostTeam& team, const PeerCall<float>& call) { no_fence(team, call); });
    } else if (what == "no_end_barrier") {
      peers.run(blocks, 4, [](HostTeam& team, const PeerCall<float>& call) {
        no_end_barrier(team, call);
      });
    } else {
      std::fprintf(stderr, "peer_race: what is \"%s\"?\n", std::string(what).c_str());
      return 64;
    }
  }
  return 0;
}

}  // namespace
}  // namespace topolaunch::kernels

int main(int argc, char** argv) { return topolaunch::kernels::run(argc > 1 ? argv[1] : "sound"); }
