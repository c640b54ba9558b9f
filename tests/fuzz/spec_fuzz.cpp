// SPDX-License-Identifier: Apache-2.0
//
// Synthetic and tree specs: the first byte chooses the reader.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "topo/assemble.h"
#include "topo/render.h"
#include "topo/synthetic.h"
#include "topo/tree_spec.h"

namespace {

void show(std::vector<topolaunch::topo::Fact> facts) {
  topolaunch::topo::Survey survey;
  survey.facts = std::move(facts);
  const auto topology = topolaunch::topo::assemble(std::move(survey));
  if (!topology) __builtin_trap();
  (void)topolaunch::topo::render_tree(*topology);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace topolaunch::topo;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  switch (data[0] % 2) {
    case 0:
      // Big clusters are right and slow: they are parsed, not built.
      if (const auto spec = parse_synthetic(text)) {
        if (spec->hosts * (1 + spec->gpus + spec->nics) < 2000) show(synthetic_facts(*spec));
      }
      break;
    default:
      if (const auto spec = parse_tree(text, {})) {
        long hosts = 1;
        for (std::size_t i = 1; i < spec->arities.size(); ++i) hosts *= spec->arities[i];
        if (hosts < 2000) show(tree_facts(*spec));
      }
  }
  return 0;
}
