// SPDX-License-Identifier: Apache-2.0
//
// YAML of what is read as JSON: `kubectl get nodes -o yaml` and `aws ec2 ... --output yaml` print the
// same documents.
#pragma once

#include <string_view>
#include <vector>

#include "topo/format.h"

namespace topolaunch::topo {

/// Whether the first member is one with which those documents begin ("apiVersion:", "Instances:").
bool looks_like_json_in_yaml(std::string_view body);

/// Several documents (`---`) count as a list of them. invalid_input with the line for what is no
/// YAML, has a key twice in one mapping, stands deeper than 100 levels, is repeated by aliases beyond 4,000,000 values, or is
/// larger than 16 MiB, for which JSON is the faster way.
Result<std::vector<Fact>> facts_from_json_in_yaml(const GivenText& given);

}  // namespace topolaunch::topo
