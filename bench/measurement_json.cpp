// SPDX-License-Identifier: Apache-2.0
//
// JSON of a Measurement, both ways. Names, nesting and units are those of nccl-tests 2.19 (-J):
// "time" in microseconds, "alg_bw" and "bus_bw" in GB/s. What nccl-tests doesn't have carries its
// unit in its name: p50_seconds, raw_seconds.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench/collective.h"
#include "bench/measurement.h"

namespace topolaunch::bench {
namespace {

constexpr const char* kSchema = "topolaunch.bench/1";

Json timing_json(const Timing& t) {
  Json json{{"time", t.time.count() * 1e6},       {"alg_bw", t.algbw / 1e9},
            {"bus_bw", t.busbw / 1e9},            {"nwrong", t.wrong},
            {"p50_seconds", t.p50.count()},       {"p99_seconds", t.p99.count()},
            {"minimum_seconds", t.minimum.count()}, {"maximum_seconds", t.maximum.count()}};
  json["raw_seconds"] = t.raw;
  return json;
}

Json results_json(const std::vector<SizeResult>& results) {
  Json list = Json::array();
  for (const SizeResult& r : results) {
    list.push_back({{"size", r.size}, {"count", r.count}, {"type", r.type}, {"redop", r.redop},
                    {"root", r.root}, {"out_of_place", timing_json(r.out_of_place)},
                    {"in_place", timing_json(r.in_place)}});
    if (r.estimate.count() > 0) list.back()["estimate_seconds"] = r.estimate.count();
  }
  return list;
}

/// Reads members of one object; the first failure stays, later calls return defaults.
class Reader {
 public:
  Reader(const std::string& file, std::optional<Error>& error) : file_(file), error_(error) {}

  const Json* find(const Json& object, const char* name) const {
    if (!object.is_object()) return nullptr;
    const auto it = object.find(name);
    return it == object.end() || it->is_null() ? nullptr : &*it;
  }
  void refuse(const std::string& where, const std::string& why) {
    if (!error_) error_ = Error{Code::invalid_input, where + " " + why, {}, file_, 0};
  }
  std::string text(const Json& object, const char* name, const std::string& fallback = {}) {
    const Json* v = find(object, name);
    if (v == nullptr) return fallback;
    if (!v->is_string()) return refuse(quoted(name), "isn't text"), fallback;
    return v->get<std::string>();
  }
  /// A finite number, or one written as text (nccl-tests writes "root":"    -1").
  double number(const Json& object, const char* name, std::optional<double> fallback = {}) {
    const Json* v = find(object, name);
    if (v == nullptr) {
      if (!fallback) refuse(quoted(name), "is missing");
      return fallback.value_or(0);
    }
    std::optional<double> number;
    if (v->is_number()) number = v->get<double>();
    if (v->is_string()) {
      const std::string written = v->get<std::string>();
      char* end = nullptr;
      const double parsed = std::strtod(written.c_str(), &end);
      if (!written.empty() && *end == '\0') number = parsed;
    }
    if (!number || !std::isfinite(*number)) return refuse(quoted(name), "isn't a number"), 0;
    return *number;
  }
  std::int64_t integer(const Json& object, const char* name, std::optional<double> fallback = {}) {
    const double v = number(object, name, fallback);
    if (v != std::floor(v) || std::abs(v) > 9e15) return refuse(quoted(name), "isn't a whole number"), 0;
    return static_cast<std::int64_t>(v);
  }
  int small(const Json& object, const char* name, std::optional<double> fallback = {}) {
    const std::int64_t v = integer(object, name, fallback);
    if (std::abs(v) > std::numeric_limits<int>::max()) return refuse(quoted(name), "is too large"), 0;
    return static_cast<int>(v);
  }
  double positive(const Json& object, const char* name, std::optional<double> fallback = {}) {
    const double v = number(object, name, fallback);
    if (v < 0) return refuse(quoted(name), "is negative"), 0;
    return v;
  }
  static std::string quoted(const char* name) { return std::string("\"") + name + "\""; }

