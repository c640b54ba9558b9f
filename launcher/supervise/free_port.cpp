// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervise/free_port.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "launcher/supervise/descriptor.h"

namespace topolaunch::launcher {
namespace {

/// Binds `port` (0 = any) on all IPv4 addresses; the port, or 0 if that can't be had.
int try_bind(int port) {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return 0;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  socklen_t length = sizeof address;
  int got = 0;
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &length) == 0) {
    got = ntohs(address.sin_port);
  }
  return got;
}

}  // namespace

Result<int> free_port() {
  const int port = try_bind(0);
  if (port == 0) {
    return fail(Code::unavailable, std::string("no free TCP port: ") + std::strerror(errno),
                "set MASTER_PORT yourself");
  }
  return port;
}

bool is_free_port(int port) { return port > 0 && port < 65536 && try_bind(port) == port; }

}  // namespace topolaunch::launcher
