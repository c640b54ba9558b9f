// SPDX-License-Identifier: Apache-2.0
//
// One run of topobench, from the look for GPUs to the written measurement: the ranks are counted,
// then the collective is timed over all of them, then over groups and pairs where these are asked
// for. Prints the table as it comes in.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/environment.h"
#include "bench/measurement.h"
#include "bench/topobench/backend.h"
#include "bench/topobench/census.h"
#include "bench/topobench/deadline.h"
#include "bench/topobench/gpu_watch.h"
#include "bench/topobench/groups.h"
#include "bench/topobench/options.h"
#include "bench/topobench/world.h"

namespace topolaunch::bench {

std::string host_name();

class Session {
 public:
  Session(const World& world, const Options& options, Deadline& deadline,
          const Environment& environment)
      : world_(world), options_(options), deadline_(deadline), environment_(environment) {}

  /// All ranks call it, and get the same answer. A failure that strikes this rank alone inside a
  /// collective ends the process: the others wait for it there.
  Status measure(std::vector<std::string> arguments);

 private:
  Status choose_device();
  Status take_census();
  void watch_gpu();
  Status end_watch();
  Result<std::unique_ptr<Subject>> make_subject(const World& ranks);
  Status find_groups();
  Status measure_groups();
  Status measure_pairs(Subject& subject);
  Status write();
  void print(const std::string& text) const;

  const World& world_;
  const Options& options_;
  Deadline& deadline_;
  const Environment& environment_;
  BackendChoice choice_;
  std::unique_ptr<DevicePort> device_;
  std::vector<Participant> participants_;
  std::unique_ptr<GpuWatch> watch_;
  std::vector<Grouping> groups_;
  Measurement m_;
};

}  // namespace topolaunch::bench
