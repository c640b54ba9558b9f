// SPDX-License-Identifier: Apache-2.0
//
// JSON of EC2, Kubernetes, topograph and SageMaker, and YAML of it: whatever the bytes, facts or one
// error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/fabric_fuzz.h"
#include "topo/json_format.h"
#include "topo/yaml_as_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace topolaunch::topo;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  use(facts_from_json(GivenText{text, text, "fuzz.json", {}, {}}));
  use(facts_from_json_in_yaml(GivenText{text, text, "fuzz.yaml", {}, {}}));
  return 0;
}
