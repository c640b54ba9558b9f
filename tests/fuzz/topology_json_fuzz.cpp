// SPDX-License-Identifier: Apache-2.0
//
// Topology JSON: whatever the bytes, a topology or one error; a topology that was read is written and
// read again to the same text.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "topo/assemble.h"
#include "topo/render.h"
#include "topo/topology_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace topolaunch;
  const auto json =
      parse_json(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.json");
  if (!json) return 0;
  const auto topology = topo::topology_from_json(*json, "fuzz.json");
  if (!topology) return 0;
  const auto text = to_line(topo::to_json(*topology));
  const auto again = parse_json(text, "again.json");
  if (!again) __builtin_trap();
  const auto second = topo::topology_from_json(*again, "again.json");
  if (!second || to_line(topo::to_json(*second)) != text) __builtin_trap();
  (void)topo::render_tree(*topology);
  topo::Survey survey;
  survey.facts = topo::facts_of(*topology, topo::Origin{"topolaunch-json", "fuzz.json", 0});
  if (!topo::assemble(std::move(survey))) __builtin_trap();
  return 0;
}
