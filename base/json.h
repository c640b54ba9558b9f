// SPDX-License-Identifier: Apache-2.0
//
// JSON as untrusted input: nlohmann's values behind a parser that refuses what that library lets
// through (duplicate keys, deep nesting) and says the line. Headers include <nlohmann/json_fwd.hpp>
// only; a .cpp that touches values includes <nlohmann/json.hpp>.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace topolaunch {

using Json = nlohmann::ordered_json;  ///< keeps the order of keys as written

struct JsonLimits {
  int depth = 64;
  std::size_t members = 4'000'000;  ///< values in the whole document
};

/// Parses one document. invalid_input with the line for anything malformed: bytes that aren't
/// UTF-8, a duplicate key, trailing text, a number outside double, nesting over the limit.
/// `name` is the file name for the message.
Result<Json> parse_json(std::string_view text, const std::string& name, JsonLimits limits = {});

/// One line, no trailing newline. Strings that aren't UTF-8 are written with replacement
/// characters.
std::string to_line(const Json& json);
/// Indented by two, with a trailing newline.
std::string to_pretty(const Json& json);

}  // namespace topolaunch
