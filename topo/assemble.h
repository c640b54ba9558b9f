// SPDX-License-Identifier: Apache-2.0
//
// assemble(): facts -> Topology. Pure. GPUs and NICs of different sources are one when UUID or full
// PCI address agree. Where sources differ, the order of trust (docs/architecture.md) decides and a
// warning names both origins.
#pragma once

#include "topo/survey.h"

namespace topolaunch::topo {

Result<Topology> assemble(Survey survey);

}  // namespace topolaunch::topo
