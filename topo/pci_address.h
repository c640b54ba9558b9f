// SPDX-License-Identifier: Apache-2.0
//
// A PCI address with its domain: the key by which GPUs and NICs are known. Domains have up to 32
// bits (VMD and some GPU servers use 10000: and above), and two devices may differ in it alone.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace topolaunch::topo {

struct PciAddress {
  std::uint32_t domain = 0;
  std::uint8_t bus = 0;
  std::uint8_t device = 0;
  std::uint8_t function = 0;

  /// "0000:18:00.0", "00000000:18:00.0", "10000:01:00.0", "18:00.0" (domain 0), any case.
  static Result<PciAddress> parse(std::string_view text);
  /// "0000:18:00.0": lower case, at least four digits of domain, never cut.
  std::string text() const;

  friend bool operator==(const PciAddress&, const PciAddress&) = default;
  friend auto operator<=>(const PciAddress&, const PciAddress&) = default;
};

}  // namespace topolaunch::topo
