// SPDX-License-Identifier: Apache-2.0
//
// "did you mean --ranks?": the known name that a mistyped one most likely was.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace topolaunch {

/// The name with the smallest edit distance (Damerau: a swap of neighbours counts once); empty if
/// none is near: more than a third of the letters, or than `most`, differ. A unique beginning also
/// counts as near.
std::string nearest_name(std::string_view typed, const std::vector<std::string>& known,
                         std::size_t most = 64);

}  // namespace topolaunch
