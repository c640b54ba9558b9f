// SPDX-License-Identifier: Apache-2.0
//
// A plan of two ranks, what its shims saw, and a measurement of it.
#pragma once

#include "bench/measurement.h"
#include "launcher/ending.h"
#include "launcher/plan.h"

namespace topolaunch::launcher {

/// Rank r on GPU r of "box", CPUs 4r to 4r+3; without GPUs if `gpus` is false.
inline Plan example_plan(bool gpus = true) {
  Plan plan;
  plan.id = "0190f5c2-7b1a-7c3e-9d55-3f2f8f5e6a10";
  plan.engine = "local";
  plan.engine_why = "one host";
  plan.command = {"python", "train me.py"};
  plan.executable = "/usr/bin/python";
  plan.working_directory = "/home/u";
  plan.hosts = {"box"};
  for (int r = 0; r < 2; ++r) {
    RankPlan rank;
    rank.rank = rank.local_rank = r;
    rank.host = "box";
    if (gpus) {
      rank.gpu_index = r;
      rank.gpu_uuid = "GPU-" + std::to_string(r);
      rank.gpu_pci = "0000:1" + std::to_string(r) + ":00.0";
      rank.gpu_model = "NVIDIA H100 80GB HBM3";
    }
    rank.numa = r;
    rank.cpus.add_range(4 * r, 4 * r + 3);
    rank.environment = {{"RANK", std::to_string(r)}};
    plan.ranks.push_back(rank);
  }
  return plan;
}

inline std::vector<RankObservation> seen_as_planned(const Plan& plan) {
  std::vector<RankObservation> out;
  for (const RankPlan& rank : plan.ranks) {
    RankObservation o;
    o.rank = rank.rank;
    o.host = rank.host;
    o.cpus = rank.cpus.to_list();
    o.gpu_uuid = rank.gpu_uuid;
    o.gpu_pci = rank.gpu_pci;
    out.push_back(o);
  }
  return out;
}

/// 64 MiB in 1 ms by two ranks; on GPUs of "box", or on the CPU.
inline bench::Measurement example_measurement(bool gpus = true) {
  bench::Measurement m;
  m.backend = gpus ? "nccl 2.28.9" : "mpi host memory";
  m.ranks = 2;
  m.hosts = 1;
  for (int r = 0; r < 2; ++r) {
    bench::Device device;
    device.rank = r;
    device.host = "box";
    device.device = gpus ? "0000:1" + std::to_string(r) + ":00.0" : "cpu";
    m.devices.push_back(device);
  }
  bench::SizeResult result;
  result.size = 64 << 20;
  result.out_of_place.time = Seconds(1e-3);
  result.out_of_place.busbw = 67e9;
  m.results = {result};
  return m;
}

}  // namespace topolaunch::launcher
