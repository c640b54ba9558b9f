// SPDX-License-Identifier: Apache-2.0
//
// Addresses: this host's own, and those of a name.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/files.h"

namespace topolaunch::launcher {

/// "10.77.1.1/16", "2001:db8::7/64" of every interface that is up, without loopback and link-local
/// ones.
std::vector<std::string> own_networks();

/// From /proc/net/route and /proc/net/ipv6_route.
bool has_default_route(const Files& files);

/// Addresses of a name in the words of own_networks() without the prefix; empty: it does not
/// resolve.
using Resolve = std::function<std::vector<std::string>(const std::string&)>;
std::vector<std::string> addresses_of(const std::string& name);

/// Whether an address of `a` is in a network of `b`, or the other way round.
bool share_network(const std::vector<std::string>& a, const std::vector<std::string>& b);

/// Whether `name` means this host: "localhost", its own name with or without a domain, or one of its
/// addresses, by `resolve` where it is none itself.
bool is_this_host(const std::string& name, const Resolve& resolve);

}  // namespace topolaunch::launcher
