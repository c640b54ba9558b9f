// SPDX-License-Identifier: Apache-2.0
//
// This host's own networks, and whether hosts have one in common.
#pragma once

#include <string>
#include <vector>

#include "base/files.h"

namespace topolaunch::launcher {

/// "10.77.1.1/16", "2001:db8::7/64" of every interface that is up, without loopback and link-local
/// ones.
std::vector<std::string> own_networks();

/// From /proc/net/route and /proc/net/ipv6_route.
bool has_default_route(const Files& files);

/// Whether an address of `a` is in a network of `b`, or the other way round.
bool share_network(const std::vector<std::string>& a, const std::vector<std::string>& b);

}  // namespace topolaunch::launcher
