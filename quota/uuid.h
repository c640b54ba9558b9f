// SPDX-License-Identifier: Apache-2.0
//
// Identifiers: UUIDv7 (RFC 9562: sorted by time) for runs and grants, UUIDv4 for ledgers.
//   "0190f5c2-7b1a-7c3e-9d55-3f2f8f5e6a10"
#pragma once

#include <string>
#include <string_view>

namespace topolaunch::quota {

/// `unix_time` in seconds goes into the first 48 bits as milliseconds; the rest is random.
std::string make_uuid_v7(double unix_time);
std::string make_uuid_v4();
/// 36 characters, lower-case hexadecimal, dashes in place; any version.
bool is_uuid(std::string_view text);

}  // namespace topolaunch::quota
