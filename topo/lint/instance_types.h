// SPDX-License-Identifier: Apache-2.0
//
// How many GPUs an EC2 or SageMaker instance type has.
#pragma once

#include <optional>
#include <string_view>

namespace topolaunch::topo {

/// "p5.48xlarge", "ml.p5.48xlarge" -> 8. Nothing for a type that the table doesn't hold.
std::optional<int> gpus_of_instance_type(std::string_view type);

}  // namespace topolaunch::topo
