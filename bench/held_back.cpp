// SPDX-License-Identifier: Apache-2.0
#include "bench/held_back.h"

#include <fmt/format.h>

#include <algorithm>

namespace topolaunch::bench {
namespace {

/// One thread copies: who is held back for a quarter of its time gets less than a CPU.
constexpr double kLeastShare = 0.25;
/// The kernel's count is no guess; that it is what the job will meet is one.
constexpr double kConfidence = 0.95;

}  // namespace

std::vector<HeldBack> hosts_held_back(const PairMatrix& pairs, const std::vector<std::string>& hosts) {
  std::vector<HeldBack> found;
  for (std::size_t i = 0; i < pairs.held_back.size() && i < hosts.size(); ++i) {
    const double share = pairs.held_back[i];
    if (share < kLeastShare) continue;
    const auto same = std::ranges::find(found, hosts[i], &HeldBack::host);
    if (same == found.end()) {
      found.push_back({hosts[i], share});
    } else {
      same->share = std::max(same->share, share);
    }
  }
  return found;
}

void add_held_back(const std::vector<HeldBack>& held_back, Findings& findings) {
  for (const HeldBack& host : held_back) {
    const std::string name = "host " + host.host;
    const std::string evidence =
        fmt::format("its CPU quota holds it back {:.0f} % of the time that it could run", host.share * 100);
    auto at = std::ranges::find(findings.culprits, name, &Culprit::name);
    if (at == findings.culprits.end()) {
      findings.culprits.push_back({Culprit::Kind::host, name, 1 - host.share, kConfidence, evidence, {}});
      at = findings.culprits.end() - 1;
    } else {
      at->evidence = evidence + "; " + at->evidence;
      at->confidence = 1 - (1 - at->confidence) * (1 - kConfidence);
    }
    at->confirm = "cpu.max (cpu.cfs_quota_us) of the job's cgroup on it, and of those above";
    findings.judged = true;
  }
  std::ranges::stable_sort(findings.culprits, std::greater<>(), &Culprit::confidence);
}

}  // namespace topolaunch::bench
