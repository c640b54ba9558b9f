// SPDX-License-Identifier: Apache-2.0
//
// The CPUs of this process, as the kernel has them.
#pragma once

#include "base/cpu_set.h"

namespace topolaunch {

/// The CPUs this process may run on now; empty if the kernel does not say.
CpuSet own_cpus();

}  // namespace topolaunch
