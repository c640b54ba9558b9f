// SPDX-License-Identifier: Apache-2.0
//
// Sink: our stdout or stderr as the place where the ranks' lines go. A line is never torn by
// another rank's: text comes in whole lines, or in a piece of a line (a prompt, a progress bar)
// that is closed with a newline before somebody else writes.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "launcher/supervise/descriptor.h"
#include "launcher/supervise/poll_set.h"

namespace topolaunch::launcher {

class Sink {
 public:
  /// `fd` stays the caller's. Writing never waits: pipes and terminals are opened a second time
  /// without blocking (the flag on `fd` itself would change it for those who share it).
  explicit Sink(int fd);

  /// `text`: whole lines, or the last part of one. `owner` is whose line it is; `tag` is put before
  /// each line that begins here. Kept as it is otherwise: NUL bytes, no UTF-8, no last newline.
  void write(int owner, std::string_view tag, std::string_view text);

  /// Nobody reads any more (EPIPE), or nothing can be written: what comes is dropped.
  bool dead() const { return dead_; }
  /// Why nothing can be written, though nobody has closed the reading end: a full disk, a quota, an
  /// I/O error. "FILE: No space left on device"; empty = all is well, or the reader has gone.
  const std::string& failure() const { return failure_; }
  std::size_t pending() const { return pending_.size() - sent_; }
  /// Over this, ranks are not read until the reader of our output has caught up.
  bool full() const { return pending() > (std::size_t{1} << 20); }
  bool terminal() const { return terminal_; }
  void watch(PollSet& set);
  /// Writes what can be written now.
  void flush();

  /// Whether both lead to the same file, pipe or terminal (2>&1).
  static bool same_target(int a, int b);

 private:
  std::size_t next_piece() const;

  int fd_ = -1;
  Descriptor own_;
  enum class Kind { never_blocks, may_block, socket } kind_ = Kind::never_blocks;
  bool terminal_ = false, dead_ = false;
  std::string failure_;
  std::string pending_;
  std::size_t sent_ = 0;
  bool open_line_ = false;
  int owner_ = -1;
};

}  // namespace topolaunch::launcher
