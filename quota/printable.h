// SPDX-License-Identifier: Apache-2.0
//
// Text from outside made fit for a message: control characters, quotes' worth of escapes and
// anything that isn't ASCII become '?', and it ends after `most` characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace topolaunch::quota {

std::string printable(std::string_view text, std::size_t most = 80);

}  // namespace topolaunch::quota