 private:
  const std::string& file_;
  std::optional<Error>& error_;
};

Timing timing_from(Reader& r, const Json& result, const char* name) {
  Timing t;
  const Json* json = r.find(result, name);
  if (json == nullptr || !json->is_object()) return r.refuse(Reader::quoted(name), "is missing"), t;
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
    if (!raw->is_array()) return r.refuse("\"raw_seconds\"", "isn't a list"), t;
    for (const Json& v : *raw) {
      if (!v.is_number()) return r.refuse("\"raw_seconds\"", "holds something that isn't a number"), t;
      t.raw.push_back(v.get<double>());
    }
  }
  return t;
}

std::vector<SizeResult> results_from(Reader& r, const Json& list, const std::optional<Error>& error) {
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

GroupResult group_from(Reader& r, const Json& json, const std::optional<Error>& error) {
  GroupResult g;
  g.axis = r.text(json, "axis");
  g.index = r.small(json, "index");
  const Json* ranks = r.find(json, "ranks");
  const Json* results = r.find(json, "results");
  if (ranks == nullptr || !ranks->is_array() || results == nullptr || !results->is_array()) {
    r.refuse("\"groups\"", "hold one without \"ranks\" and \"results\"");
    return g;
  }
  for (const Json& rank : *ranks) {
    if (!rank.is_number_integer()) return r.refuse("\"ranks\"", "isn't a list of ranks"), g;
    g.ranks.push_back(rank.get<int>());
  }
  g.results = results_from(r, *results, error);
  return g;
}

Device device_from(Reader& r, const Json& json) {
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

}  // namespace

Json to_json(const Measurement& m) {
  const Configuration& c = m.configuration;
  Json devices = Json::array();
  for (const Device& d : m.devices) {
    devices.push_back({{"rank", d.rank}, {"group", 0}, {"pid", d.pid}, {"hostname", d.host},
                       {"device", d.index}, {"device_hex", d.device}, {"device_info", d.info},
                       {"local_rank", d.local_rank}, {"cpus", d.cpus}});
    if (!d.leaf.empty()) devices.back()["leaf"] = d.leaf;
  }
  Json placement = Json::array();
  for (const Device& d : m.devices) {
    placement.push_back({{"rank", d.rank}, {"host", d.host}, {"local_rank", d.local_rank},
                         {"gpu", d.device == "cpu" ? Json(nullptr) : Json(d.device)},
                         {"cpus", d.cpus}});
  }
  Json json;
  json["schema"] = kSchema;
  json["version"] = 3;  // of nccl-tests' JSON whose names these are
  json["start_time"] = m.start_time;
  json["args"] = m.arguments;
  json["collective"] = m.collective;
  json["backend"] = m.backend;
  json["backend_version"] = m.backend_version;
  json["backend_why"] = m.backend_why;
  json["ranks"] = m.ranks;
  json["hosts"] = m.hosts;
  json["config"] = {{"minimum_bytes", c.minimum_bytes}, {"maximum_bytes", c.maximum_bytes},
                    {"step_bytes", c.step_bytes}, {"step_factor", c.step_factor},
                    {"warmup_iters", c.warmup_iterations}, {"iterations", c.iterations},
                    {"validation", c.check_iterations}, {"devices", std::move(devices)}};
  json["placement"] = std::move(placement);
  json["results"] = results_json(m.results);
  if (!m.groups.empty()) {
    json["groups"] = Json::array();
    for (const GroupResult& g : m.groups) {
      json["groups"].push_back({{"axis", g.axis}, {"index", g.index}, {"ranks", g.ranks},
                                {"results", results_json(g.results)}});
    }
  }
  if (m.pairs) json["pairs"] = to_json(*m.pairs);
  if (!m.gpus.empty()) {
    json["gpus"] = Json::array();
    for (const GpuRecord& gpu : m.gpus) json["gpus"].push_back(to_json(gpu));
  }
  json["out_of_bounds"] = {{"count", m.wrong}, {"okay", m.wrong == 0}};
  if (!m.wrong_by_rank.empty()) json["out_of_bounds"]["by_rank"] = m.wrong_by_rank;
  json["average_bus_bandwidth"] = {{"bandwidth", m.average_busbw / 1e9}, {"okay", "unchecked"}};
  json["elapsed_seconds"] = m.elapsed.count();
  json["notes"] = m.notes;
  json["end_time"] = m.end_time;
  return json;
}

Result<Measurement> measurement_from_json(const Json& json, const std::string& file) {
  std::optional<Error> error;
  Reader r(file, error);
  Measurement m;
  const bool ours = r.find(json, "schema") != nullptr;
  if (ours && r.text(json, "schema") != kSchema) {
    return fail(Error{Code::invalid_input, "schema is not \"" + std::string(kSchema) + "\"",
                      "topobench --json FILE writes it", file, 0});
  }
  const Json* results = r.find(json, "results");
  const Json* config = r.find(json, "config");
  if (results == nullptr || !results->is_array() || config == nullptr || !config->is_object()) {
    return fail(Error{Code::invalid_input, "not a measurement: no \"config\" and \"results\"",
                      "topobench --json FILE and nccl-tests -J FILE write one", file, 0});
  }
  const auto texts = [&](const char* name, std::vector<std::string>& into) {
    const Json* list = r.find(json, name);
    if (list == nullptr) return;
    if (!list->is_array()) return r.refuse(Reader::quoted(name), "isn't a list");
    for (const Json& v : *list) {
      if (!v.is_string()) return r.refuse(Reader::quoted(name), "holds something that isn't text");
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
    const int v = r.small(json, "nccl_version");  // 22809 = 2.28.9, as ncclGetVersion counts
    m.backend_version = std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." +
                        std::to_string(v % 100);
  }
  m.collective = r.text(json, "collective", "allreduce");
  if (!ours && !m.arguments.empty()) {
    // nccl-tests says the collective in its program's name only: ".../all_gather_perf".
    std::string program = m.arguments.front();
    program.erase(0, program.rfind('/') == std::string::npos ? 0 : program.rfind('/') + 1);
    if (program.ends_with("_perf")) program.resize(program.size() - 5);
    if (const auto collective = collective_named(program)) {
      m.collective = name_of(*collective);
    } else if (bus_factor(program, 2) > 0) {
      m.collective = program;  // gather, scatter: read, not measured here
    }
  }
  const Json* devices = r.find(*config, "devices");
  if (devices == nullptr) devices = r.find(json, "devices");
  if (devices != nullptr) {
    if (!devices->is_array()) r.refuse("\"devices\"", "isn't a list");
    for (const Json& device : *devices) m.devices.push_back(device_from(r, device));
  }
  m.ranks = r.small(json, "ranks", static_cast<double>(m.devices.size()));
  m.hosts = r.small(json, "hosts", count_hosts(m.devices));
  Configuration& c = m.configuration;
  c.minimum_bytes = r.integer(*config, "minimum_bytes", 0.0);
  c.maximum_bytes = r.integer(*config, "maximum_bytes", 0.0);
  c.step_bytes = r.integer(*config, "step_bytes", 0.0);
  c.step_factor = r.small(*config, "step_factor", 0.0);
  c.warmup_iterations = r.small(*config, "warmup_iters", 0.0);
  c.iterations = r.small(*config, "iterations", 0.0);
  c.check_iterations = r.small(*config, "validation", 0.0);
  m.results = results_from(r, *results, error);
  if (const Json* groups = r.find(json, "groups")) {
    if (!groups->is_array()) r.refuse("\"groups\"", "isn't a list");
    for (const Json& group : *groups) m.groups.push_back(group_from(r, group, error));
  }
  if (const Json* pairs = r.find(json, "pairs")) {
    auto matrix = pairs_from_json(*pairs, file);
    if (!matrix) return fail(std::move(matrix).error());
    m.pairs = std::move(*matrix);
  }
  if (const Json* gpus = r.find(json, "gpus"); ours && gpus != nullptr) {
    if (!gpus->is_array()) r.refuse("\"gpus\"", "isn't a list");
    for (const Json& gpu : *gpus) {
      auto record = gpu_record_from_json(gpu, file);
      if (!record) return fail(std::move(record).error());
      m.gpus.push_back(std::move(*record));
    }
  }
  if (const Json* bounds = r.find(json, "out_of_bounds")) {
    if (const Json* by_rank = r.find(*bounds, "by_rank")) {
      if (!by_rank->is_array()) r.refuse("\"by_rank\"", "isn't a list");
      for (const Json& v : *by_rank) {
        if (!v.is_number_integer()) r.refuse("\"by_rank\"", "holds something that is no count");
        m.wrong_by_rank.push_back(v.is_number_integer() ? v.get<std::int64_t>() : 0);
      }
    }
  }
  m.elapsed = Seconds(r.positive(json, "elapsed_seconds", 0.0));
  if (error) return fail(std::move(*error));
  summarise(m);
  return m;
}

}  // namespace topolaunch::bench
