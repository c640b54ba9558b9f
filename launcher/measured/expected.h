// SPDX-License-Identifier: Apache-2.0
//
// What a collective reaches on machines like this one, from a table with a source and a date for
// each figure (--expected FILE): columns gpu, hosts, ranks, collective, size_bytes, busbw_GBs,
// source, date. Held against what was measured size by size and on both sides: too fast is a fault
// too (fewer ranks than thought, devices taken twice, a clock that lies). Never an average over
// sizes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bench/measurement.h"
#include "launcher/verdict.h"

namespace topolaunch::launcher {

struct ExpectedFigure {
  std::string gpu;  ///< part of the device's model, "H100"; "cpu" for host memory; empty = any
  int hosts = 0, ranks = 0;  ///< 0 = any
  std::string collective = "allreduce";
  std::int64_t size = 0;     ///< bytes
  double busbw = 0;          ///< bytes/s
  std::string source, date;  ///< a figure without a date is a lead and decides nothing
};

/// invalid_input with the line at fault.
Result<std::vector<ExpectedFigure>> expected_from_csv(std::string_view text,
                                                      const std::string& file);

/// How far sound machines of one make lie apart at a size: 10 % from 1 GiB on, 50 % up to 64 MiB,
/// and between them by the logarithm. (What clusters report for 16 GiB stays within 10 %; at 1 to
/// 64 MiB the same code differs by up to 2x between fabrics.)
double allowed_deviation(std::int64_t bytes);

/// Inside the band, below or above it, in words; `source` and date with it.
Check speed_check(const std::string& name, std::int64_t size, double busbw, double expected,
                  const std::string& source, bool decides);

/// A check for each size that the table has a figure for; empty where it has none for these
/// devices.
std::vector<Check> check_expected(const bench::Measurement& measurement,
                                  const std::vector<ExpectedFigure>& figures);

}  // namespace topolaunch::launcher
