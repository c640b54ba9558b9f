// SPDX-License-Identifier: Apache-2.0
//
// MeasurementMembers: the members of a measurement's JSON, as untrusted input. The first failure
// stays; after it whoever reads gets what it falls back on and need not ask after each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"

namespace topolaunch::bench {

class MeasurementMembers {
 public:
  /// `lines`: those of `document`; null = not known.
  MeasurementMembers(const Json& document, const std::string& file, const JsonLineTable* lines,
                     std::optional<Error>& error)
      : document_(document), file_(file), lines_(lines), error_(error) {}

  /// nullptr if it is absent or null, or `object` is none.
  const Json* find(const Json& object, const char* name) const;
  /// `at`: the value at fault, or the object in which one is missing.
  void refuse(const Json& at, const char* name, const std::string& why);

  std::string text(const Json& object, const char* name, const std::string& fallback = {});
  /// A finite number, or one written as text (nccl-tests writes "root":"    -1"). Without a
  /// fallback it has to be there.
  double number(const Json& object, const char* name, std::optional<double> fallback = {});
  std::int64_t integer(const Json& object, const char* name, std::optional<double> fallback = {});
  int small(const Json& object, const char* name, std::optional<double> fallback = {});
  double positive(const Json& object, const char* name, std::optional<double> fallback = {});
  /// `json` for its elements; none, and refused, where it is no list.
  const Json& list(const Json& json, const char* name);

 private:
  const Json& at(const Json& object, const char* name) const;
  const Json& document_;
  const std::string& file_;
  const JsonLineTable* lines_;
  std::optional<Error>& error_;
};

}  // namespace topolaunch::bench
