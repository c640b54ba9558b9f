// SPDX-License-Identifier: Apache-2.0
//
// A request to SageMaker's CreateTrainingJob, as `aws sagemaker create-training-job
// --cli-input-json` takes it.
#pragma once

#include <string>
#include <vector>

#include "topo/topology.h"

namespace topolaunch::topo {

bool looks_like_training_job(const std::string& text);

/// invalid_input with the line for text that is no JSON object.
Result<std::vector<Warning>> check_training_job(const std::string& text, const std::string& file);

}  // namespace topolaunch::topo
