// SPDX-License-Identifier: Apache-2.0
//
// What says who talks to whom: matrices and graphs, traces, Open MPI's counts, model descriptions.
// Whatever the bytes, a rank graph or one error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "mapping/model.h"
#include "mapping/trace.h"
#include "mapping/traffic.h"

namespace {

void check(const topolaunch::Result<topolaunch::mapping::RankGraph>& graph) {
  if (!graph) {
    if (graph.error().text().find('\n') != std::string::npos) __builtin_trap();
    return;
  }
  for (const auto& edge : graph->edges) {
    if (edge.a < 0 || edge.b < 0 || edge.a >= graph->ranks || edge.b >= graph->ranks) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace topolaunch::mapping;
  const std::string text(reinterpret_cast<const char*>(data), size);
  check(graph_from_traffic(text, "fuzz.txt"));
  check(graph_from_model(text, "fuzz.txt", {"tp=2,dp=2", "", "", 4}));
  if (const auto kind = trace_kind(text); kind != TraceKind::none) {
    check(graph_from_traces(kind, {{"trace.0", text}, {"trace.1", text}}));
  }
  return 0;
}
