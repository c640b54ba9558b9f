// SPDX-License-Identifier: Apache-2.0
//
// NAME=VALUE lists as people write them on a command line: "tp=8,pp=4", "tp=8 pp=4", "TP=8", "tp:8", "tp8pp4".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace topolaunch::mapping {

struct NamedValue {
  std::string name;  ///< lower case
  std::string value;
};

/// The pairs of `text` in their order, separated by commas or blanks; empty for an empty text. wrong_usage
/// that quotes `option` and the word: without a value, or a name that was given already.
Result<std::vector<NamedValue>> named_values(const std::string& text, std::string_view option);

}  // namespace topolaunch::mapping
