// SPDX-License-Identifier: Apache-2.0
#include "launcher/verbs/drawn.h"

#include "topo/dot.h"
#include "topo/draw/draw.h"
#include "topo/draw/svg.h"

namespace topolaunch::launcher {

std::string drawn(const std::string& format, const topo::Topology& topology,
                  const topo::draw::Ranks& ranks) {
  if (format == "dot") return topo::to_dot(topology, &ranks);
  return topo::draw::svg_file(topo::draw::drawing_of(topology, &ranks));
}

}  // namespace topolaunch::launcher
