// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace topolaunch::quota {

std::string sha256(std::string_view bytes);      ///< 32 bytes
std::string sha256_hex(std::string_view bytes);  ///< 64 lower-case hexadecimal digits

}  // namespace topolaunch::quota
