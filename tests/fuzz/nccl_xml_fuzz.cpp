// SPDX-License-Identifier: Apache-2.0
//
// NCCL topology XML: whatever the bytes, facts or one error; what is read can be shown and written.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "topo/assemble.h"
#include "topo/nccl_xml.h"
#include "topo/render.h"
#include "topo/topology_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace topolaunch;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto facts = topo::facts_from_nccl_xml(text, "fuzz.xml", "");
  if (!facts) return 0;
  topo::Survey survey;
  survey.facts = std::move(*facts);
  const auto topology = topo::assemble(std::move(survey));
  if (!topology) __builtin_trap();
  (void)topo::render_tree(*topology);
  (void)to_line(topo::to_json(*topology));
  for (const auto& host : topology->hosts) (void)topo::nccl_xml(host);
  return 0;
}
