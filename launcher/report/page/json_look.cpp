// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/page/json_look.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace topolaunch::launcher::page {

const Json& at(const Json& json, const JsonPath& path) {
  static const Json none;
  const Json* here = &json;
  for (const std::string_view name : path) {
    if (!here->is_object()) return none;
    const auto found = here->find(name);
    if (found == here->end()) return none;
    here = &*found;
  }
  return *here;
}

std::string text_at(const Json& json, const JsonPath& path) {
  const Json& value = at(json, path);
  return value.is_string() ? value.get<std::string>() : std::string();
}

double number_at(const Json& json, const JsonPath& path) {
  const Json& value = at(json, path);
  return value.is_number() ? value.get<double>() : 0;
}

std::int64_t whole(double value) {
  constexpr double kMost = 9e15;  // beyond it a double has no whole numbers of its own
  return std::isnan(value) ? 0 : std::llround(std::clamp(value, -kMost, kMost));
}

int small_whole(double value) {
  using Limits = std::numeric_limits<int>;
  return static_cast<int>(std::clamp<std::int64_t>(whole(value), Limits::min(), Limits::max()));
}

JsonPath split(std::string_view path) {
  JsonPath out;
  while (true) {
    const auto slash = path.find('/');
    out.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return out;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace topolaunch::launcher::page
