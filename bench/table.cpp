// SPDX-License-Identifier: Apache-2.0
#include "bench/table.h"

#include <fmt/format.h>

#include <cmath>

namespace topolaunch::bench {
namespace {

/// Seven characters and as many digits as fit, as nccl-tests prints its times.
std::string microseconds(Seconds time) {
  const double us = time.count() * 1e6;
  if (us >= 10000) return fmt::format("{:7.0f}", us);
  if (us >= 1000) return fmt::format("{:7.1f}", us);
  return fmt::format("{:7.2f}", us);
}

std::string timing(const Timing& t) {
  return fmt::format("  {}  {:6.2f}  {:6.2f}  {:>6}", microseconds(t.time), t.algbw / 1e9,
                     t.busbw / 1e9, t.wrong < 0 ? "N/A" : std::to_string(t.wrong));
}

}  // namespace

std::string table_header(const Measurement& m) {
  const Configuration& c = m.configuration;
  std::string out = fmt::format("# topobench {} over {}{}{}, {} rank{} on {} host{}\n", m.collective,
                                m.backend, m.backend_version.empty() ? "" : ", ",
                                m.backend_version, m.ranks, m.ranks == 1 ? "" : "s", m.hosts,
                                m.hosts == 1 ? "" : "s");
  if (!m.backend_why.empty()) out += fmt::format("# backend: {}\n", m.backend_why);
  out += fmt::format(
      "# minBytes {} maxBytes {} step: {} warmup iters: {} iters: {} validation: {} graph: 0\n",
      c.minimum_bytes, c.maximum_bytes,
      c.step_bytes > 0 ? fmt::format("{}(bytes)", c.step_bytes)
                       : fmt::format("{}(factor)", c.step_factor),
      c.warmup_iterations, c.iterations, c.check_iterations);
  out += "#\n# Using devices\n";
  for (const Device& d : m.devices) {
    out += fmt::format("#  Rank {:>2} Group  0 Pid {:>6} on {:>10} device {:>2} [{}] {}\n", d.rank,
                       d.pid, d.host, d.index < 0 ? "-" : std::to_string(d.index), d.device,
                       d.info);
  }
  for (const std::string& note : m.notes) out += fmt::format("# note: {}\n", note);
  out += "#\n";
  out += fmt::format("# {:>73}{:>31}\n", "out-of-place", "in-place");
  out += fmt::format("# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}", "size", "count", "type", "redop",
                     "root");
  for (int i = 0; i < 2; ++i) out += "     time   algbw   busbw  #wrong";
  out += fmt::format("\n# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}", "(B)", "(elements)", "", "", "");
  out += "     (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)\n";
  return out;
}

std::string table_row(const SizeResult& r) {
  return fmt::format("{:>12}  {:>12}  {:>8}  {:>6}  {:>6}{}{}\n", r.size, r.count, r.type, r.redop,
                     r.root, timing(r.out_of_place), timing(r.in_place));
}

std::string table_footer(const Measurement& m) {
  const std::string wrong =
      m.wrong < 0 ? "N/A" : fmt::format("{} {}", m.wrong, m.wrong == 0 ? "OK" : "FAILED");
  return fmt::format("# Out of bounds values : {}\n# Avg bus bandwidth    : {:g}\n#\n", wrong,
                     m.average_busbw / 1e9);
}

std::string to_table(const Measurement& m) {
  std::string out = table_header(m);
  for (const SizeResult& r : m.results) out += table_row(r);
  return out + table_footer(m);
}

}  // namespace topolaunch::bench
