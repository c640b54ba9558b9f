// SPDX-License-Identifier: Apache-2.0
//
// The PCI bus shows every GPU of a machine, also those that a container, a resource manager, a fault
// or a missing driver keeps from this process. Where NVML answered, it decides which NVIDIA GPUs can
// be used.
#pragma once

#include "topo/survey.h"

namespace topolaunch::topo {

/// Takes the GPU facts of live sources out that NVML, having answered for that host, doesn't know. One
/// warning for each GPU that is on the bus and can't be used; a note where NVML could not be asked.
void leave_out_unreachable_gpus(Survey& survey);

}  // namespace topolaunch::topo
