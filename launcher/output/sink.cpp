// SPDX-License-Identifier: Apache-2.0
#include "launcher/output/sink.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace topolaunch::launcher {

namespace {

/// The file behind a descriptor, for messages.
std::string target(int fd) {
  std::array<char, PATH_MAX> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t n = ::readlink(link.c_str(), path.data(), path.size());
  return n > 0 ? std::string(path.data(), static_cast<std::size_t>(n)) : "a file";
}

}  // namespace

Sink::Sink(int fd) : fd_(fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) {
    dead_ = true;
    return;
  }
  terminal_ = ::isatty(fd) != 0;
  if (S_ISSOCK(info.st_mode)) {
    kind_ = Kind::socket;
  } else if (S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode)) {
    const std::string path = "/proc/self/fd/" + std::to_string(fd);
    own_.reset(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (own_) {
      fd_ = own_.get();
    } else {
      kind_ = Kind::may_block;  // another user's pipe (sudo): small writes, each when there is room
    }
  }
}

bool Sink::same_target(int a, int b) {
  struct stat x {
  }, y{};
  return ::fstat(a, &x) == 0 && ::fstat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

void Sink::write(int owner, std::string_view tag, std::string_view text) {
  if (dead_ || text.empty()) return;
  if (open_line_ && owner_ != owner) {
    pending_ += '\n';
    open_line_ = false;
  }
  if (tag.empty()) {
    pending_ += text;
  } else {
    bool begins = !open_line_;
    std::size_t at = 0;
    while (at < text.size()) {
      const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
      if (begins) pending_ += tag;
      pending_ += text.substr(at, end - at);
      begins = true;
      at = end;
    }
  }
  open_line_ = text.back() != '\n';
  owner_ = owner;
}

/// Whole lines up to PIPE_BUF bytes, which a pipe takes undivided even when others write to it, or
/// one longer line.
std::size_t Sink::next_piece() const {
  const std::string_view rest = std::string_view(pending_).substr(sent_);
  if (rest.size() <= PIPE_BUF) return rest.size();
  const std::size_t last = rest.substr(0, PIPE_BUF).rfind('\n');
  if (last != std::string_view::npos) return last + 1;
  if (kind_ == Kind::may_block) return PIPE_BUF;
  return std::min(rest.find('\n', PIPE_BUF), rest.size() - 1) + 1;
}

void Sink::flush() {
  while (!dead_ && pending() > 0) {
    if (kind_ == Kind::may_block) {
      pollfd room{fd_, POLLOUT, 0};
      if (::poll(&room, 1, 0) <= 0) break;
    }
    const char* const data = pending_.data() + sent_;
    const ssize_t n = kind_ == Kind::socket
                          ? ::send(fd_, data, next_piece(), MSG_DONTWAIT | MSG_NOSIGNAL)
                          : ::write(fd_, data, next_piece());
    if (n > 0) {
      sent_ += static_cast<std::size_t>(n);
    } else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      break;
    } else if (n < 0 && errno != EINTR) {
      dead_ = true;
      if (errno != EPIPE && errno != ECONNRESET)
        failure_ = target(fd_) + ": " + std::strerror(errno);
    }
  }
  if (dead_ || pending() == 0) {
    pending_.clear();
    sent_ = 0;
  } else if (sent_ > (std::size_t{1} << 20)) {
    pending_.erase(0, sent_);
    sent_ = 0;
  }
}

void Sink::watch(PollSet& set) {
  if (dead_) return;
  if (pending() > 0) {
    set.add(fd_, POLLOUT, [this](short) { flush(); });
  } else if (kind_ != Kind::never_blocks || own_) {
    // Without events asked for, only the reader's end is told.
    set.add(fd_, 0, [this](short) { dead_ = true; });
  }
}

}  // namespace topolaunch::launcher
