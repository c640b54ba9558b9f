// SPDX-License-Identifier: Apache-2.0
#include "topo/nccl_xml_attributes.h"

#include <algorithm>
#include <charconv>

namespace topolaunch::topo::nccl {

std::optional<long> integer(const pugi::xml_node& node, const char* name) {
  const std::string_view text = node.attribute(name).value();
  if (text.empty()) return {};
  const bool hex = text.starts_with("0x");
  long value = 0;
  const auto digits = hex ? text.substr(2) : text;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (error != std::errc{} || end != digits.data() + digits.size()) return {};
  return value;
}

int small(const pugi::xml_node& node, const char* name, int fallback) {
  const auto value = integer(node, name);
  return value ? static_cast<int>(std::clamp(*value, -1L, 1L << 30)) : fallback;
}

bool any_switch(std::string_view target) {
  return target.starts_with("fffff") && target.find_first_not_of("f:.0") == std::string_view::npos;
}

Kind kind_of(const pugi::xml_node& node, const char* attribute, std::string_view vendor) {
  const auto code = integer(node, attribute);
  if (!code) return Kind::unknown;
  if (*code == 0x068000) return Kind::nvswitch;
  if (*code == 0x068001) return Kind::cpu;  // POWER9's end of an NVLink; NCCL's kvDictPciClass
  const long base = *code >> 16;
  const long sub = *code >> 8;
  if (base == 0x02) return Kind::nic;
  if (sub == 0x0302 || sub == 0x0380 || base == 0x12) return Kind::gpu;
  // A VGA device is a GPU of ours only if NVIDIA or AMD made it: servers have a display for the
  // BMC.
  if (sub == 0x0300) {
    return vendor.empty() || vendor == "0x10de" || vendor == "0x1002" ? Kind::gpu : Kind::other;
  }
  return Kind::other;
}

}  // namespace topolaunch::topo::nccl
