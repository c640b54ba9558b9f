// SPDX-License-Identifier: Apache-2.0
#include "kernels/peer_copy.cuh"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "kernels/host_team.h"

namespace topolaunch::kernels {
namespace {

constexpr std::uint64_t kMinute = 60'000'000'000;

struct TwoRanks {
  std::uint64_t words[2] = {0, 0};  // words[r]: written by the other one
  Fault faults[2];
  PeerLink link(int rank, std::uint64_t deadline = kMinute) {
    PeerLink l;
    l.mine = &words[rank];
    l.theirs = &words[1 - rank];
    l.fault = &faults[rank];
    l.deadline_ns = deadline;
    l.peer = 1 - rank;
    return l;
  }
};

/// A probe of both ranks; `lost`: writes of rank 1 don't arrive, as behind an IOMMU that redirects
/// them.
std::vector<std::uint32_t> probe(TwoRanks& two, std::uint64_t epoch, bool lost) {
  std::vector<std::uint64_t> memory[2]{std::vector<std::uint64_t>(100),
                                       std::vector<std::uint64_t>(100)};
  std::vector<std::uint64_t> nowhere(100);
  std::vector<std::uint32_t> wrong(2, 0);
  {
    std::vector<std::unique_ptr<HostGrid>> grids;
    for (int r = 0; r < 2; ++r) {
      std::uint64_t* const peers = lost && r == 1 ? nowhere.data() : memory[1 - r].data();
      grids.push_back(std::make_unique<HostGrid>(1, 4, [&, r, peers](HostTeam& team) {
        peer_probe(team, two.link(r), memory[r].data(), peers, 100, epoch, r == 0,
                   &wrong[static_cast<std::size_t>(r)]);
      }));
    }
  }
  return wrong;
}

TEST(PeerCopy, TheProbeFindsSoundMemorySoundEpochAfterEpoch) {
  TwoRanks two;
  for (std::uint64_t epoch = 1; epoch < 6; ++epoch) {
    EXPECT_EQ(probe(two, epoch, false), (std::vector<std::uint32_t>{0, 0}));
  }
  EXPECT_EQ(two.faults[0].kind, Fault::none);
}

TEST(PeerCopy, TheProbeFindsWritesThatNeverArrive) {
  TwoRanks two;
  const auto wrong = probe(two, 1, true);
  EXPECT_EQ(wrong[0], 100u);
  EXPECT_EQ(wrong[1], 0u);
}

TEST(PeerCopy, APeerThatNeverComesIsNamedInsteadOfWaitedFor) {
  TwoRanks two;
  std::vector<std::uint64_t> own(10), peers(10);
  std::uint32_t wrong = 0;
  bool came = true;
  {
    HostGrid alone(1, 2, [&](HostTeam& team) {
      const bool here =
          peer_probe(team, two.link(0, 100'000'000), own.data(), peers.data(), 10, 7, true, &wrong);
      if (team.thread() == 0) came = here;
    });
  }
  EXPECT_FALSE(came);
  EXPECT_EQ(two.faults[0].kind, Fault::peer_late);
  EXPECT_EQ(two.faults[0].peer, 1u);
  EXPECT_EQ(two.faults[0].epoch, 7u);
}

TEST(PeerCopy, CopiesEveryElementAndNoOther) {
  for (const std::size_t count : {0UL, 1UL, 7UL, 8UL, 9UL, 1000UL}) {
    std::vector<Sixteen> from(count), to(count + 1, Sixteen{9, 9});
    for (std::size_t i = 0; i < count; ++i) from[i] = {i, ~i};
    {
      HostGrid grid(2, 4, [&](HostTeam& team) { peer_copy(team, from.data(), to.data(), count); });
    }
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(to[i].low, i);
      ASSERT_EQ(to[i].high, ~i);
    }
    EXPECT_EQ(to[count].low, 9u);
  }
}

TEST(PeerCopy, PingPongTimesItsRoundTripsOnTheSideThatBegins) {
  TwoRanks two;
  std::uint64_t took[2] = {0, 0};
  {
    std::vector<std::unique_ptr<HostGrid>> grids;
    for (int r = 0; r < 2; ++r) {
      grids.push_back(std::make_unique<HostGrid>(1, 1, [&, r](HostTeam& team) {
        took[r] = peer_ping_pong(team, two.link(r), r == 0, 1, 50);
      }));
    }
  }
  EXPECT_GT(took[0], 0u);
  EXPECT_EQ(took[1], 0u);
  EXPECT_EQ(two.words[0], 50u);
  EXPECT_EQ(two.words[1], 50u);
}

TEST(PeerCopy, PingPongWithADeadPeerEndsAtTheDeadline) {
  TwoRanks two;
  std::uint64_t took = 1;
  {
    HostGrid grid(1, 1, [&](HostTeam& team) {
      took = peer_ping_pong(team, two.link(0, 50'000'000), true, 1, 5);
    });
  }
  EXPECT_EQ(took, 0u);
  EXPECT_EQ(two.faults[0].kind, Fault::peer_late);
}

}  // namespace
}  // namespace topolaunch::kernels
