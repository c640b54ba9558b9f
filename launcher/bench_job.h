// SPDX-License-Identifier: Apache-2.0
//
// topobench as a job on a plan's placement: the same ranks on the same GPUs and CPUs. It is an MPI
// program, so an engine that gives no MPI is replaced by mpirun for it; the plan is the same.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/outside.h"
#include "bench/measurement.h"
#include "launcher/plan.h"
#include "quota/hold.h"

namespace topolaunch::launcher {

/// A measurement that a grant pays for, like a run.
struct BenchCharge {
  quota::RunHold* hold = nullptr;
  std::optional<Result<std::int64_t>> charged;  ///< GPU-seconds; nothing = never started
};

struct BenchWish {
  std::vector<std::string> arguments;  ///< topobench's own
  std::optional<std::string> input;    ///< what its rank 0 reads
  Seconds limit{60};
  /// Its table on stdout, which only a placement on this host can have; else nobody hears it.
  bool show_table = false;
  std::string json_file;  ///< where the measurement goes then
  /// Every ten seconds, with what it has come to ("up to 8 MiB"; empty = nothing yet).
  std::function<void(Seconds elapsed, const std::string& reached)> progress;
  std::string nccl_topology;  ///< where NCCL writes the machine that it sees; empty = nowhere
  BenchCharge* charge = nullptr;       ///< null = nobody pays, or the run that it belongs to does
};

/// $TOPOLAUNCH_TOPOBENCH, beside this program, in the build tree, or in PATH; unavailable (69).
Result<std::string> find_topobench(const Outside& outside);

/// `plan` with topobench for its command.
Result<Plan> bench_plan(const Plan& plan, const BenchWish& wish, const Outside& outside);

/// What a table of topobench's has come to: "up to 8 MiB".
std::string reached_by(std::string_view table);

/// topobench with `arguments` alone on the plan's placement; the document that its rank 0 prints.
/// It comes through the engine, as rank 0 may be on another host. could_not_test (81) as for
/// measure(), and where there is none.
Result<Json> topobench_document(const Plan& plan, const BenchWish& wish, const Outside& outside);

/// Exit status of what ends because nobody reads its output any more (`| head -1`), 128 + SIGPIPE.
inline constexpr int kNobodyReads = 128 + 13;

/// Runs it and reads the measurement; could_not_test (81) with what topobench said when it fails,
/// wrong_usage (64) where it calls its options wrong, kNobodyReads where its table has no reader.
Result<bench::Measurement> measure(const Plan& plan, const BenchWish& wish,
                                   const Outside& outside);

}  // namespace topolaunch::launcher
