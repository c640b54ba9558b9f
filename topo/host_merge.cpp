// SPDX-License-Identifier: Apache-2.0
#include "topo/host_merge.h"

#include "topo/cpu_merge.h"
#include "topo/gpu_merge.h"
#include "topo/nic_merge.h"

namespace topolaunch::topo {

MergedHost merge_host(const std::string& name, const std::vector<const Fact*>& facts) {
  MergedHost merged;
  merged.host.name = name;
  merge_cpus(facts, merged.host, merged.warnings);
  const auto index = merge_gpus(facts, merged.host, merged.warnings);
  merge_links(facts, index, merged.host, merged.warnings);
  merge_nics(facts, merged.host, merged.warnings);
  for (const Fact* fact : facts) {
    if (const auto* said = std::get_if<WarningFact>(&fact->what)) {
      merged.warnings.push_back(said->warning);
    }
  }
  return merged;
}

}  // namespace topolaunch::topo
