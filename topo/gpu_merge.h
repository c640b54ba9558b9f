// SPDX-License-Identifier: Apache-2.0
//
// GPUs of one host out of the facts of several sources. Two facts mean one GPU if their UUIDs or
// their full PCI addresses agree; a fact with neither means the GPU to which the same source gave
// this number.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "topo/fact.h"

namespace topolaunch::topo {

/// Says which GPU of the merged host a source means.
class GpuIndex {
 public:
  /// Position in Host::gpus; nothing if no GPU is known by any of the names in `ref`.
  std::optional<int> find(const GpuRef& ref, const Origin& origin) const;

 private:
  friend class GpuMerge;
  std::map<std::string, int> by_uuid_;
  std::map<PciAddress, int> by_pci_;
  std::map<std::tuple<std::string, std::string, int>, int> by_number_;  ///< source, file, number
};

/// Fills host.gpus (all but links) in PCI order; GPUs without a known address behind those with one.
GpuIndex merge_gpus(const std::vector<const Fact*>& facts, Host& host,
                    std::vector<Warning>& warnings);

/// Fills the links of host.gpus and host.p2p. The picture of one GPU's links is taken whole from the
/// most trusted source that has one; others fill in bandwidths and are compared.
void merge_links(const std::vector<const Fact*>& facts, const GpuIndex& index, Host& host,
                 std::vector<Warning>& warnings);

/// "host0 gpu3 (0000:18:00.0)", for warnings.
std::string gpu_text(const Host& host, const Gpu& gpu);

}  // namespace topolaunch::topo
