// SPDX-License-Identifier: Apache-2.0
//
// A Measurement as JSON, which measurement_from_json.cpp reads. Names, nesting and units are those
// of nccl-tests 2.19 (-J): "time" in microseconds, "alg_bw" and "bus_bw" in GB/s. What nccl-tests
// doesn't have carries its unit in its name: p50_seconds, raw_seconds.
#include <nlohmann/json.hpp>

#include "bench/measurement.h"

namespace topolaunch::bench {
namespace {

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
  json["schema"] = kMeasurementSchema;
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
                    {"validation", c.check_iterations}, {"graph", c.graph ? 1 : 0}, {"devices", std::move(devices)}};
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

}  // namespace topolaunch::bench
