// SPDX-License-Identifier: Apache-2.0
#include "launcher/output/rank_output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace topolaunch::launcher {
namespace {

/// Our stdout and stderr of a RankOutput, as pipes that the test reads.
class Outputs {
 public:
  Outputs() {
    ::signal(SIGPIPE, SIG_IGN);
    for (auto* ends : {&out_, &err_}) {
      EXPECT_EQ(::pipe2(ends->data(), O_CLOEXEC), 0);
      ::fcntl((*ends)[0], F_SETFL, O_NONBLOCK);
    }
  }
  ~Outputs() {
    for (auto* ends : {&out_, &err_}) {
      for (const int fd : *ends) {
        if (fd >= 0) ::close(fd);
      }
    }
  }
  RankOutput::Options options(bool tag) const { return {tag, "", out_[1], err_[1]}; }
  std::string out() { return all(out_[0]); }
  std::string err() { return all(err_[0]); }
  void close_out() {
    ::close(out_[0]);
    out_[0] = -1;
  }

 private:
  static std::string all(int fd) {
    std::string text;
    std::array<char, 65536> buffer;
    for (ssize_t n = 0; (n = ::read(fd, buffer.data(), buffer.size())) > 0;) {
      text.append(buffer.data(), static_cast<std::size_t>(n));
    }
    return text;
  }
  std::array<int, 2> out_{}, err_{};
};

void put(const Descriptor& pipe, std::string_view text) {
  ASSERT_EQ(::write(pipe.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

void turn(RankOutput& output, double now) {
  PollSet set;
  output.watch(set);
  set.wait(0);
  output.show_due(now);
}

TEST(RankOutput, HoldsAPieceOfALineUntilItIsWhole) {
  Outputs ours;
  RankOutput output(ours.options(true));
  const Descriptor a = *output.open_stream(0, 1), b = *output.open_stream(1, 1);
  put(a, "first ha");
  put(b, "other\n");
  turn(output, 1);
  EXPECT_EQ(ours.out(), "[1] other\n");
  put(a, "lf\nnext\n");
  turn(output, 1.5);
  EXPECT_EQ(ours.out(), "[0] first half\n[0] next\n");
}

TEST(RankOutput, TreatsBytesFromAnotherHostLikeThoseOfAPipe) {
  Outputs ours;
  RankOutput output(ours.options(true));
  ASSERT_TRUE(output.open_remote(0, 1));
  const Descriptor b = *output.open_stream(1, 1);
  output.feed(0, 1, "first ha");
  put(b, "other\n");
  turn(output, 1);
  EXPECT_EQ(ours.out(), "[1] other\n");
  output.feed(0, 1, std::string_view("lf\0\nend", 7));
  output.finish();
  EXPECT_EQ(ours.out(), std::string("[0] first half\0\n[0] end", 23));
  EXPECT_FALSE(output.behind());
}

TEST(RankOutput, ShowsAPromptAfterAPauseAndLetsNobodyJoinItsLine) {
  Outputs ours;
  RankOutput output(ours.options(true));
  const Descriptor a = *output.open_stream(0, 1), b = *output.open_stream(1, 1);
  put(a, "go on? ");
  turn(output, 1);
  EXPECT_EQ(ours.out(), "");
  turn(output, 2.5);
  EXPECT_EQ(ours.out(), "[0] go on? ");
  put(a, "yes\n");
  turn(output, 3);
  EXPECT_EQ(ours.out(), "yes\n") << "the same line goes on, without a second tag";
  put(a, "again? ");
  turn(output, 4);
  turn(output, 6);
  put(b, "busy\n");
  turn(output, 6);
  EXPECT_EQ(ours.out(), "[0] again? \n[1] busy\n");
}

TEST(RankOutput, KeepsTheLastLineWithoutANewlineAsItIs) {
  Outputs ours;
  RankOutput output(ours.options(false));
  put(*output.open_stream(0, 1), std::string_view("a\nend\0\xff", 7));
  put(*output.open_stream(0, 2), "oops");
  output.finish();
  EXPECT_EQ(ours.out(), std::string("a\nend\0\xff", 7));
  EXPECT_EQ(ours.err(), "oops");
  EXPECT_EQ(output.last_words(0), "oops");
}

TEST(RankOutput, TellsTheRanksWhenNobodyReadsUsAnyMore) {
  Outputs ours;
  RankOutput output(ours.options(false));
  const Descriptor a = *output.open_stream(0, 1);
  ours.close_out();
  put(a, "one\n");
  turn(output, 1);
  turn(output, 1);
  EXPECT_EQ(::write(a.get(), "two\n", 4), -1);
  EXPECT_EQ(errno, EPIPE);
}

TEST(RankOutput, StopsReadingWhileItsOwnReaderIsBehindAndLosesNothing) {
  Outputs ours;
  RankOutput output(ours.options(false));
  const Descriptor a = *output.open_stream(0, 1);
  ::fcntl(a.get(), F_SETFL, O_NONBLOCK);
  const std::string line(9999, 'x');
  std::size_t written = 0;
  // A rank that writes on for ever is held up before memory is.
  for (int i = 0; i < 2000; ++i) {
    const ssize_t n = ::write(a.get(), (line + "\n").data(), 10000);
    if (n > 0) written += static_cast<std::size_t>(n);
    turn(output, 1);
  }
  EXPECT_LT(written, std::size_t{4} << 20);
  std::size_t seen = ours.out().size();
  for (int i = 0; i < 1000; ++i) {
    turn(output, 1);
    seen += ours.out().size();
  }
  output.finish();
  EXPECT_EQ(seen + ours.out().size(), written);
}

}  // namespace
}  // namespace topolaunch::launcher
