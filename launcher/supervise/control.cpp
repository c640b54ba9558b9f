// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervise/control.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "launcher/supervise/handshake.h"
#include "launcher/supervise/network.h"

namespace topolaunch::launcher {
namespace {

constexpr std::string_view kLocal = "unix:@";
/// A stranger may say no more than this before the secret.
constexpr std::size_t kMaxGreeting = 4096;

/// An abstract address: it belongs to the network namespace and vanishes with its socket.
socklen_t fill(sockaddr_un& address, std::string_view name) {
  address = {};
  address.sun_family = AF_UNIX;
  const std::size_t n = std::min(name.size(), sizeof address.sun_path - 1);
  std::memcpy(address.sun_path + 1, name.data(), n);
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + n);
}

}  // namespace

Result<ControlServer> ControlServer::open() {
  auto name = random_name(8);
  auto secret = random_name(16);
  if (!name) return tl::unexpected(std::move(name).error());
  if (!secret) return tl::unexpected(std::move(secret).error());
  ControlServer server;
  server.secret_ = std::move(*secret);
  server.address_ = std::string(kLocal) + "topolaunch-" + *name;
  server.socket_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  const socklen_t size = fill(address, std::string_view(server.address_).substr(kLocal.size()));
  if (!server.socket_ ||
      ::bind(server.fd(), reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      ::listen(server.fd(), SOMAXCONN) != 0) {
    return fail(Code::internal, std::string("can't listen for the ranks: ") + std::strerror(errno));
  }
  return server;
}

std::optional<ControlServer::Peer> ControlServer::accept() {
  Descriptor socket(::accept4(fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket) {
    rest_after_failed_accept(errno);
    return std::nullopt;
  }
  ucred who{};
  socklen_t size = sizeof who;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &who, &size) != 0 ||
      who.uid != ::geteuid()) {
    return std::nullopt;
  }
  return Peer{Channel(std::move(socket), kMaxGreeting), who.pid};
}

bool ControlServer::is_secret(const std::string& said) const { return same_secret(said, secret_); }

Result<Channel> connect_control(const std::string& address) {
  if (!address.starts_with(kLocal)) {
    return fail(Code::unavailable, "control address '" + address + "' isn't one of this host");
  }
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un where{};
  const socklen_t size = fill(where, std::string_view(address).substr(kLocal.size()));
  if (!socket) return fail(Code::internal, std::string("no socket: ") + std::strerror(errno));
  while (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&where), size) != 0) {
    if (errno == EINTR) continue;
    return fail(Code::unavailable, "topolaunch can't be reached on its control channel (" +
                                       std::string(std::strerror(errno)) + ")");
  }
  return Channel(std::move(socket));
}

}  // namespace topolaunch::launcher
