// SPDX-License-Identifier: Apache-2.0
//
// The three forms of a model description as named fields, under the names of our own
// ("model.layers").
#pragma once

#include <map>
#include <string>

#include "base/result.h"

namespace topolaunch::mapping {

struct ModelField {
  std::string value;  ///< numbers and truth values as text
  int line = 0;
  std::string written;  ///< what the file calls it
};
using ModelFields = std::map<std::string, ModelField>;

/// invalid_input for text that is none of the three, or holds a name that its form has not.
Result<ModelFields> model_fields(const std::string& text, const std::string& file);

}  // namespace topolaunch::mapping
