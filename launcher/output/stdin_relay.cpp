// SPDX-License-Identifier: Apache-2.0
#include "launcher/output/stdin_relay.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace topolaunch::launcher {

Descriptor StdinRelay::begin(int from) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
  from_ = from;
  to_.reset(ends[1]);
  return Descriptor(ends[0]);
}

void StdinRelay::watch(PollSet& set) {
  if (!to_) return;
  if (!waiting_.empty()) {
    set.add(to_.get(), POLLOUT, [this](short) { move(); });
    return;
  }
  // In the background a read would stop us (SIGTTIN).
  const bool foreground = ::isatty(from_) == 0 || ::tcgetpgrp(from_) == ::getpgrp();
  if (from_ >= 0 && foreground) {
    set.add(from_, POLLIN, [this](short) {
      std::array<char, 4096> buffer;
      const ssize_t n = ::read(from_, buffer.data(), buffer.size());
      if (n > 0) waiting_.assign(buffer.data(), static_cast<std::size_t>(n));
      if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) to_.reset();  // end of input
      move();
    });
  }
}

void StdinRelay::move() {
  if (!to_ || waiting_.empty()) return;
  const ssize_t n = ::write(to_.get(), waiting_.data(), waiting_.size());
  if (n > 0) waiting_.erase(0, static_cast<std::size_t>(n));
  if (n < 0 && errno != EAGAIN && errno != EINTR) {  // the rank reads no more
    to_.reset();
    waiting_.clear();
  }
}

}  // namespace topolaunch::launcher
