// SPDX-License-Identifier: Apache-2.0
//
// GpuRecord: how a rank's GPU was while it was measured, as NVML told it. It explains a figure: a GPU
// that was too hot, or that another process was using, is no slow link.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/units.h"

namespace topolaunch::bench {

/// What a driver doesn't tell is absent.
struct GpuRecord {
  int rank = 0;
  std::optional<int> busy_before;  ///< percent, by others, when the measurement began
  Seconds waited{0};               ///< for it to become idle
  std::optional<int> sm_clock_lowest, sm_clock_highest, sm_clock_most;  ///< MHz
  std::optional<int> temperature_highest;                               ///< degrees Celsius
  std::vector<std::string> held_back;  ///< reasons seen for a clock below its most, in nvidia-smi's words
};

Json to_json(const GpuRecord& record);
/// invalid_input names the member at fault.
Result<GpuRecord> gpu_record_from_json(const Json& json, const std::string& file);

}  // namespace topolaunch::bench
