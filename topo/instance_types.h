// SPDX-License-Identifier: Apache-2.0
//
// Cloud instance types with GPUs: how many, which, and what the host's network carries. For sources
// that know a host by its type alone.
#pragma once

#include <string_view>

#include "base/units.h"

namespace topolaunch::topo {

struct InstanceType {
  std::string_view name;  ///< "p5.48xlarge"
  int gpus;
  std::string_view model;  ///< a word of gpu_models(), or the product where they don't have it
  double gigabits;         ///< of its network, one direction; 0 = not said
  Bandwidth network() const { return Bandwidth::gigabits_per_second(gigabits); }
};

/// nullptr for a type that is not in the table. "ml.p5.48xlarge" (SageMaker) is p5.48xlarge.
const InstanceType* instance_type(std::string_view name);

}  // namespace topolaunch::topo
