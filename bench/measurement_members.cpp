// SPDX-License-Identifier: Apache-2.0
#include "bench/measurement_members.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>

namespace topolaunch::bench {
namespace {

constexpr double kMostExact = 9e15;  // whole numbers up to 2^53 are themselves as double

std::optional<double> number_in(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const std::string written = value.get<std::string>();
  char* end = nullptr;
  const double parsed = std::strtod(written.c_str(), &end);
  if (written.empty() || *end != '\0') return std::nullopt;
  return parsed;
}

}  // namespace

const Json* MeasurementMembers::find(const Json& object, const char* name) const {
  if (!object.is_object()) return nullptr;
  const auto it = object.find(name);
  return it == object.end() || it->is_null() ? nullptr : &*it;
}

void MeasurementMembers::refuse(const Json& at, const char* name, const std::string& why) {
  if (error_) return;
  const int line = lines_ == nullptr ? 0 : lines_->of(document_, at);
  error_ = Error{Code::invalid_input, "\"" + std::string(name) + "\" " + why,
                 "topobench --json FILE and nccl-tests -J FILE write it whole", file_, line};
}

std::string MeasurementMembers::text(const Json& object, const char* name,
                                     const std::string& fallback) {
  const Json* const v = find(object, name);
  if (v == nullptr) return fallback;
  if (v->is_string()) return v->get<std::string>();
  refuse(*v, name, "isn't text");
  return fallback;
}

double MeasurementMembers::number(const Json& object, const char* name,
                                  std::optional<double> fallback) {
  const Json* const v = find(object, name);
  if (v == nullptr) {
    if (!fallback) refuse(object, name, "is missing");
    return fallback.value_or(0);
  }
  const auto number = number_in(*v);
  if (number && std::isfinite(*number)) return *number;
  refuse(*v, name, "isn't a number");
  return 0;
}

std::int64_t MeasurementMembers::integer(const Json& object, const char* name,
                                         std::optional<double> fallback) {
  const double v = number(object, name, fallback);
  if (v == std::floor(v) && std::abs(v) <= kMostExact) return static_cast<std::int64_t>(v);
  refuse(at(object, name), name, "isn't a whole number");
  return 0;
}

int MeasurementMembers::small(const Json& object, const char* name,
                              std::optional<double> fallback) {
  const std::int64_t v = integer(object, name, fallback);
  if (std::abs(v) <= std::numeric_limits<int>::max()) return static_cast<int>(v);
  refuse(at(object, name), name, "is too large");
  return 0;
}

double MeasurementMembers::positive(const Json& object, const char* name,
                                    std::optional<double> fallback) {
  const double v = number(object, name, fallback);
  if (v >= 0) return v;
  refuse(at(object, name), name, "is negative");
  return 0;
}

const Json& MeasurementMembers::list(const Json& json, const char* name) {
  static const Json none = Json::array();
  if (json.is_array()) return json;
  refuse(json, name, "isn't a list");
  return none;
}

/// The member, or the object that lacks it.
const Json& MeasurementMembers::at(const Json& object, const char* name) const {
  const Json* const member = find(object, name);
  return member == nullptr ? object : *member;
}

}  // namespace topolaunch::bench
