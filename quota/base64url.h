// SPDX-License-Identifier: Apache-2.0
//
// base64url without padding (RFC 7515 appendix C), strict: one spelling for every byte string.
// OpenSSL's decoder takes padding, newlines and stray trailing bits, which would give a signature
// a second spelling.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace topolaunch::quota {

std::string to_base64url(std::string_view bytes);
/// Nothing for any character outside the alphabet, padding, white space, an impossible length, or
/// trailing bits that aren't zero.
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace topolaunch::quota
