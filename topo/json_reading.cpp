// SPDX-License-Identifier: Apache-2.0
#include "topo/json_reading.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace topolaunch::topo {

const Json* member(const Json* json, std::string_view key) {
  if (json == nullptr || !json->is_object()) return nullptr;
  const auto at = json->find(std::string(key));
  return at == json->end() || at->is_null() ? nullptr : &*at;
}

std::string string_of(const Json* json) {
  if (json == nullptr || !json->is_string()) return {};
  const auto& text = json->get_ref<const std::string&>();
  return text == "null" || text == "None" ? std::string() : text;
}

int integer_of(const Json* json, int fallback) {
  if (json == nullptr) return fallback;
  if (json->is_number_unsigned() || json->is_number_integer()) {
    const auto value = json->get<double>();
    return value >= -1e9 && value <= 1e9 ? static_cast<int>(value) : fallback;
  }
  if (!json->is_string()) return fallback;
  const auto& text = json->get_ref<const std::string&>();
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? value : fallback;
}

std::vector<std::string> strings_of(const Json* json) {
  std::vector<std::string> found;
  for (const auto& entry : elements_of(json)) {
    if (auto text = string_of(&entry); !text.empty()) found.push_back(std::move(text));
  }
  return found;
}

const Json& elements_of(const Json* json) {
  static const Json none = Json::array();
  return json != nullptr && json->is_array() ? *json : none;
}

int JsonLines::next(std::string_view value) {
  const auto found = text_.find(std::string("\"").append(value).append("\""), at_);
  if (found == std::string_view::npos) return 0;
  line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                       text_.begin() + static_cast<std::ptrdiff_t>(found), '\n'));
  at_ = found;
  return line_;
}

}  // namespace topolaunch::topo
