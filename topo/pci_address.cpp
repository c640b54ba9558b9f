// SPDX-License-Identifier: Apache-2.0
#include "topo/pci_address.h"

#include <fmt/format.h>

#include <charconv>

namespace topolaunch::topo {
namespace {

template <class T>
bool take_hex(std::string_view& s, std::size_t max_digits, std::uint32_t limit, T& value) {
  std::uint32_t v = 0;
  const auto length = std::min(s.size(), max_digits);
  const auto [end, error] = std::from_chars(s.data(), s.data() + length, v, 16);
  if (error != std::errc{} || v > limit) return false;
  value = static_cast<T>(v);
  s.remove_prefix(static_cast<std::size_t>(end - s.data()));
  return true;
}

bool take(std::string_view& s, char c) {
  if (s.empty() || s.front() != c) return false;
  s.remove_prefix(1);
  return true;
}

}  // namespace

Result<PciAddress> PciAddress::parse(std::string_view text) {
  PciAddress address;
  std::string_view s = text;
  const bool has_domain = s.find(':') != s.rfind(':');
  const bool ok = (!has_domain || (take_hex(s, 8, 0xffffffffU, address.domain) && take(s, ':'))) &&
                  take_hex(s, 2, 0xff, address.bus) && take(s, ':') &&
                  take_hex(s, 2, 0x1f, address.device) && take(s, '.') &&
                  take_hex(s, 1, 7, address.function) && s.empty();
  if (!ok) {
    return fail(Code::invalid_input, fmt::format("'{}' is not a PCI address", text),
                "write it like 0000:18:00.0");
  }
  return address;
}

std::string PciAddress::text() const {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", domain, bus, device, function);
}

}  // namespace topolaunch::topo
