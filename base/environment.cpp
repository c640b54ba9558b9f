// SPDX-License-Identifier: Apache-2.0
#include "base/environment.h"

#include <charconv>

namespace topolaunch {

Environment::Environment(std::initializer_list<std::pair<const std::string, std::string>> variables)
    : variables_(variables.begin(), variables.end()) {}

Environment Environment::from(const char* const* entries) {
  Environment environment;
  for (; entries != nullptr && *entries != nullptr; ++entries) {
    const std::string_view entry(*entries);
    const auto equals = entry.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    environment.variables_.try_emplace(std::string(entry.substr(0, equals)),
                                       entry.substr(equals + 1));
  }
  return environment;
}

std::optional<std::string> Environment::get(std::string_view name) const {
  const auto it = variables_.find(name);
  if (it == variables_.end()) return std::nullopt;
  return it->second;
}

std::string Environment::get_or(std::string_view name, std::string_view fallback) const {
  return get(name).value_or(std::string(fallback));
}

std::optional<long> Environment::get_int(std::string_view name) const {
  const auto text = get(name);
  if (!text) return std::nullopt;
  long value = 0;
  const char* const end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

void Environment::set(std::string name, std::string value) {
  variables_.insert_or_assign(std::move(name), std::move(value));
}

void Environment::unset(std::string_view name) {
  if (const auto it = variables_.find(name); it != variables_.end()) variables_.erase(it);
}

std::vector<std::string> Environment::entries() const {
  std::vector<std::string> out;
  out.reserve(variables_.size());
  for (const auto& [name, value] : variables_) out.push_back(name + "=" + value);
  return out;
}

}  // namespace topolaunch
