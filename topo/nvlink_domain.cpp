// SPDX-License-Identifier: Apache-2.0
#include "topo/nvlink_domain.h"

#include <fmt/format.h>

#include "topo/cpu_merge.h"

namespace topolaunch::topo {

void join_nvlink_domain(const std::vector<const Fact*>& facts, Host& host,
                        std::vector<Warning>& warnings) {
  const Fact* best = nullptr;
  for (const Fact* fact : facts) {
    const auto* said = std::get_if<NvlinkDomainFact>(&fact->what);
    if (said == nullptr) continue;
    if (best == nullptr) {
      best = fact;
      continue;
    }
    const auto& first = std::get<NvlinkDomainFact>(best->what);
    if (first.cluster != said->cluster || first.clique != said->clique) {
      warn(warnings, "nvlink-domain-conflict", Warning::Severity::warning, fact->origin,
           fmt::format("{} is in NVLink domain {}.{} by {}, {}.{} by {}; the first is used",
                       host.name, first.cluster, first.clique, best->origin.text(), said->cluster,
                       said->clique, fact->origin.text()));
    }
  }
  if (best == nullptr) return;
  const auto& domain = std::get<NvlinkDomainFact>(best->what);
  bool differs = false;
  for (Gpu& gpu : host.gpus) {
    if (gpu.fabric_pending || !gpu.fabric_cluster.empty()) {
      differs = differs || (!gpu.fabric_pending && (gpu.fabric_cluster != domain.cluster ||
                                                    gpu.fabric_clique != domain.clique));
      continue;
    }
    gpu.fabric_cluster = domain.cluster;
    gpu.fabric_clique = domain.clique;
  }
  if (differs) {
    const Gpu& gpu = host.gpus.front();
    warn(warnings, "nvlink-domain-conflict", Warning::Severity::warning, best->origin,
         fmt::format("{} is in NVLink domain {}.{} by {}, {}.{} by {}; the GPU's own is used",
                     host.name, domain.cluster, domain.clique, best->origin.text(),
                     gpu.fabric_cluster, gpu.fabric_clique,
                     gpu.origins.empty() ? std::string("its driver") : gpu.origins.front().text()));
  }
}

}  // namespace topolaunch::topo
