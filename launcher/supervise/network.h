// SPDX-License-Identifier: Apache-2.0
//
// TCP between the hosts of a job: topolaunch listens, the keepers of other hosts connect. IPv4 and
// IPv6. A peer that vanishes without a word (a cut link, a dead host) is noticed by the kernel, in
// about ten seconds, however busy the programs at both ends are.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "launcher/supervise/descriptor.h"

namespace topolaunch::launcher {

/// A listening socket on a port that the kernel chose, on all addresses of this machine.
struct Listener {
  Descriptor socket;
  int port = 0;
};
Result<Listener> listen_for_hosts();

/// The addresses of this machine at which other hosts may reach it: of interfaces that are up, no
/// loopback, no link-local ones.
std::vector<std::string> reachable_addresses();
/// Which of our addresses the kernel would use towards `host` (a name or an address); empty if it
/// can't be resolved or there is no way to it. Sends nothing.
std::string address_towards(const std::string& host);

/// Addresses of a name, as text; empty: it does not resolve.
using Resolve = std::function<std::vector<std::string>(const std::string&)>;
std::vector<std::string> addresses_of(const std::string& name);
/// The same for what is an address itself: asks nobody.
std::vector<std::string> literal_address_of(const std::string& name);
/// Whether `name` means this machine: "localhost", its own name, or one of its addresses.
bool is_this_machine(const std::string& name, const Resolve& resolve = addresses_of);

/// Whether other hosts may reach this machine at `name`: loopback is no such address.
bool is_reachable_as(const std::string& name);

/// Our end's address of a connected socket, without the port; "::ffff:" is taken away.
std::string own_address_of(int socket);

/// Keepalive, and a limit on how long sent data may go unanswered.
void notice_silence(int socket);

/// Connects within `seconds`; unavailable: why not.
Result<Descriptor> connect_to(const std::string& address, int port, double seconds);

/// When accept(2) has failed: rests a moment where descriptors or memory are short. For as long as
/// that lasts every poll returns at once.
void rest_after_failed_accept(int error);

}  // namespace topolaunch::launcher
