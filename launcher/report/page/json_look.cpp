// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/page/json_look.h"

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
