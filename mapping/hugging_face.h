// SPDX-License-Identifier: Apache-2.0
//
// Hugging Face's config.json as a model description: what a transformer is built of, under our
// names. The file says neither batch nor sequence; "model.longest_sequence" is what the model could
// take at most.
#pragma once

#include <string>

#include "mapping/model_fields.h"

namespace topolaunch::mapping {

/// The language model where there are several (text_config). Parameters are counted where layers
/// are not all attention and FFN of one kind: latent attention (DeepSeek), Mamba layers (Jamba),
/// encoder and decoder (T5, BART). invalid_input for text that says no layers or no width.
Result<ModelFields> hugging_face_fields(const std::string& text, const std::string& file);

}  // namespace topolaunch::mapping
