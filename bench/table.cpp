// SPDX-License-Identifier: Apache-2.0
#include "bench/table.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "bench/statistics.h"

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
      "# minBytes {} maxBytes {} step: {} warmup iters: {} iters: {} validation: {} graph: {}\n",
      c.minimum_bytes, c.maximum_bytes,
      c.step_bytes > 0 ? fmt::format("{}(bytes)", c.step_bytes)
                       : fmt::format("{}(factor)", c.step_factor),
      c.warmup_iterations, c.iterations, c.check_iterations, c.graph ? 1 : 0);
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
  const std::string estimate =
      r.estimate.count() > 0 ? "  " + microseconds(r.estimate) : std::string();
  return fmt::format("{:>12}  {:>12}  {:>8}  {:>6}  {:>6}{}{}{}\n", r.size, r.count, r.type, r.redop,
                     r.root, timing(r.out_of_place), timing(r.in_place), estimate);
}

std::string table_of_groups(const std::vector<GroupResult>& groups) {
  if (groups.empty()) return {};
  const GroupResult& first = groups.front();
  std::string out = fmt::format("#\n# Groups side by side along {}: {}\n", first.axis, groups.size());
  for (std::size_t i = 0; i < first.results.size(); ++i) {
    const auto speed = [&](const GroupResult& g) { return g.results[i].out_of_place.busbw; };
    const GroupResult *slow = &first, *fast = &first;
    for (const GroupResult& g : groups) {
      if (i >= g.results.size()) continue;
      if (speed(g) < speed(*slow)) slow = &g;
      if (speed(g) > speed(*fast)) fast = &g;
    }
    out += fmt::format("#  {:>12} B  busbw {:.2f} GB/s (group {}) to {:.2f} GB/s (group {}: ranks {})\n",
                       first.results[i].size, speed(*fast) / 1e9, fast->index, speed(*slow) / 1e9,
                       slow->index, fmt::join(slow->ranks, ","));
  }
  return out;
}

std::string table_of_pairs(const Measurement& m) {
  if (!m.pairs) return {};
  const PairMatrix& p = *m.pairs;
  std::string out = fmt::format("#\n# Pairs of {} ranks, messages of {} B\n", p.ranks.size(), p.bytes);
  const auto line = [&](const char* name, const Matrix& matrix, bool time) {
    std::vector<double> values;
    std::size_t row = 0, column = 0;
    for (std::size_t r = 0; r < matrix.size(); ++r) {
      for (std::size_t c = 0; c < matrix.size(); ++c) {
        if (!matrix.has(r, c)) continue;
        const double worst = matrix.at(row, column), now = matrix.at(r, c);
        if (values.empty() || (time ? now > worst : now < worst)) row = r, column = c;
        values.push_back(now);
      }
    }
    if (values.empty()) return;
    const auto in = [&](double v) {
      return time ? fmt::format("{:.2f} us", v * 1e6) : fmt::format("{:.2f} GB/s", v / 1e9);
    };
    out += fmt::format("#  {:<11} median {}, worst {} (rank {} to {})\n", name, in(median(values)),
                       in(matrix.at(row, column)), p.ranks[row], p.ranks[column]);
  };
  line("one way", p.one_way, false);
  line("both ways", p.both_ways, false);
  line("concurrent", p.concurrent, false);
  line("latency", p.latency, true);
  if (p.wrong > 0) out += fmt::format("#  {} elements wrong\n", p.wrong);
  return out;
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
