// SPDX-License-Identifier: Apache-2.0
#include "bench/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/statistics.h"

namespace topolaunch::bench {
namespace {

/// How uncertain the median of a row is, as a fraction of it: 1.25 standard deviations of the
/// middle (from the quartiles, which a few preempted runs don't move) over the root of their
/// number.
double uncertainty(const std::vector<double>& raw) {
  const double middle = median(raw);
  if (raw.size() < 4 || middle <= 0) return 0.25;  // a few runs, or none kept: a quarter either way
  const double deviation = (percentile(raw, 0.75) - percentile(raw, 0.25)) / 1.35;
  return 1.25 * deviation / middle / std::sqrt(static_cast<double>(raw.size()));
}

Difference difference(std::int64_t size, bool in_place, const Timing& before, const Timing& now) {
  Difference d;
  d.size = size;
  d.in_place = in_place;
  d.before = before.time.count();
  d.now = now.time.count();
  if (d.before <= 0 || d.now <= 0) return d.way = Difference::Way::unknown, d;
  // Runs of one process are alike; those of another differ by more than their scatter says. Five
  // deviations leave room for that, and for looking at many sizes at once.
  d.noise = std::max(kNoticeable, 5 * std::hypot(uncertainty(before.raw), uncertainty(now.raw)));
  const double change = std::log(d.now / d.before);
  if (std::abs(change) > std::log1p(d.noise)) {
    d.way = change > 0 ? Difference::Way::slower : Difference::Way::faster;
  }
  return d;
}

}  // namespace

Result<std::vector<Difference>> compare(const Measurement& before, const Measurement& now) {
  const auto refuse = [](const std::string& what, const std::string& a, const std::string& b) {
    return fail(Code::wrong_usage, "the two can't be compared: " + what + " was " + a + ", is " + b,
                "measure the same thing on both sides");
  };
  if (before.collective != now.collective)
    return refuse("the collective", before.collective, now.collective);
  if (before.backend != now.backend) return refuse("the backend", before.backend, now.backend);
  if (before.ranks != now.ranks) {
    return refuse("the number of ranks", std::to_string(before.ranks), std::to_string(now.ranks));
  }
  std::vector<Difference> differences;
  for (const SizeResult& n : now.results) {
    const auto b = std::ranges::find_if(before.results, [&](const SizeResult& r) {
      return r.size == n.size && r.type == n.type && r.redop == n.redop;
    });
    if (b == before.results.end()) continue;
    differences.push_back(difference(n.size, false, b->out_of_place, n.out_of_place));
    differences.push_back(difference(n.size, true, b->in_place, n.in_place));
  }
  if (differences.empty()) {
    return fail(Code::wrong_usage, "the two can't be compared: they have no size in common",
                "the same -b, -e and -f on both sides");
  }
  return differences;
}

std::string to_text(const std::vector<Difference>& differences, const std::string& before) {
  std::string out = "# against " + before + "\n";
  int same = 0, slower = 0, faster = 0;
  for (const Difference& d : differences) {
    if (d.way == Difference::Way::unknown) continue;
    if (d.way == Difference::Way::same) {
      ++same;
      continue;
    }
    const bool slow = d.way == Difference::Way::slower;
    ++(slow ? slower : faster);
    out +=
        fmt::format("# {:>12} B {:<12}  {:.2f} us, was {:.2f} us: {:.2f}x, {} (noise {:.0f} %)\n",
                    d.size, d.in_place ? "in place" : "out of place", d.now * 1e6, d.before * 1e6,
                    d.ratio(), slow ? "SLOWER" : "faster", d.noise * 100);
  }
  return out + fmt::format("# {} slower, {} faster, {} within the noise\n", slower, faster, same);
}

}  // namespace topolaunch::bench
