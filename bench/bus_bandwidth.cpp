// SPDX-License-Identifier: Apache-2.0
#include "bench/bus_bandwidth.h"

#include <algorithm>
#include <string>

namespace topolaunch::bench {

double bus_factor(std::string_view collective, int ranks) {
  if (ranks < 1) return 0;
  std::string name(collective);
  std::erase(name, '_');
  std::erase(name, '-');
  const double n = ranks;
  if (name == "allreduce") return 2 * (n - 1) / n;
  if (name == "allgather" || name == "reducescatter" || name == "alltoall" || name == "gather" ||
      name == "scatter") {
    return (n - 1) / n;
  }
  if (name == "broadcast" || name == "reduce" || name == "sendrecv") return 1;
  return 0;
}

double algorithm_bandwidth(std::int64_t bytes, Seconds time) {
  return time.count() > 0 ? static_cast<double>(bytes) / time.count() : 0;
}

}  // namespace topolaunch::bench
