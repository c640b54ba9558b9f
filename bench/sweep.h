// SPDX-License-Identifier: Apache-2.0
//
// The message sizes of a sweep, as nccl-tests' -b, -e, -f and -i say them.
//
//   sweep_sizes({.minimum = Bytes(8), .maximum = Bytes::mib(32), .factor = 2}, 4)  -> 8, 16, ... 32 Mi
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace topolaunch::bench {

struct Sweep {
  Bytes minimum{8}, maximum = Bytes::mib(32);
  int factor = 2;  ///< each size is the last one times this; not used where `step` is set
  Bytes step{0};   ///< each size is the last one plus this; 0 = by factor
};

inline constexpr std::size_t kMostSizes = 100'000;  ///< more is a typing mistake

/// Sizes in bytes, rising, each cut down to whole elements of `element` bytes (a size below one
/// element is one element; sizes that become equal appear once). wrong_usage where the range is
/// empty or never ends.
Result<std::vector<std::int64_t>> sweep_sizes(const Sweep& sweep, std::int64_t element);

}  // namespace topolaunch::bench
