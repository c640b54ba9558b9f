// SPDX-License-Identifier: Apache-2.0
#include "examples/allreduce/socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <thread>

namespace example {
namespace {

[[noreturn]] void failed(const std::string& what, int error = errno) {
  throw std::runtime_error(what + ": " + std::strerror(error));
}

/// Waits until one of the descriptors is ready.
void wait_for(pollfd* fds, nfds_t count, Clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) throw std::runtime_error("no answer from a peer in time");
    const int ready = poll(fds, count, static_cast<int>(std::min<long long>(left, 60'000)));
    if (ready > 0) return;
    if (ready < 0 && errno != EINTR) failed("poll");
  }
}

bool would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

void prepare(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) != 0) failed("fcntl");
}

}  // namespace

Socket::~Socket() {
  if (fd_ >= 0) close(fd_);
}

Socket Socket::listen(int port) {
  // An IPv6 socket that takes IPv4 too; plain IPv4 where the machine has no IPv6.
  Socket s(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1, off = 0;
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(static_cast<std::uint16_t>(port));
  if (s.fd() >= 0) {
    setsockopt(s.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    setsockopt(s.fd(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  }
  if (s.fd() < 0 || bind(s.fd(), reinterpret_cast<sockaddr*>(&six), sizeof six) != 0) {
    s = Socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_port = htons(static_cast<std::uint16_t>(port));
    setsockopt(s.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(s.fd(), reinterpret_cast<sockaddr*>(&four), sizeof four) != 0) {
      failed("port " + std::to_string(port) + " can't be listened on");
    }
  }
  if (::listen(s.fd(), SOMAXCONN) != 0) failed("listen");
  prepare(s.fd());
  return s;
}

Socket Socket::connect(const std::string& host, int port, Clock::time_point until) {
  std::string why = "not tried";
  for (auto pause = std::chrono::milliseconds(5); Clock::now() < until;
       pause = std::min(pause * 2, std::chrono::milliseconds(250))) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int code = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, &freeaddrinfo);
    if (code != 0) why = gai_strerror(code);
    for (const addrinfo* a = found; code == 0 && a != nullptr; a = a->ai_next) {
      Socket s(::socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol));
      if (s.fd() < 0) continue;
      prepare(s.fd());
      int error = ::connect(s.fd(), a->ai_addr, a->ai_addrlen) == 0 ? 0 : errno;
      if (error == EINPROGRESS) {
        pollfd fd{s.fd(), POLLOUT, 0};
        wait_for(&fd, 1, until);
        socklen_t size = sizeof error;
        getsockopt(s.fd(), SOL_SOCKET, SO_ERROR, &error, &size);
      }
      if (error == 0) return s;
      why = std::strerror(error);
    }
    std::this_thread::sleep_for(pause);
  }
  throw std::runtime_error("no connection to " + host + " port " + std::to_string(port) + ": " + why);
}

Socket Socket::accept(Clock::time_point until) const {
  for (;;) {
    pollfd fd{fd_, POLLIN, 0};
    wait_for(&fd, 1, until);
    Socket s(::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC));
    if (s.fd() >= 0) {
      prepare(s.fd());
      return s;
    }
    if (!would_block(errno) && errno != ECONNABORTED) failed("accept");
  }
}

int Socket::local_port() const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size) != 0) failed("getsockname");
  // sin_port and sin6_port lie at the same place.
  return ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

std::string Socket::peer_address() const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  std::array<char, 64> text{};
  if (getpeername(fd_, reinterpret_cast<sockaddr*>(&address), &size) != 0) failed("getpeername");
  if (getnameinfo(reinterpret_cast<sockaddr*>(&address), size, text.data(), text.size(), nullptr, 0,
                  NI_NUMERICHOST) != 0) {
    throw std::runtime_error("a peer's address can't be read");
  }
  return text.data();
}

void Socket::send(const void* data, std::size_t bytes, Clock::time_point until) const {
  exchange(*this, data, bytes, *this, nullptr, 0, until);
}

void Socket::receive(void* data, std::size_t bytes, Clock::time_point until) const {
  exchange(*this, nullptr, 0, *this, data, bytes, until);
}

void exchange(const Socket& to, const void* out, std::size_t out_bytes, const Socket& from,
              void* in, std::size_t in_bytes, Clock::time_point until) {
  const auto* sending = static_cast<const char*>(out);
  auto* receiving = static_cast<char*>(in);
  while (out_bytes > 0 || in_bytes > 0) {
    std::array<pollfd, 2> fds{pollfd{out_bytes > 0 ? to.fd() : -1, POLLOUT, 0},
                              pollfd{in_bytes > 0 ? from.fd() : -1, POLLIN, 0}};
    wait_for(fds.data(), fds.size(), until);
    if (fds[0].revents != 0) {
      const ssize_t n = ::send(to.fd(), sending, out_bytes, MSG_NOSIGNAL);
      if (n < 0 && !would_block(errno)) failed("sending to a peer");
      if (n > 0) {
        sending += n;
        out_bytes -= static_cast<std::size_t>(n);
      }
    }
    if (fds[1].revents != 0) {
      const ssize_t n = ::recv(from.fd(), receiving, in_bytes, 0);
      if (n == 0) throw std::runtime_error("a peer closed its connection");
      if (n < 0 && !would_block(errno)) failed("receiving from a peer");
      if (n > 0) {
        receiving += n;
        in_bytes -= static_cast<std::size_t>(n);
      }
    }
  }
}

}  // namespace example
