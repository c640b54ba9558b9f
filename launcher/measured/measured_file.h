// SPDX-License-Identifier: Apache-2.0
//
// One file that is offered as a measurement, known by its content: nccl-tests' output, a
// measurement as JSON (topobench's, nccl-tests'), a table of pairs, or something else.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "bench/measurement.h"
#include "bench/nccl_log.h"
#include "launcher/measured/pair_file.h"

namespace topolaunch::launcher {

/// No measurement.
struct OtherFile {
  std::string looks;  ///< "a topology: hwloc XML (lstopo topo.xml)", "is empty"
  Error refusal;      ///< for who has named the file
};

using MeasuredFile =
    std::variant<std::vector<bench::NcclRun>, bench::Measurement, PairFile, OtherFile>;

/// invalid_input with the line for a measurement that is damaged.
Result<MeasuredFile> measured_file(const std::string& text, const std::string& file);

/// For who wants one measurement to hold another against: invalid_input too for a table of pairs,
/// for several runs, and for what is no measurement.
Result<bench::Measurement> one_measurement(const std::string& text, const std::string& file);

}  // namespace topolaunch::launcher
