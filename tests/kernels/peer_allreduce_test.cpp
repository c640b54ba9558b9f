// SPDX-License-Identifier: Apache-2.0
#include "kernels/peer_allreduce.cuh"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/commands.h"
#include "base/files.h"
#include "tests/kernels/peer_ranks.h"

namespace topolaunch::kernels {
namespace {

constexpr auto kOneShot = [](HostTeam& team, const auto& call) { one_shot(team, call); };
constexpr auto kTwoShot = [](HostTeam& team, const auto& call) { two_shot(team, call); };

/// A pattern whose sums fit T exactly: bf16 holds whole numbers up to 256.
template <class T>
Pattern exact_pattern(std::uint32_t ranks, std::uint32_t iteration) {
  Pattern p = make_pattern(ranks, iteration);
  if (sizeof(T) == 2) p.bases = 256 / ranks / 2;
  while ((p.bases & (p.bases - 1)) != 0) --p.bases;
  return p;
}

template <class T, class Kernel>
void expect_exact(const Kernel& kernel, int ranks, std::size_t count, std::uint32_t blocks,
                  int calls = 1) {
  PeerRanks<T> peers(ranks, count, blocks);
  for (int c = 0; c < calls; ++c) {
    const auto p = exact_pattern<T>(static_cast<std::uint32_t>(ranks), static_cast<std::uint32_t>(c));
    peers.fill(p);
    peers.run(std::vector<std::uint32_t>(static_cast<std::size_t>(ranks), blocks), 8, kernel);
    for (std::size_t r = 0; r < static_cast<std::size_t>(ranks); ++r) {
      ASSERT_EQ(peers.fault(r).kind, Fault::none) << "rank " << r;
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(widened(peers.output(r)[i]), static_cast<float>(sum_at(p, i)))
            << ranks << " ranks, " << count << " elements, rank " << r << ", element " << i;
      }
    }
  }
}

TEST(PeerAllreduce, IsExactForCountsAroundBlocksAndRanks) {
  for (const int ranks : {2, 4, 8}) {
    // All small ones, and both sides of each power of two and of each multiple of ranks and blocks.
    std::vector<std::size_t> counts{127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025};
    for (std::size_t count = 0; count <= 33; ++count) counts.push_back(count);
    for (const std::size_t count : counts) {
      expect_exact<float>(kOneShot, ranks, count, 2);
      expect_exact<float>(kTwoShot, ranks, count, 2);
    }
  }
}

TEST(PeerAllreduce, IsExactInBfloat16) {
  for (const int ranks : {2, 4, 8}) {
    for (const std::size_t count : {0UL, 1UL, 7UL, 8UL, 9UL, 64UL, 1025UL, 40'001UL}) {
      expect_exact<Bf16>(kOneShot, ranks, count, 2);
      expect_exact<Bf16>(kTwoShot, ranks, count, 2);
    }
  }
}

TEST(PeerAllreduce, IsExactForLargeArraysAndManyCallsWithoutAReset) {
  expect_exact<float>(kOneShot, 4, 300'001, 3, 3);
  expect_exact<float>(kTwoShot, 4, 300'001, 3, 3);
  expect_exact<float>(kTwoShot, 2, 100, 2, 50);
}

TEST(PeerAllreduce, EpochsMayWrapAndGridsMayChangeBetweenCalls) {
  PeerRanks<float> peers(2, 500, 4);
  peers.start_at(0xfffffffaU);
  for (std::uint32_t c = 0; c < 6; ++c) {
    const auto p = make_pattern(2, c);
    peers.fill(p);
    const std::uint32_t blocks = 1 + c % 4;
    peers.run({blocks, blocks}, 4, kTwoShot);
    ASSERT_EQ(peers.fault(0).kind, Fault::none);
    ASSERT_EQ(peers.output(1)[499], static_cast<float>(sum_at(p, 499)));
  }
}

TEST(PeerAllreduce, ADeadPeerIsNamedInsteadOfWaitedFor) {
  for (const bool two : {false, true}) {
    PeerRanks<float> peers(4, 100, 2);
    peers.fill(make_pattern(4, 0));
    const auto kernel = [two](HostTeam& team, const PeerCall<float>& call) {
      two ? two_shot(team, call) : one_shot(team, call);
    };
    peers.run({2, 2, 0, 2}, 4, kernel, 200'000'000);
    for (const std::size_t r : {0U, 1U, 3U}) {
      EXPECT_EQ(peers.fault(r).kind, Fault::peer_late);
      EXPECT_EQ(peers.fault(r).peer, 2u) << "rank " << r;
      EXPECT_LT(peers.fault(r).block, 2u);
    }
    EXPECT_EQ(peers.fault(2).kind, Fault::none);
  }
}

TEST(PeerAllreduce, UnequalGridsAreSaidLongBeforeTheDeadline) {
  PeerRanks<float> peers(2, 100, 4);
  peers.fill(make_pattern(2, 0));
  const auto start = std::chrono::steady_clock::now();
  peers.run({4, 2}, 4, kOneShot, 60'000'000'000);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(50));
  EXPECT_EQ(peers.fault(0).kind, Fault::unequal_grid);
  EXPECT_EQ(peers.fault(1).kind, Fault::unequal_grid);
  EXPECT_EQ(peers.fault(0).peer, 1u);
}

/// Mutant: in the second shot block b reads what block b+1 of the peer wrote.
template <class T>
void wrong_reader(HostTeam& team, const PeerCall<T>& call) {
  const auto ranks = static_cast<std::size_t>(call.inboxes.ranks);
  const auto rank = static_cast<std::size_t>(call.inboxes.rank);
  if (!peer_barrier<SoundOrders>(team, call.inboxes, call.epoch)) return;
  const auto span = [&](std::size_t part, std::size_t block) {
    const Span whole = share_of(call.count, part, ranks);
    const Span s = share_of(whole.last - whole.first, block, team.blocks());
    return Span{whole.first + s.first, whole.first + s.last};
  };
  if (team.block() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  add_up(team, call, span(rank, team.block()), call.scratch[rank]);
  if (!peer_barrier<SoundOrders>(team, call.inboxes, call.epoch + 1)) return;
  for (std::size_t part = 0; part < ranks; ++part) {
    const Span s = span(part, (team.block() + 1) % team.blocks());
    for (std::size_t i = s.first + team.thread(); i < s.last; i += team.threads()) {
      // Atomic, as this is a race on purpose and only its result is looked at.
      std::uint32_t bits = __atomic_load_n(reinterpret_cast<const std::uint32_t*>(call.scratch[part] + i), __ATOMIC_RELAXED);
      call.output[i] = __builtin_bit_cast(float, bits);
    }
  }
  peer_barrier<SoundOrders>(team, call.inboxes, call.epoch + 2);
}

#if !defined(__SANITIZE_THREAD__)
TEST(PeerAllreduce, ReadingAnotherBlocksShareGivesWrongSums) {
  PeerRanks<float> peers(2, 1000, 2);
  const auto p = make_pattern(2, 0);
  peers.fill(p);
  peers.run({2, 2}, 4, [](HostTeam& team, const auto& call) { wrong_reader(team, call); });
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < 1000; ++i) wrong += peers.output(0)[i] == static_cast<float>(sum_at(p, i)) ? 0 : 1;
  EXPECT_GT(wrong, 0);
}
#endif

/// Status of peer_race, or a skip where it isn't built.
#define RACE_STATUS(what, wanted)                                                        \
  const char* build = std::getenv("TOPOLAUNCH_BINARY_DIR");                              \
  const std::string program = std::string(build == nullptr ? "." : build) +              \
                              "/tests/kernels/peer_race";                                \
  if (!RootedFiles().exists(program)) GTEST_SKIP() << "peer_race isn't built here";      \
  const auto run = SystemCommands().run({"env", "TSAN_OPTIONS=exitcode=66", program, what}, \
                                        Seconds(100));                                   \
  ASSERT_TRUE(run) << run.error().text();                                                \
  if (run->err.find("unexpected memory mapping") != std::string::npos) {                 \
    GTEST_SKIP() << "ThreadSanitizer can't run on this kernel";                          \
  }                                                                                      \
  EXPECT_EQ(run->status, wanted) << run->err.substr(0, 3000)

TEST(PeerAllreduce, HasNoRaceThatThreadSanitizerSees) { RACE_STATUS("sound", 0); }

TEST(PeerAllreduce, AFlagStoredRelaxedIsARaceThatIsSeen) { RACE_STATUS("relaxed_store", 66); }

TEST(PeerAllreduce, AFlagLoadedRelaxedIsARaceThatIsSeen) { RACE_STATUS("relaxed_load", 66); }

TEST(PeerAllreduce, AMissingFenceBeforeTheFlagIsARaceThatIsSeen) { RACE_STATUS("no_fence", 66); }

TEST(PeerAllreduce, AMissingEndBarrierIsARaceThatIsSeen) { RACE_STATUS("no_end_barrier", 66); }

#ifdef PEER_PTX
std::string ptx(const char* file) { return RootedFiles().read(file, 64 << 20).value(); }

TEST(PeerAllreduce, PtxPublishesAndObservesAtSystemScope) {
  const std::string sound = ptx(PEER_PTX);
  EXPECT_THAT(sound, testing::HasSubstr("st.release.sys"));
  EXPECT_THAT(sound, testing::HasSubstr("ld.acquire.sys"));
  EXPECT_THAT(sound, testing::Not(testing::HasSubstr("st.relaxed")));
  EXPECT_THAT(sound, testing::Not(testing::HasSubstr("ld.relaxed")));
}

TEST(PeerAllreduce, PtxCopiesSixteenBytesAtATime) {
  EXPECT_THAT(ptx(PEER_PTX), testing::HasSubstr("ld.global.v4.u32"));
}

TEST(PeerAllreduce, PtxOfTheRelaxedMutantShowsIt) {
  const std::string mutant = ptx(PEER_PTX_MUTANT);
  EXPECT_THAT(mutant, testing::HasSubstr("st.relaxed.sys"));
  EXPECT_THAT(mutant, testing::Not(testing::HasSubstr("st.release.sys")));
}
#endif

}  // namespace
}  // namespace topolaunch::kernels
