// SPDX-License-Identifier: Apache-2.0
//
// Measurement: what topobench timed, as a CUDA-free value that the launcher reads. JSON names are
// nccl-tests' where the thing is the same ("topolaunch.bench/1", docs/schema).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/units.h"

namespace topolaunch::bench {

struct Timing {
  Seconds time{0};     ///< median over iterations of the slowest rank
  Seconds p50{0}, p99{0}, minimum{0}, maximum{0};
  double algbw = 0;    ///< bytes/s: size / time
  double busbw = 0;    ///< bytes/s: algbw x factor of the collective (nccl-tests doc/PERFORMANCE)
  std::int64_t wrong = 0;  ///< elements; -1 = not checked
  std::vector<double> raw; ///< seconds per iteration, slowest rank
};

struct SizeResult {
  std::int64_t size = 0, count = 0;  ///< bytes, elements
  std::string type = "float", redop = "sum";
  int root = -1;
  Timing out_of_place, in_place;
};

struct Device {
  int rank = 0, pid = 0;
  std::string host;
  std::string device;  ///< GPU PCI address, or "cpu"
  std::string info;    ///< model, or CPU list
};

struct Measurement {
  std::string collective = "allreduce";
  std::string backend;          ///< "mpi host memory", "nccl 2.28.9"
  std::string backend_version;
  int ranks = 0, hosts = 0;
  std::vector<Device> devices;
  std::vector<SizeResult> results;
  std::int64_t wrong = 0;       ///< elements over all sizes
  double average_busbw = 0;     ///< bytes/s, nccl-tests' footer; never a gate
  Seconds elapsed{0};
};

/// busbw / algbw for n ranks; nccl-tests' factors. 0 for an unknown collective.
double bus_factor(const std::string& collective, int ranks);

Json to_json(const Measurement& measurement);
Result<Measurement> measurement_from_json(const Json& json, const std::string& file);

}  // namespace topolaunch::bench
