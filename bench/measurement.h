// SPDX-License-Identifier: Apache-2.0
//
// Measurement: what topobench timed, as a CUDA-free value that the launcher reads. JSON names are
// nccl-tests' where the thing is the same ("topolaunch.bench/1", docs/schema).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/units.h"
#include "bench/bus_bandwidth.h"
#include "bench/gpu_record.h"
#include "bench/pair_matrix.h"

namespace topolaunch::bench {

struct Timing {
  Seconds time{0};  ///< median over iterations of the slowest rank, if no note says another
  Seconds p50{0}, p99{0}, minimum{0}, maximum{0};
  double algbw = 0;  ///< bytes/s: size / time
  double busbw = 0;  ///< bytes/s: algbw x factor of the collective (nccl-tests doc/PERFORMANCE)
  std::int64_t wrong = 0;   ///< elements; -1 = not checked
  std::vector<double> raw;  ///< seconds per iteration, slowest rank
};

struct SizeResult {
  std::int64_t size = 0, count = 0;  ///< bytes, elements
  std::string type = "float", redop = "sum";
  int root = -1;
  Seconds estimate{0};  ///< the library's own (ncclGroupSimulateEnd), out of place; 0 = none
  Timing out_of_place, in_place;
};

struct Device {
  int rank = 0, pid = 0;
  std::string host;
  std::string device;  ///< GPU PCI address, or "cpu"
  std::string info;    ///< model, or CPU list
  int index = -1;      ///< CUDA's number of the GPU in that process; -1 = no GPU
  int local_rank = 0;  ///< among the ranks on its host
  std::string cpus;    ///< CPUs that the rank was allowed, as a list
  std::string leaf;    ///< leaf switch of the host, if the launcher knew it
};

/// One of the groups that were measured side by side along an axis, such as all ranks of a host.
struct GroupResult {
  std::string axis;        ///< "tp", "host", "leaf", "rail"
  int index = 0;           ///< among the groups of that axis
  std::vector<int> ranks;  ///< of the world, in the group's order
  std::vector<SizeResult> results;
};

/// What topobench was asked to do; bytes and counts.
struct Configuration {
  std::int64_t minimum_bytes = 0, maximum_bytes = 0, step_bytes = 0;
  int step_factor = 0;  ///< not used where step_bytes is set
  int warmup_iterations = 0, iterations = 0, check_iterations = 0;
  bool graph = false;  ///< NCCL through CUDA graphs
};

struct Measurement {
  std::string collective = "allreduce";
  std::string backend;          ///< "mpi host memory", "own ring over mpi, host memory", "nccl"
  std::string backend_version;  ///< "Open MPI 4.1.4", "2.28.9"
  std::string backend_why;      ///< why that one: "no GPU seen (...)", "asked for"
  std::string start_time, end_time;    ///< ISO 8601, UTC
  std::vector<std::string> arguments;  ///< topobench's command line
  std::vector<std::string> notes;      ///< what a reader of the figures should know
  Configuration configuration;
  int ranks = 0, hosts = 0;
  std::vector<Device> devices;
  std::vector<GpuRecord> gpus;      ///< by rank; empty where none was measured or NVML tells nothing
  std::vector<SizeResult> results;  ///< of all ranks together
  std::vector<GroupResult> groups;  ///< by axis, then index
  std::optional<PairMatrix> pairs;
  std::int64_t wrong = 0;    ///< elements over all sizes; -1 = nothing was checked
  std::vector<std::int64_t> wrong_by_rank;  ///< of the collective; empty = not told, or none
  double average_busbw = 0;  ///< bytes/s, nccl-tests' footer; never a gate
  /// nccl-tests' JSON: false without the totals that it closes with.
  bool ended = true;
  bool said_wrong = false;  ///< its totals say that elements were wrong
  Seconds elapsed{0};
};

/// True if any size was measured on a GPU (its devices have PCI addresses).
bool on_gpus(const Measurement& measurement);

/// Fills `wrong` from all that was measured, and `average_busbw` from the results. The average is
/// nccl-tests' footer, the mean over all sizes and both placements.
void summarise(Measurement& measurement);

inline constexpr const char* kMeasurementSchema = "topolaunch.bench/1";

Json to_json(const Measurement& measurement);

/// Reads topobench's JSON, and what nccl-tests 2.19 writes with -J (which has no "schema", numbers
/// as text in places, and no p50, p99 or raw times). invalid_input names the member at fault,
/// and its line where `lines` are those of the whole `json`.
Result<Measurement> measurement_from_json(const Json& json, const std::string& file,
                                          const JsonLineTable* lines = nullptr);
Result<Measurement> measurement_from_text(std::string_view text, const std::string& file);

}  // namespace topolaunch::bench
