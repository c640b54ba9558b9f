// SPDX-License-Identifier: Apache-2.0
//
// nvidia-smi's texts: whatever the bytes, facts or one error; what is read can be shown.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "topo/assemble.h"
#include "topo/render.h"
#include "topo/smi/text.h"
#include "topo/topology_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace topolaunch;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)topo::looks_like_smi(text);
  auto facts = topo::facts_from_smi(text, "fuzz.txt", "");
  if (!facts) return 0;
  topo::Survey survey;
  survey.facts = std::move(*facts);
  const auto topology = topo::assemble(std::move(survey));
  if (!topology) __builtin_trap();
  (void)topo::render_tree(*topology);
  (void)to_line(topo::to_json(*topology));
  return 0;
}
