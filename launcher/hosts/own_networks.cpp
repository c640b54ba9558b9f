// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/own_networks.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace topolaunch::launcher {
namespace {

/// An address, or a mask, as its bytes: 4 or 16 of them. A mask's own family is not filled in
/// everywhere; its bytes stand where the address's do.
std::vector<std::uint8_t> bytes_of(const sockaddr* address, int family) {
  const auto* const raw = reinterpret_cast<const std::uint8_t*>(address);
  if (family == AF_INET) {
    const auto* const first = raw + offsetof(sockaddr_in, sin_addr);
    return {first, first + 4};
  }
  if (family == AF_INET6) {
    const auto* const first = raw + offsetof(sockaddr_in6, sin6_addr);
    return {first, first + 16};
  }
  return {};
}

std::string text_of(const std::vector<std::uint8_t>& bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = bytes.size() == 4 ? AF_INET : AF_INET6;
  return ::inet_ntop(family, bytes.data(), text.data(), text.size()) != nullptr ? text.data() : "";
}

bool is_local_only(const std::vector<std::uint8_t>& bytes) {
  if (bytes.size() == 4) return bytes[0] == 127 || (bytes[0] == 169 && bytes[1] == 254);
  return bytes.size() != 16 || (bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80) ||
         std::all_of(bytes.begin(), bytes.end() - 1, [](std::uint8_t b) { return b == 0; });
}

struct Network {
  std::vector<std::uint8_t> address;
  int prefix = 0;
};

std::optional<Network> network_from(const std::string& text) {
  const auto slash = text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  Network network;
  const std::string address = text.substr(0, slash);
  network.address.resize(address.find(':') == std::string::npos ? 4 : 16);
  const int family = network.address.size() == 4 ? AF_INET : AF_INET6;
  if (::inet_pton(family, address.c_str(), network.address.data()) != 1) return std::nullopt;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data() + slash + 1, end, network.prefix).ec != std::errc{}) {
    return std::nullopt;
  }
  return network;
}

bool same_prefix(const Network& a, const Network& b, int bits) {
  if (a.address.size() != b.address.size()) return false;
  for (std::size_t i = 0; bits > 0 && i < a.address.size(); ++i, bits -= 8) {
    const int unused = bits >= 8 ? 0 : 8 - bits;
    if ((a.address[i] >> unused) != (b.address[i] >> unused)) return false;
  }
  return true;
}

/// "default" as the kernel writes it: destination and mask of zeros, and the interface is not lo.
bool default_in(const std::string& table, std::size_t destination, std::size_t mask,
                std::size_t device) {
  std::size_t at = 0;
  while (at < table.size()) {
    const auto end = std::min(table.find('\n', at), table.size());
    std::vector<std::string> fields;
    std::string field;
    for (const char c : table.substr(at, end - at) + " ") {
      if (c != ' ' && c != '\t') {
        field += c;
      } else if (!field.empty()) {
        fields.push_back(std::exchange(field, {}));
      }
    }
    at = end + 1;
    if (fields.size() <= std::max({destination, mask, device})) continue;
    const auto zero = [](const std::string& text) {
      return text.find_first_not_of('0') == std::string::npos;
    };
    if (zero(fields[destination]) && zero(fields[mask]) && fields[device] != "lo") return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> own_networks() {
  std::vector<std::string> out;
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return out;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> all(first, &::freeifaddrs);
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_netmask == nullptr) continue;
    if ((one->ifa_flags & IFF_UP) == 0 || (one->ifa_flags & IFF_LOOPBACK) != 0) continue;
    const int family = one->ifa_addr->sa_family;
    const auto address = bytes_of(one->ifa_addr, family);
    if (address.empty() || is_local_only(address)) continue;
    int prefix = 0;
    for (const std::uint8_t byte : bytes_of(one->ifa_netmask, family)) prefix += std::popcount(byte);
    out.push_back(text_of(address) + "/" + std::to_string(prefix));
  }
  return out;
}

bool has_default_route(const Files& files) {
  // route: Iface Destination Gateway Flags RefCnt Use Metric Mask ...
  const auto four = files.read("/proc/net/route", std::size_t{1} << 20);
  if (four && default_in(*four, 1, 7, 0)) return true;
  // ipv6_route: destination prefix source prefix next-hop metric refcnt use flags device; the
  // table holds an unreachable default on lo where there is none.
  const auto six = files.read("/proc/net/ipv6_route", std::size_t{1} << 20);
  return six && default_in(*six, 0, 1, 9);
}

bool share_network(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  for (const std::string& one : a) {
    const auto first = network_from(one);
    if (!first) continue;
    for (const std::string& other : b) {
      const auto second = network_from(other);
      if (second && same_prefix(*first, *second, std::min(first->prefix, second->prefix))) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace topolaunch::launcher
