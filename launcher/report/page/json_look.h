// SPDX-License-Identifier: Apache-2.0
//
// A look into a saved run's JSON that never fails: what isn't there, or isn't of the kind, is null,
// empty or 0. The page shows what a run has left, however little.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace topolaunch::launcher::page {

using JsonPath = std::vector<std::string_view>;

const Json& at(const Json& json, const JsonPath& path);
std::string text_at(const Json& json, const JsonPath& path);
double number_at(const Json& json, const JsonPath& path);
/// The nearest whole number that fits; 0 for what is none.
std::int64_t whole(double value);
int small_whole(double value);
/// "what/git_commit" -> {"what", "git_commit"}
JsonPath split(std::string_view path);

}  // namespace topolaunch::launcher::page
