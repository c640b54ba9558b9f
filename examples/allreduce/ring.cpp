// SPDX-License-Identifier: Apache-2.0
#include "examples/allreduce/ring.h"

#include <algorithm>

namespace example {

void allreduce(const Job& job, const Neighbours& neighbours, std::vector<float>& data,
               Clock::time_point until) {
  const auto n = static_cast<std::size_t>(job.ranks), me = static_cast<std::size_t>(job.rank);
  if (n == 1) return;
  const auto first = [&](std::size_t part) { return data.size() * part / n; };
  std::vector<float> landing(data.size() / n + 1);
  for (std::size_t step = 0; step + 1 < n; ++step) {
    const std::size_t out = (me + n - step) % n, in = (me + 2 * n - step - 1) % n;
    const std::size_t count = first(in + 1) - first(in);
    exchange(neighbours.next, data.data() + first(out),
             (first(out + 1) - first(out)) * sizeof(float), neighbours.previous, landing.data(),
             count * sizeof(float), until);
    for (std::size_t i = 0; i < count; ++i) data[first(in) + i] += landing[i];
  }
  for (std::size_t step = 0; step + 1 < n; ++step) {
    const std::size_t out = (me + n + 1 - step) % n, in = (me + n - step) % n;
    exchange(neighbours.next, data.data() + first(out),
             (first(out + 1) - first(out)) * sizeof(float), neighbours.previous,
             data.data() + first(in), (first(in + 1) - first(in)) * sizeof(float), until);
  }
}

float contribution(int rank, std::size_t index) {
  return static_cast<float>((static_cast<std::size_t>(rank) * 31 + index * 7) % 128 + 1);
}

float expected(int ranks, std::size_t index) {
  float sum = 0;
  for (int rank = 0; rank < ranks; ++rank) sum += contribution(rank, index);
  return sum;
}

}  // namespace example
