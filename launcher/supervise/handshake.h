// SPDX-License-Identifier: Apache-2.0
//
// Handshake: how topolaunch and the keeper of another host prove to each other over a network that
// they know the one-time secret, without saying it. Each side proves the other's random challenge:
//
//   launcher                                   host keeper
//     {"challenge": L}                  ->
//                                       <-     {"host": "h05", "challenge": H, "proof": keeper(L,H)}
//     {"proof": launcher(L,H)}          ->
//
// A proof is HMAC-SHA256 (RFC 2104) over role, host and both challenges, so that none can be used
// for the other direction, another host or a second time.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace topolaunch::launcher {

/// `bytes` random bytes of the kernel's, in hexadecimal.
Result<std::string> random_name(std::size_t bytes);

/// Constant time in the content.
bool same_secret(std::string_view a, std::string_view b);

/// 32 bytes.
std::string hmac_sha256(std::string_view key, std::string_view text);

/// In hexadecimal. `role`: "launcher" or "keeper".
std::string proof_of(std::string_view secret, std::string_view role, std::string_view host,
                     std::string_view launcher_challenge, std::string_view keeper_challenge);

}  // namespace topolaunch::launcher
