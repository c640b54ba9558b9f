// SPDX-License-Identifier: Apache-2.0
//
// A TCP connection that gives itself back, with deadlines on everything: an example must not hang
// because a peer died. Failures are thrown as std::runtime_error and caught in main.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

namespace example {

using Clock = std::chrono::steady_clock;

class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Socket();
  int fd() const { return fd_; }

  /// Listens on `port` of all addresses, IPv6 and IPv4; 0 = any free port.
  static Socket listen(int port);
  /// Connects, trying again until `until`: the other side may not have been started yet.
  static Socket connect(const std::string& host, int port, Clock::time_point until);
  Socket accept(Clock::time_point until) const;
  int local_port() const;
  std::string peer_address() const;  ///< numeric

  void send(const void* data, std::size_t bytes, Clock::time_point until) const;
  void receive(void* data, std::size_t bytes, Clock::time_point until) const;

 private:
  int fd_ = -1;
};

/// Sends to one neighbour and receives from the other at the same time, so that a ring of full
/// socket buffers can't stand still.
void exchange(const Socket& to, const void* out, std::size_t out_bytes, const Socket& from,
              void* in, std::size_t in_bytes, Clock::time_point until);

}  // namespace example
