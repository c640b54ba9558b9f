// SPDX-License-Identifier: Apache-2.0
//
// What the attributes of NCCL's XML mean: numbers in decimal or hex, and PCI class codes.
#pragma once

#include <optional>
#include <pugixml.hpp>
#include <string_view>

namespace topolaunch::topo::nccl {

/// "17", "0x030200"; nothing if the attribute isn't there or is no such number.
std::optional<long> integer(const pugi::xml_node& node, const char* name);
/// The same kept between -1 and 2^30.
int small(const pugi::xml_node& node, const char* name, int fallback = 0);

/// "fffffff:ff:ff.0": NCCL's address for "some NVSwitch".
bool any_switch(std::string_view target);

/// What a <pci> or a link target is, from the class code that Linux prints: 0xBBSSPP.
enum class Kind { unknown, gpu, nic, nvswitch, cpu, other };

/// `attribute` names the class code's attribute; `vendor` is "0x10de", or empty where it isn't
/// said.
Kind kind_of(const pugi::xml_node& node, const char* attribute, std::string_view vendor);

}  // namespace topolaunch::topo::nccl
