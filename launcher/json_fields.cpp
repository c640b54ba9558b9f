// SPDX-License-Identifier: Apache-2.0
#include "launcher/json_fields.h"

#include <cstdint>
#include <nlohmann/json.hpp>

namespace topolaunch::launcher {
namespace {

/// Nothing if `json` is no text, or holds a NUL, which would end the word early on its way through
/// the operating system.
std::optional<std::string> word_from_json(const Json& json) {
  std::string word;
  if (json.is_string()) {
    word = json.get<std::string>();
  } else if (json.is_object() && json.size() == 1 && json.contains("hex") &&
             json["hex"].is_string()) {
    const auto& digits = json["hex"].get_ref<const std::string&>();
    if (digits.size() % 2 != 0 ||
        digits.find_first_not_of("0123456789abcdef") != std::string::npos) {
      return std::nullopt;
    }
    const auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    for (std::size_t i = 0; i < digits.size(); i += 2) {
      word += static_cast<char>(value(digits[i]) * 16 + value(digits[i + 1]));
    }
  } else {
    return std::nullopt;
  }
  if (word.find('\0') != std::string::npos) return std::nullopt;
  return word;
}

}  // namespace

Json word_to_json(const std::string& word) {
  try {
    static_cast<void>(Json(word).dump());
    return word;
  } catch (const Json::exception&) {  // not UTF-8
    std::string digits;
    for (const char c : word) {
      constexpr const char* hex = "0123456789abcdef";
      digits += hex[static_cast<unsigned char>(c) >> 4];
      digits += hex[static_cast<unsigned char>(c) & 15];
    }
    return Json{{"hex", digits}};
  }
}

Json words_to_json(const std::vector<std::string>& words) {
  Json list = Json::array();
  for (const std::string& word : words) list.push_back(word_to_json(word));
  return list;
}

JsonFields::JsonFields(const Json& json, std::string file, std::string where)
    : json_(json), file_(std::move(file)), where_(std::move(where)) {
  if (!json_.is_object()) {
    error_ = Error{Code::invalid_input,
                   (where_.empty() ? "this" : where_) + " is not an object",
                   {},
                   file_,
                   0};
  }
}

std::string JsonFields::path(const char* key) const {
  return where_.empty() ? key : where_ + "." + key;
}

void JsonFields::wrong(const char* key, const std::string& what) {
  if (!error_) error_ = Error{Code::invalid_input, path(key) + " " + what, {}, file_, 0};
}

const Json* JsonFields::find(const char* key) const {
  if (!json_.is_object()) return nullptr;
  const auto it = json_.find(key);
  return it == json_.end() || it->is_null() ? nullptr : &*it;
}

bool JsonFields::has(const char* key) const { return find(key) != nullptr; }

std::string JsonFields::text(const char* key) {
  if (!has(key)) wrong(key, "is missing");
  return text_or(key, {});
}

std::string JsonFields::text_or(const char* key, std::string fallback) {
  const Json* const value = find(key);
  if (value == nullptr) return fallback;
  auto word = word_from_json(*value);
  if (word) return *word;
  wrong(key, "is not a text");
  return fallback;
}

int JsonFields::integer(const char* key, int least, int most) {
  if (!has(key)) wrong(key, "is missing");
  return integer_or(key, least, most, 0);
}

int JsonFields::integer_or(const char* key, int least, int most, int fallback) {
  const Json* const value = find(key);
  if (value == nullptr) return fallback;
  const bool whole = value->is_number_integer() &&
                     (!value->is_number_unsigned() ||
                      value->get<std::uint64_t>() <= static_cast<std::uint64_t>(INT32_MAX));
  if (!whole || value->get<std::int64_t>() < least || value->get<std::int64_t>() > most) {
    wrong(key, "is not an integer from " + std::to_string(least) + " to " + std::to_string(most));
    return fallback;
  }
  return static_cast<int>(value->get<std::int64_t>());
}

double JsonFields::number_or(const char* key, double least, double most, double fallback) {
  const Json* const value = find(key);
  if (value == nullptr) return fallback;
  const double number = value->is_number() ? value->get<double>() : least - 1;
  if (number >= least && number <= most) return number;
  wrong(key, "is not a number from " + std::to_string(least) + " to " + std::to_string(most));
  return fallback;
}

bool JsonFields::flag_or(const char* key, bool fallback) {
  const Json* const value = find(key);
  if (value == nullptr) return fallback;
  if (value->is_boolean()) return value->get<bool>();
  wrong(key, "is neither true nor false");
  return fallback;
}

const Json* JsonFields::array(const char* key) {
  const Json* const value = find(key);
  if (value == nullptr || !value->is_array()) {
    wrong(key, value == nullptr ? "is missing" : "is not a list");
    return nullptr;
  }
  return value;
}

const Json* JsonFields::object(const char* key) {
  const Json* const value = find(key);
  if (value == nullptr || !value->is_object()) {
    wrong(key, value == nullptr ? "is missing" : "is not an object");
    return nullptr;
  }
  return value;
}

std::vector<std::string> JsonFields::texts(const char* key) {
  if (!has(key)) wrong(key, "is missing");
  return texts_or_empty(key);
}

std::vector<std::string> JsonFields::texts_or_empty(const char* key) {
  std::vector<std::string> out;
  const Json* const value = find(key);
  if (value == nullptr) return out;
  if (!value->is_array()) {
    wrong(key, "is not a list");
    return out;
  }
  for (const Json& item : *value) {
    auto word = word_from_json(item);
    if (!word) {
      wrong(key, "is not a list of texts");
      return out;
    }
    out.push_back(std::move(*word));
  }
  return out;
}

std::vector<int> JsonFields::integers_or_empty(const char* key, int least, int most) {
  std::vector<int> out;
  const Json* const value = find(key);
  if (value == nullptr) return out;
  bool right = value->is_array();
  for (std::size_t i = 0; right && i < value->size(); ++i) {
    const Json& item = (*value)[i];
    right = item.is_number_integer() && item.get<std::int64_t>() >= least &&
            item.get<std::int64_t>() <= most;
    if (right) out.push_back(item.get<int>());
  }
  if (!right) wrong(key, "is not a list of integers");
  return out;
}

std::map<std::string, std::string> JsonFields::text_map_or_empty(const char* key) {
  std::map<std::string, std::string> out;
  const Json* const value = find(key);
  if (value == nullptr) return out;
  if (!value->is_object()) {
    wrong(key, "is not an object");
    return out;
  }
  for (const auto& [name, item] : value->items()) {
    auto word = word_from_json(item);
    if (!word || name.empty() ||
        name.find_first_of(std::string_view("=\0", 2)) != std::string::npos) {
      wrong(key, "is not an object of texts");
      return out;
    }
    out.emplace(name, std::move(*word));
  }
  return out;
}

}  // namespace topolaunch::launcher
