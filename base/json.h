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
#include <vector>

#include "base/result.h"

namespace topolaunch {

using Json = nlohmann::ordered_json;  ///< keeps the order of keys as written

struct JsonLimits {
  int depth = 64;
  std::size_t members = 4'000'000;  ///< values in the whole document
};

/// The line on which each value of a parsed document begins, which the values themselves don't
/// know.
class JsonLineTable {
 public:
  void add(int line) { lines_.push_back(line); }
  /// Of `value`, which is `document` or a part of it, not a copy; 0 if it is neither.
  int of(const Json& document, const Json& value) const;

 private:
  std::vector<int> lines_;  ///< in the order in which values begin
};

/// Parses one document. invalid_input with the line for anything malformed: bytes that aren't
/// UTF-8, a duplicate key, trailing text, a number outside double, nesting over the limit.
/// `name` is the file name for the message; `lines` is filled for who refuses a value later.
Result<Json> parse_json(std::string_view text, const std::string& name, JsonLimits limits = {},
                        JsonLineTable* lines = nullptr);

/// One line, no trailing newline. Strings that aren't UTF-8 are written with replacement
/// characters.
std::string to_line(const Json& json);
/// Indented by two, with a trailing newline.
std::string to_pretty(const Json& json);

}  // namespace topolaunch
