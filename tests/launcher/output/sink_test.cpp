// SPDX-License-Identifier: Apache-2.0
#include "launcher/output/sink.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace topolaunch::launcher {
namespace {

TEST(Sink, KnowsTwoDescriptorsOfOneFile) {
  std::array<int, 2> ends{}, other{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ASSERT_EQ(::pipe(other.data()), 0);
  const Descriptor twin(::dup(ends[1]));
  EXPECT_TRUE(Sink::same_target(ends[1], twin.get()));
  EXPECT_FALSE(Sink::same_target(ends[1], other[1]));
  for (const int fd : {ends[0], ends[1], other[0], other[1]}) ::close(fd);
}

TEST(Sink, SaysWhyNothingCanBeWritten) {
  const Descriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(full);
  Sink sink(full.get());
  sink.write(1, "", "x\n");
  sink.flush();
  EXPECT_TRUE(sink.dead());
  EXPECT_EQ(sink.failure(), "/dev/full: No space left on device");
}

TEST(Sink, AReaderThatHasGoneIsNoFailure) {
  ::signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ::close(ends[0]);
  Sink sink(ends[1]);
  sink.write(1, "", "x\n");
  sink.flush();
  EXPECT_TRUE(sink.dead());
  EXPECT_EQ(sink.failure(), "");
  ::close(ends[1]);
}

TEST(Sink, ClosesThePieceOfAnotherOwnersLine) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  Sink sink(ends[1]);
  sink.write(1, "[1] ", "piece");
  sink.write(2, "[2] ", "a\nb\n");
  sink.write(1, "[1] ", "rest\n");
  sink.flush();
  std::array<char, 100> buffer{};
  const ssize_t n = ::read(ends[0], buffer.data(), buffer.size());
  EXPECT_EQ(std::string(buffer.data(), static_cast<std::size_t>(n)),
            "[1] piece\n[2] a\n[2] b\n[1] rest\n");
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace topolaunch::launcher
