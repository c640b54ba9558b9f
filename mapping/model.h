// SPDX-License-Identifier: Apache-2.0
//
// --model FILE: a model description as a rank graph. Three forms, recognised from the content:
//   - TOML, "topolaunch.model/1": [model] [model.moe] [parallel] [batch] [types] [overlap] [bytes];
//   - Hugging Face's config.json (text_config of a model of several modalities): the shape alone;
//   - Megatron-LM's arguments, as in a launch script: --num-layers 32 --hidden-size 4096 ...
// What the file does not say comes from --parallel; what --parallel says wins.
#pragma once

#include <string>

#include "mapping/rank_graph.h"

namespace topolaunch::mapping {

struct ModelRequest {
  std::string parallel, order, bytes;  ///< as on the command line; empty = not said
  int ranks = 0;
};

/// invalid_input with the line of the first value that does not fit, and the others named behind
/// it.
Result<RankGraph> graph_from_model(const std::string& text, const std::string& file,
                                   const ModelRequest& request);

}  // namespace topolaunch::mapping
