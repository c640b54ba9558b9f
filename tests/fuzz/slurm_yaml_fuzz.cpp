// SPDX-License-Identifier: Apache-2.0
//
// Slurm's topology.yaml: whatever the bytes, facts or one error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/fabric_fuzz.h"
#include "topo/slurm_yaml.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace topolaunch::topo;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)looks_like_topology_yaml(text);
  use(facts_from_topology_yaml(text, "fuzz.yaml", {}));
  return 0;
}
