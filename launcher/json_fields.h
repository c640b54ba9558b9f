// SPDX-License-Identifier: Apache-2.0
//
// Reads named fields of a JSON object from outside, keeping the first thing that is wrong.
//
//   JsonFields in(json, "plan.json", "ranks[3]");
//   rank.host = in.text("host");
//   if (in.error()) return fail(*in.error());      // plan.json: ranks[3].host is not a text
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace topolaunch::launcher {

/// A word of the operating system (argument, path, value of a variable: any bytes but NUL) as JSON:
/// a string where it is UTF-8, else {"hex": "..."}, so that nothing is lost on the way.
Json word_to_json(const std::string& word);
Json words_to_json(const std::vector<std::string>& words);

class JsonFields {
 public:
  JsonFields(const Json& json, std::string file, std::string where);

  // A text is a string, or {"hex": "..."} as word_to_json writes it.
  /// Required fields; a missing one is an error. The value is empty or 0 then.
  std::string text(const char* key);
  int integer(const char* key, int least, int most);
  std::vector<std::string> texts(const char* key);
  const Json* array(const char* key);
  const Json* object(const char* key);
  /// Optional fields.
  std::string text_or(const char* key, std::string fallback);
  int integer_or(const char* key, int least, int most, int fallback);
  double number_or(const char* key, double least, double most, double fallback);
  bool flag_or(const char* key, bool fallback);
  std::vector<std::string> texts_or_empty(const char* key);
  std::vector<int> integers_or_empty(const char* key, int least, int most);
  std::map<std::string, std::string> text_map_or_empty(const char* key);
  bool has(const char* key) const;

  void wrong(const char* key, const std::string& what);
  const std::optional<Error>& error() const { return error_; }
  std::string path(const char* key) const;

 private:
  const Json* find(const char* key) const;
  const Json& json_;
  std::string file_, where_;
  std::optional<Error> error_;
};

}  // namespace topolaunch::launcher
