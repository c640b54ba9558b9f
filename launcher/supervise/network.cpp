// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervise/network.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "base/own_host.h"

namespace topolaunch::launcher {
namespace {

/// Seconds without a word after which the kernel asks, between two questions, and how many stay
/// without an answer; milliseconds that sent data may wait. Together: silence is noticed after 9 to
/// 11 s, before Open MPI notices it with what mpirun is given.
constexpr int kIdle = 3, kInterval = 2, kProbes = 3, kUnanswered = 9000;

using AddressList = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

AddressList resolved(const std::string& host, int port, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* list = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list) != 0) list = nullptr;
  return {list, &::freeaddrinfo};
}

std::string text_of(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address->sa_family == AF_INET) {
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text.data(),
                text.size());
  } else if (address->sa_family == AF_INET6) {
    ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, text.data(),
                text.size());
  }
  const std::string_view out = text.data();
  constexpr std::string_view mapped = "::ffff:";
  const bool is_v4 = out.starts_with(mapped) && out.find('.') != std::string_view::npos;
  return std::string(is_v4 ? out.substr(mapped.size()) : out);
}

std::vector<std::string> texts_of(const AddressList& list) {
  std::vector<std::string> out;
  for (const addrinfo* one = list.get(); one != nullptr; one = one->ai_next) {
    std::string text = text_of(one->ai_addr);
    if (!text.empty() && std::ranges::find(out, text) == out.end()) out.push_back(std::move(text));
  }
  return out;
}

/// All addresses of this machine's interfaces that are up.
std::vector<std::string> own_addresses(bool loopback) {
  std::vector<std::string> out;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return out;
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || (one->ifa_flags & IFF_UP) == 0) continue;
    if (!loopback && (one->ifa_flags & IFF_LOOPBACK) != 0) continue;
    const std::string text = text_of(one->ifa_addr);
    // Link-local ones mean something only together with an interface of the other side.
    if (text.empty() || text.starts_with("fe80:") || text.starts_with("169.254.")) continue;
    if (std::ranges::find(out, text) == out.end()) out.push_back(text);
  }
  ::freeifaddrs(list);
  return out;
}

std::string own_end(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  return ::getsockname(socket, plain, &size) == 0 ? text_of(plain) : std::string();
}

int finish_connect(int socket, double seconds) {
  pollfd ready{socket, POLLOUT, 0};
  const int n = ::poll(&ready, 1, static_cast<int>(seconds * 1000));
  if (n == 0) return ETIMEDOUT;
  int number = 0;
  socklen_t size = sizeof number;
  ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &number, &size);
  return number;
}

}  // namespace

Result<Listener> listen_for_hosts() {
  Listener out;
  // One socket for both families where the kernel has IPv6.
  out.socket.reset(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int off = 0;
  sockaddr_in6 any6{};
  any6.sin6_family = AF_INET6;
  bool bound =
      out.socket &&
      ::setsockopt(out.socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) == 0 &&
      ::bind(out.socket.get(), reinterpret_cast<const sockaddr*>(&any6), sizeof any6) == 0;
  if (!bound) {
    out.socket.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_in any{};
    any.sin_family = AF_INET;
    bound = out.socket &&
            ::bind(out.socket.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0;
  }
  sockaddr_storage got{};
  socklen_t size = sizeof got;
  if (!bound || ::listen(out.socket.get(), SOMAXCONN) != 0 ||
      ::getsockname(out.socket.get(), reinterpret_cast<sockaddr*>(&got), &size) != 0) {
    return fail(Code::unavailable,
                std::string("can't listen for other hosts: ") + std::strerror(errno));
  }
  out.port = ntohs(got.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&got)->sin6_port
                                             : reinterpret_cast<sockaddr_in*>(&got)->sin_port);
  return out;
}

std::vector<std::string> reachable_addresses() { return own_addresses(false); }

std::string address_towards(const std::string& host) {
  const AddressList list = resolved(host, 9, 0);
  for (const addrinfo* one = list.get(); one != nullptr; one = one->ai_next) {
    const Descriptor socket(::socket(one->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!socket || ::connect(socket.get(), one->ai_addr, one->ai_addrlen) != 0) continue;
    if (std::string own = own_end(socket.get()); !own.empty()) return own;
  }
  return {};
}

std::vector<std::string> addresses_of(const std::string& name) {
  return texts_of(resolved(name, 0, 0));
}

std::vector<std::string> literal_address_of(const std::string& name) {
  return texts_of(resolved(name, 0, AI_NUMERICHOST));
}

bool is_this_machine(const std::string& name, const Resolve& resolve) {
  if (name == "localhost" || name == own_host_name()) return true;
  const std::vector<std::string> own = own_addresses(true);
  return std::ranges::any_of(resolve(name), [&](const std::string& address) {
    // All of 127/8 is: Debian gives 127.0.1.1 to a machine's own name.
    return address.starts_with("127.") || address == "::1" ||
           std::ranges::find(own, address) != own.end();
  });
}

bool is_reachable_as(const std::string& name) {
  const std::vector<std::string> own = own_addresses(false);
  return std::ranges::any_of(addresses_of(name), [&](const std::string& address) {
    return std::ranges::find(own, address) != own.end();
  });
}

std::string own_address_of(int socket) { return own_end(socket); }

void notice_silence(int socket) {
  const int on = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &kIdle, sizeof kIdle);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &kInterval, sizeof kInterval);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &kProbes, sizeof kProbes);
  ::setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUnanswered, sizeof kUnanswered);
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Result<Descriptor> connect_to(const std::string& address, int port, double seconds) {
  const AddressList list = resolved(address, port, AI_NUMERICHOST);
  if (list == nullptr) return fail(Code::unavailable, std::strerror(EADDRNOTAVAIL));
  Descriptor socket(::socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  int number = socket ? 0 : errno;
  if (socket && ::connect(socket.get(), list->ai_addr, list->ai_addrlen) != 0) {
    number = errno == EINPROGRESS ? finish_connect(socket.get(), seconds) : errno;
  }
  if (number != 0) return fail(Code::unavailable, std::strerror(number));
  return socket;
}

void rest_after_failed_accept(int error) {
  constexpr int kRestMilliseconds = 50;
  if (error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM) {
    ::poll(nullptr, 0, kRestMilliseconds);
  }
}

}  // namespace topolaunch::launcher
