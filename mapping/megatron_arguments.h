// SPDX-License-Identifier: Apache-2.0
//
// Megatron-LM's arguments, as they stand in a launch script, as a model description. Variables that
// the script sets itself are followed: TP=${TP:-8} ... --tensor-model-parallel-size $TP
#pragma once

#include <string>

#include "mapping/model_fields.h"

namespace topolaunch::mapping {

/// invalid_input with the line: an argument without a value, a variable that the file does not set.
Result<ModelFields> megatron_fields(const std::string& text, const std::string& file);

}  // namespace topolaunch::mapping
