// SPDX-License-Identifier: Apache-2.0
#include "topo/host_merge.h"

#include "topo/cpu_merge.h"
#include "topo/gpu_count.h"
#include "topo/gpu_merge.h"
#include "topo/nic_merge.h"
#include "topo/nvlink_domain.h"

namespace topolaunch::topo {

MergedHost merge_host(const std::string& name, const std::vector<const Fact*>& given) {
  MergedHost merged;
  merged.host.name = name;
  const std::vector<Fact> counted = counted_gpus(name, given, merged.warnings);
  std::vector<const Fact*> facts = given;
  for (const Fact& fact : counted) facts.push_back(&fact);
  merge_cpus(facts, merged.host, merged.warnings);
  const auto index = merge_gpus(facts, merged.host, merged.warnings);
  join_nvlink_domain(facts, merged.host, merged.warnings);
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
