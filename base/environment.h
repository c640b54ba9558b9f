// SPDX-License-Identifier: Apache-2.0
//
// The environment variables as a value: a snapshot taken once in main, passed down, tested with
// literals.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topolaunch {

class Environment {
 public:
  Environment() = default;
  Environment(std::initializer_list<std::pair<const std::string, std::string>> variables);
  /// From an `environ`-style array; entries without '=' are left out. Of two
  /// entries of one name the first counts, as for getenv.
  static Environment from(const char* const* entries);

  std::optional<std::string> get(std::string_view name) const;
  std::string get_or(std::string_view name, std::string_view fallback) const;
  /// The variable as an integer; nothing if absent or not one.
  std::optional<long> get_int(std::string_view name) const;
  bool has(std::string_view name) const { return get(name).has_value(); }
  void set(std::string name, std::string value);
  void unset(std::string_view name);
  const std::map<std::string, std::string, std::less<>>& variables() const { return variables_; }
  /// "NAME=value" entries for execve, sorted by name.
  std::vector<std::string> entries() const;

 private:
  std::map<std::string, std::string, std::less<>> variables_;
};

}  // namespace topolaunch
