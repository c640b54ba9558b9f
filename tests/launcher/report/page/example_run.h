// SPDX-License-Identifier: Apache-2.0
//
// A saved run made up in memory: one rank a GPU of a machine, groups of eight, a measurement with
// pairs of which one is slow, and names that would be markup if they could.
#pragma once

#include <fmt/format.h>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "launcher/saved_run.h"
#include "tests/topo/draw/sheets.h"

namespace topolaunch::launcher::page {

inline const std::string kEvil =
    "</title><script>alert('x')</script><img src=x onerror=alert(1)>\"'";

inline Json matrix(std::size_t n, double usual, double odd) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < n; ++i) {
    Json row = Json::array();
    for (std::size_t k = 0; k < n; ++k) {
      if (i == k)
        row.push_back(nullptr);
      else
        row.push_back(i == 1 && k == 2 ? odd
                                       : usual * (1 + 0.01 * static_cast<double>((i + k) % 5)));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

inline SavedRun example_run(const std::string& spec, const std::string& evil = "") {
  SavedRun run;
  run.folder = "/runs/1" + evil;
  run.topology = topo::draw::machine(spec);
  run.plan.id = "01970000-0000-7000-8000-000000000001" + evil;
  run.plan.engine = "mpirun";
  run.plan.engine_why = "several hosts" + evil;
  run.plan.command = {"python", "train.py" + evil};
  run.plan.working_directory = "/home/a";
  int rank = 0;
  for (topo::Host& host : run.topology->hosts) {
    host.name += evil;
    run.plan.hosts.push_back(host.name);
    for (const topo::Gpu& gpu : host.gpus) {
      RankPlan one;
      one.rank = rank;
      one.host = host.name;
      one.gpu_index = gpu.index;
      one.local_rank = gpu.index;
      one.gpu_pci = gpu.pci ? gpu.pci->text() : "";
      one.note = evil;
      one.nics = {"mlx5_0" + evil};
      one.environment = {{"TOPOLAUNCH_TP_RANK", std::to_string(rank % 8)},
                         {"TOPOLAUNCH_TP_SIZE", "8"},
                         {"TOPOLAUNCH_DP_RANK", std::to_string(rank / 8)},
                         {"TOPOLAUNCH_DP_SIZE", std::to_string(run.topology->hosts.size())}};
      run.plan.ranks.push_back(std::move(one));
      ++rank;
    }
  }
  Check good{"ranks", Outcome::pass, "16 of 16 ranks", "each rank reports once", "plan", ""};
  Check bad{"busbw",    Outcome::fail,           "90 GB/s",
            "370 GB/s", "a figure, 2026" + evil, "host3 nic 2" + evil};
  run.verdict = Verdict{{good, bad}};
  bench::Measurement measured;
  measured.backend = "nccl" + evil;
  measured.backend_version = "2.28.9";
  measured.ranks = rank;
  measured.hosts = static_cast<int>(run.plan.hosts.size());
  for (int i = 0; i < rank; ++i) {
    bench::Device device;
    device.rank = i;
    device.host = "h";
    device.device = "0000:11:00.0";
    device.index = i % 8;
    measured.devices.push_back(device);
  }
  for (std::int64_t size = 1 << 20; size <= (std::int64_t{1} << 30); size *= 4) {
    bench::SizeResult result;
    result.size = size;
    result.count = size / 4;
    const double seconds = 30e-6 + static_cast<double>(size) / 190e9;
    result.out_of_place = {Seconds(seconds),
                           Seconds(seconds),
                           Seconds(seconds * 1.2),
                           Seconds(seconds * 0.97),
                           Seconds(seconds * 1.3),
                           static_cast<double>(size) / seconds,
                           1.9 * static_cast<double>(size) / seconds,
                           0,
                           {}};
    result.in_place = result.out_of_place;
    measured.results.push_back(result);
  }
  Json raw = to_json(measured);
  raw["pairs"] = {
      {"ranks", Json::array()},
      {"size_bytes", 1 << 26},
      {"concurrent_bytes_per_second", matrix(static_cast<std::size_t>(rank), 45e9, 11e9)},
      {"latency_seconds", matrix(static_cast<std::size_t>(rank), 6e-6, 30e-6)}};
  for (int i = 0; i < rank; ++i) raw["pairs"]["ranks"].push_back(i);
  raw["groups"] = Json::array();
  for (int i = 0; i < 4; ++i) {
    raw["groups"].push_back(
        {{"axis", "tp" + evil},
         {"index", i},
         {"ranks", {0, 1, 2, 3, 4, 5, 6, 7}},
         {"results",
          {{{"size", 1 << 26}, {"out_of_place", {{"p50_seconds", i == 3 ? 4e-3 : 1e-3}}}}}}});
  }
  run.measurement = measured;
  run.raw_measurement = std::make_shared<const Json>(raw);
  run.summary =
      std::make_shared<const Json>(Json{{"elapsed_seconds", 12.5},
                                        {"quota",
                                         {{"text", "12 of 60 held GPU-seconds charged" + evil},
                                          {"mode", "advisory"},
                                          {"team", "t" + evil}}}});
  run.manifest = std::make_shared<const Json>(
      Json{{"topolaunch", "0.1.0"},
           {"who", {{"user", "ada" + evil}}},
           {"when", {{"started", 1.7e9}}},
           {"what", {{"typed", {"-n", "16", "--", "python", "train.py" + evil}}}},
           {"placement",
            {{"graph", "--parallel tp=8" + evil},
             {"estimate_seconds", 0.01},
             {"given_seconds", 0.02},
             {"model", "nccl 2.28.9"},
             {"sha256", "abc"},
             {"phases",
              {{{"dimension", "dp" + evil},
                {"groups", 8},
                {"ranks", 2},
                {"bytes", 1 << 20},
                {"seconds", 2e-3}}}},
             {"bytes_by_level", {{{"level", "leaf" + evil}, {"bytes", 1 << 30}}}}}}});
  run.observation = std::make_shared<const Json>();
  run.closing = {"16 ranks on 2 hosts" + evil};
  return run;
}

}  // namespace topolaunch::launcher::page
