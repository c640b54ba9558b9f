// SPDX-License-Identifier: Apache-2.0
//
// A Measurement from its JSON, topobench's or nccl-tests' own.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench/bus_bandwidth.h"
#include "bench/collective.h"
#include "bench/measurement.h"
#include "bench/measurement_members.h"

namespace topolaunch::bench {
namespace {

Timing timing_from(MeasurementMembers& r, const Json& result, const char* name) {
  Timing t;
  const Json* json = r.find(result, name);
  if (json == nullptr || !json->is_object())
    return r.refuse(json == nullptr ? result : *json, name, "is missing, or no object"), t;
  // nccl-tests -C 1 times on the CPU and says so in the name.
  const bool cpu = r.find(*json, "time") == nullptr && r.find(*json, "cpu_time") != nullptr;
  t.time = Seconds(r.positive(*json, cpu ? "cpu_time" : "time") / 1e6);
  t.algbw = r.positive(*json, "alg_bw") * 1e9;
  t.busbw = r.positive(*json, "bus_bw") * 1e9;
  // nccl-tests leaves nwrong out, or writes "N/A", where it checked nothing.
  const Json* wrong = r.find(*json, "nwrong");
  const bool unchecked = wrong == nullptr || (wrong->is_string() && *wrong == "N/A");
  t.wrong = unchecked ? -1 : r.integer(*json, "nwrong");
  t.p50 = Seconds(r.positive(*json, "p50_seconds", t.time.count()));
  t.p99 = Seconds(r.positive(*json, "p99_seconds", 0.0));
  t.minimum = Seconds(r.positive(*json, "minimum_seconds", 0.0));
  t.maximum = Seconds(r.positive(*json, "maximum_seconds", 0.0));
  if (const Json* raw = r.find(*json, "raw_seconds")) {
    for (const Json& v : r.list(*raw, "raw_seconds")) {
      if (!v.is_number())
        return r.refuse(v, "raw_seconds", "holds something that isn't a number"), t;
      t.raw.push_back(v.get<double>());
    }
  }
  return t;
}

std::vector<SizeResult> results_from(MeasurementMembers& r, const Json& list,
                                     const std::optional<Error>& error) {
  std::vector<SizeResult> results;
  for (const Json& entry : list) {
    SizeResult s;
    s.size = r.integer(entry, "size");
    s.count = r.integer(entry, "count");
    s.type = r.text(entry, "type", "float");
    s.redop = r.text(entry, "redop", "sum");
    s.root = r.small(entry, "root", -1.0);
    s.estimate = Seconds(r.positive(entry, "estimate_seconds", 0.0));
    s.out_of_place = timing_from(r, entry, "out_of_place");
    s.in_place = timing_from(r, entry, "in_place");
    results.push_back(std::move(s));
    if (error) break;
  }
  return results;
}

GroupResult group_from(MeasurementMembers& r, const Json& json, const std::optional<Error>& error) {
  GroupResult g;
  g.axis = r.text(json, "axis");
  g.index = r.small(json, "index");
  const Json* ranks = r.find(json, "ranks");
  const Json* results = r.find(json, "results");
  if (ranks == nullptr || !ranks->is_array() || results == nullptr || !results->is_array()) {
    r.refuse(json, "groups", "hold one without \"ranks\" and \"results\"");
    return g;
  }
  for (const Json& rank : *ranks) {
    if (!rank.is_number_integer()) return r.refuse(rank, "ranks", "isn't a list of ranks"), g;
    g.ranks.push_back(rank.get<int>());
  }
  g.results = results_from(r, *results, error);
  return g;
}

Device device_from(MeasurementMembers& r, const Json& json) {
  Device d;
  d.rank = r.small(json, "rank");
  d.pid = r.small(json, "pid", 0.0);
  d.host = r.text(json, "hostname");
  d.index = r.small(json, "device", -1.0);
  d.device = r.text(json, "device_hex");
  d.info = r.text(json, "device_info");
  d.local_rank = r.small(json, "local_rank", 0.0);
  d.cpus = r.text(json, "cpus");
  d.leaf = r.text(json, "leaf");
  return d;
}

int count_hosts(const std::vector<Device>& devices) {
  std::vector<std::string> hosts;
  for (const Device& d : devices) {
    if (std::find(hosts.begin(), hosts.end(), d.host) == hosts.end()) hosts.push_back(d.host);
  }
  return static_cast<int>(hosts.size());
}

/// nccl-tests says the collective in its program's name only: ".../all_gather_perf".
std::string collective_of_program(const std::string& path) {
  std::string program = path.substr(path.find_last_of('/') + 1);
  if (program.ends_with("_perf")) program.resize(program.size() - 5);
  if (const auto collective = collective_named(program)) return name_of(*collective);
  return bus_factor(program, 2) > 0 ? program : std::string();  // gather, scatter: only read
}

std::string version_words(int version) {  // 22809 = 2.28.9, as ncclGetVersion counts
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

void read_origin(MeasurementMembers& r, const Json& json, Measurement& m) {
  const bool ours = r.find(json, "schema") != nullptr;
  const auto texts = [&](const char* name, std::vector<std::string>& into) {
    const Json* const list = r.find(json, name);
    if (list == nullptr) return;
    for (const Json& v : r.list(*list, name)) {
      if (!v.is_string()) return r.refuse(v, name, "holds something that isn't text");
      into.push_back(v.get<std::string>());
    }
  };
  texts("args", m.arguments);
  texts("notes", m.notes);
  m.start_time = r.text(json, "start_time");
  m.end_time = r.text(json, "end_time");
  m.backend = r.text(json, "backend", "nccl");
  m.backend_version = r.text(json, "backend_version");
  m.backend_why = r.text(json, "backend_why", ours ? "" : "nccl-tests");
  if (m.backend_version.empty() && r.find(json, "nccl_version") != nullptr) {
    m.backend_version = version_words(r.small(json, "nccl_version"));
  }
  m.collective = r.text(json, "collective", "allreduce");
  if (ours || m.arguments.empty()) return;
  const std::string named = collective_of_program(m.arguments.front());
  if (!named.empty()) m.collective = named;
}

void read_configuration(MeasurementMembers& r, const Json& config, Configuration& c) {
  c.minimum_bytes = r.integer(config, "minimum_bytes", 0.0);
  c.maximum_bytes = r.integer(config, "maximum_bytes", 0.0);
  c.step_bytes = r.integer(config, "step_bytes", 0.0);
  c.step_factor = r.small(config, "step_factor", 0.0);
  c.warmup_iterations = r.small(config, "warmup_iters", 0.0);
  c.iterations = r.small(config, "iterations", 0.0);
  c.check_iterations = r.small(config, "validation", 0.0);
  c.graph = r.small(config, "graph", 0.0) > 0;
}

void read_devices(MeasurementMembers& r, const Json& json, const Json& config, Measurement& m) {
  const Json* devices = r.find(config, "devices");
  if (devices == nullptr) devices = r.find(json, "devices");
  if (devices != nullptr) {
    for (const Json& one : r.list(*devices, "devices")) m.devices.push_back(device_from(r, one));
  }
  m.ranks = r.small(json, "ranks", static_cast<double>(m.devices.size()));
  m.hosts = r.small(json, "hosts", count_hosts(m.devices));
}

/// invalid_input as gpu_record_from_json() says it, with the line.
Status read_gpus(MeasurementMembers& r, const Json& json, const std::string& file,
                 const JsonLineTable* lines, std::vector<GpuRecord>& into) {
  const Json* const gpus = r.find(json, "gpus");
  if (gpus == nullptr || r.find(json, "schema") == nullptr) return {};
  for (const Json& gpu : r.list(*gpus, "gpus")) {
    auto record = gpu_record_from_json(gpu, file);
    if (!record) {
      if (lines != nullptr) record.error().line = lines->of(json, gpu);
      return fail(std::move(record).error());
    }
    into.push_back(std::move(*record));
  }
  return {};
}

/// nccl-tests' own totals, of which numbers and truth values may be text.
void read_totals(MeasurementMembers& r, const Json& json, Measurement& m) {
  if (r.find(json, "schema") != nullptr) return;
  const Json* const bounds = r.find(json, "out_of_bounds");
  m.ended = bounds != nullptr || r.find(json, "average_bus_bandwidth") != nullptr;
  if (bounds == nullptr || !bounds->is_object()) return;
  const Json* const okay = r.find(*bounds, "okay");
  const Json* const count = r.find(*bounds, "count");
  m.said_wrong = (okay != nullptr && (*okay == Json(false) || *okay == Json("false"))) ||
                 (count != nullptr && count->is_number() && count->get<double>() > 0);
}

void read_wrong_by_rank(MeasurementMembers& r, const Json& json, std::vector<std::int64_t>& into) {
  const Json* const bounds = r.find(json, "out_of_bounds");
  const Json* const by_rank = bounds == nullptr ? nullptr : r.find(*bounds, "by_rank");
  if (by_rank == nullptr) return;
  for (const Json& v : r.list(*by_rank, "by_rank")) {
    if (!v.is_number_integer()) return r.refuse(v, "by_rank", "holds something that is no count");
    into.push_back(v.get<std::int64_t>());
  }
}

}  // namespace

Result<Measurement> measurement_from_json(const Json& json, const std::string& file,
                                          const JsonLineTable* lines) {
  std::optional<Error> error;
  MeasurementMembers r(json, file, lines, error);
  Measurement m;
  if (r.find(json, "schema") != nullptr && r.text(json, "schema") != kMeasurementSchema) {
    return fail(Error{Code::invalid_input,
                      "schema is not \"" + std::string(kMeasurementSchema) + "\"",
                      "topobench --json FILE writes it", file, 0});
  }
  const Json* results = r.find(json, "results");
  const Json* config = r.find(json, "config");
  if (results == nullptr || !results->is_array() || config == nullptr || !config->is_object()) {
    return fail(Error{Code::invalid_input, "not a measurement: no \"config\" and \"results\"",
                      "topobench --json FILE and nccl-tests -J FILE write one", file, 0});
  }
  read_origin(r, json, m);
  read_devices(r, json, *config, m);
  read_configuration(r, *config, m.configuration);
  m.results = results_from(r, *results, error);
  if (const Json* groups = r.find(json, "groups")) {
    for (const Json& group : r.list(*groups, "groups"))
      m.groups.push_back(group_from(r, group, error));
  }
  if (const Json* pairs = r.find(json, "pairs")) {
    auto matrix = pairs_from_json(*pairs, file);
    if (!matrix) {
      if (lines != nullptr) matrix.error().line = lines->of(json, *pairs);
      return fail(std::move(matrix).error());
    }
    m.pairs = std::move(*matrix);
  }
  if (Status gpus = read_gpus(r, json, file, lines, m.gpus); !gpus) {
    return fail(std::move(gpus).error());
  }
  read_wrong_by_rank(r, json, m.wrong_by_rank);
  read_totals(r, json, m);
  m.elapsed = Seconds(r.positive(json, "elapsed_seconds", 0.0));
  if (error) return fail(std::move(*error));
  summarise(m);
  return m;
}

Result<Measurement> measurement_from_text(std::string_view text, const std::string& file) {
  JsonLineTable lines;
  auto json = parse_json(text, file, {}, &lines);
  if (!json) return fail(std::move(json).error());
  return measurement_from_json(*json, file, &lines);
}

}  // namespace topolaunch::bench
