// SPDX-License-Identifier: Apache-2.0
//
// Small questions to foreign JSON, none of which throws, and the line of what is read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace topolaunch::topo {

/// The member; nullptr if it is absent or null, or `json` is no object.
const Json* member(const Json* json, std::string_view key);
/// A string; empty if it isn't one. "null" and "None" as some tools write null: empty.
std::string string_of(const Json* json);
/// A whole number, also one in quotes ("8"); `fallback` if it is neither.
int integer_of(const Json* json, int fallback = 0);
/// The strings of an array, those that are empty left out; empty if it is none.
std::vector<std::string> strings_of(const Json* json);
/// The elements of an array, or of nothing.
const Json& elements_of(const Json* json);

/// Lines of a text by what stands on them, forward only: the parser's values know none.
class JsonLines {
 public:
  explicit JsonLines(std::string_view text) : text_(text) {}
  /// Line of the next `"value"` behind the last one that was found; 0 if there is none.
  int next(std::string_view value);

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace topolaunch::topo
