// SPDX-License-Identifier: Apache-2.0
//
// Example 2: the shape of a training job. Every step computes, then all ranks add up their
// gradients: time that only the network decides about, and with it the order of ranks.
//
//   topolaunch --hosts g[01-08] --topology topology.conf -- training --steps 20 --mib 4 --compute 350
//
//   20 steps of 350 ms and 4 MiB over 8 ranks: 14.21 s, 51 % of it exchanging gradients, sums exact
//
// The computing is a pause: on a machine with GPUs it is the time in which the host waits for them.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "examples/allreduce/ring.h"

namespace {

using example::Clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

int run(int argc, char** argv) {
  long steps = 20, mib = 4, compute = 100;
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    long* const value = option == "--steps" ? &steps : option == "--mib" ? &mib
                        : option == "--compute" ? &compute : nullptr;
    if (value == nullptr || i + 1 == argc) {
      throw std::runtime_error("usage: training [--steps N] [--mib N] [--compute MILLISECONDS]");
    }
    *value = std::atol(argv[i + 1]);
    if (*value < (value == &compute ? 0 : 1) || *value > 65536) {
      throw std::runtime_error(option + " takes a number up to 65536");
    }
  }
  const example::Job job = example::job_from_environment();
  const auto in = [](int seconds) { return Clock::now() + std::chrono::seconds(seconds); };
  example::Neighbours neighbours;
  if (job.ranks > 1) neighbours = example::meet(job, in(120));

  const std::size_t count = static_cast<std::size_t>(mib) * (1 << 20) / sizeof(float);
  std::vector<float> gradients(count);
  // One number round the ring first: the clock starts when all are here.
  std::vector<float> here(static_cast<std::size_t>(job.ranks), 1);
  example::allreduce(job, neighbours, here, in(120));
  const auto start = Clock::now();
  double exchanging = 0;
  for (long step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < count; ++i) {
      gradients[i] = example::contribution(job.rank, i + static_cast<std::size_t>(step));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(compute));
    const auto computed = Clock::now();
    example::allreduce(job, neighbours, gradients, in(600));
    exchanging += seconds_since(computed);
    for (std::size_t i = 0; i < 128 && i < count; ++i) {
      if (gradients[i] == example::expected(job.ranks, i + static_cast<std::size_t>(step))) continue;
      throw std::runtime_error("step " + std::to_string(step) + ": a sum is wrong");
    }
  }
  const double all = seconds_since(start);
  if (job.rank == 0) {
    std::printf("%ld steps of %ld ms and %ld MiB over %d ranks: %.2f s, %.0f %% of it exchanging "
                "gradients, sums exact\n",
                steps, compute, mib, job.ranks, all, 100 * exchanging / all);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    const char* rank = std::getenv("RANK");
    std::fprintf(stderr, "training: rank %s: %s\n", rank == nullptr ? "0" : rank, e.what());
    return 1;
  }
}
