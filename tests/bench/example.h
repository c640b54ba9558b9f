// SPDX-License-Identifier: Apache-2.0
//
// A measurement to test with: two ranks on two hosts, two sizes.
#pragma once

#include "bench/measurement.h"

namespace topolaunch::bench {

inline Timing example_timing(double microseconds, std::int64_t size, std::int64_t wrong) {
  Timing t;
  t.time = t.p50 = Seconds(microseconds / 1e6);
  t.p99 = Seconds(microseconds * 2 / 1e6);
  t.minimum = Seconds(microseconds / 2 / 1e6);
  t.maximum = Seconds(microseconds * 3 / 1e6);
  t.algbw = algorithm_bandwidth(size, t.time);
  t.busbw = t.algbw * bus_factor("allreduce", 2);
  t.wrong = wrong;
  t.raw = {microseconds / 2 / 1e6, microseconds / 1e6, microseconds * 3 / 1e6};
  return t;
}

inline Measurement example_measurement() {
  Measurement m;
  m.backend = "mpi host memory";
  m.backend_version = "Open MPI 4.1.4";
  m.backend_why = "asked for by --subject";
  m.start_time = "2026-11-30T13:45:12Z";
  m.end_time = "2026-11-30T13:45:14Z";
  m.arguments = {"topobench", "-b", "1K"};
  m.notes = {"a note"};
  m.ranks = m.hosts = 2;
  m.configuration = {1024, 1048576, 0, 1024, 5, 20, 1};
  m.devices = {{0, 4711, "n1", "cpu", "CPUs 0-3", -1, 0, "0-3", ""},
               {1, 815, "n2", "0000:18:00.0", "NVIDIA H100", 3, 0, "4-7", "leaf7"}};
  for (const std::int64_t size : {1024, 1048576}) {
    SizeResult r;
    r.size = size;
    r.count = size / 4;
    r.out_of_place = example_timing(size == 1024 ? 12.345 : 20480.0, size, 0);
    r.in_place = example_timing(size == 1024 ? 10.0 : 1024.0, size, 3);
    m.results.push_back(r);
  }
  m.elapsed = Seconds(1.5);
  summarise(m);
  return m;
}

}  // namespace topolaunch::bench
