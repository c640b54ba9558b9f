// SPDX-License-Identifier: Apache-2.0
#include "base/own_cpus.h"

#include <sched.h>

namespace topolaunch {

CpuSet own_cpus() {
  // The kernel wants room for all CPUs it can have, not for those it has.
  for (int count = 1024; count <= CpuSet::kMaxCpu; count *= 4) {
    cpu_set_t* const set = CPU_ALLOC(static_cast<std::size_t>(count));
    if (set == nullptr) break;
    const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(count));
    CPU_ZERO_S(size, set);
    const bool ok = ::sched_getaffinity(0, size, set) == 0;
    CpuSet out;
    for (int cpu = 0; ok && cpu < count; ++cpu) {
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), size, set)) out.add(cpu);
    }
    CPU_FREE(set);
    if (ok) return out;
  }
  return {};
}

}  // namespace topolaunch
