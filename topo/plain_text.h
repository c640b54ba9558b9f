// SPDX-License-Identifier: Apache-2.0
//
// What every reader of text refuses alike, before it looks for its own words: a file that is empty,
// packed, UTF-16 or binary.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace topolaunch::topo {

/// `what` names the file's kind ("the job request"), `wanted` says what it is to be. invalid_input
/// with the line; a text of blanks alone is empty.
Status plain_text(std::string_view text, const std::string& file, const std::string& what,
                  const std::string& wanted);

}  // namespace topolaunch::topo
