// SPDX-License-Identifier: Apache-2.0
//
// Example 1: the smallest real job. Uses the launcher's standard environment and nothing else.
//
//   topolaunch -n 2 -- allreduce [--mib 16] [--runs 10]
//
//   rank 0 of 2 on n1: CPUs 0, no GPU
//   rank 1 of 2 on n1: CPUs 1, no GPU
//   allreduce of 16 MiB over 2 ranks: 1.93 GB/s (busbw, median of 10 runs), every sum exact
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "examples/allreduce/ring.h"

namespace {

using example::Clock;

/// "0-3,8": the CPUs this process may run on.
std::string allowed_cpus() {
  std::vector<cpu_set_t> masks(8);  // 8,192 CPUs
  const std::size_t bytes = masks.size() * sizeof(cpu_set_t);
  if (sched_getaffinity(0, bytes, masks.data()) != 0) return "unknown";
  std::string list;
  const int most = static_cast<int>(masks.size()) * CPU_SETSIZE;
  const auto has = [&](int cpu) {
    return cpu < most && CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, masks.data());
  };
  for (int cpu = 0; cpu < most; ++cpu) {
    if (!has(cpu)) continue;
    int last = cpu;
    while (has(last + 1)) ++last;
    list += (list.empty() ? "" : ",") + std::to_string(cpu);
    if (last > cpu) list += "-" + std::to_string(last);
    cpu = last;
  }
  return list;
}

/// The GPU a program that follows the standard would take: number LOCAL_RANK of the visible ones.
std::string gpu() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const char* local = std::getenv("LOCAL_RANK");
  if (visible == nullptr || *visible == '\0' || local == nullptr) return "no GPU";
  std::string rest = visible;
  for (long skip = std::atol(local); skip > 0; --skip) {
    const auto comma = rest.find(',');
    if (comma == std::string::npos) return "no GPU left for it in CUDA_VISIBLE_DEVICES=" + std::string(visible);
    rest.erase(0, comma + 1);
  }
  return "GPU " + rest.substr(0, rest.find(','));
}

int run(int argc, char** argv) {
  long mib = 16, runs = 10;
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    long& value = option == "--mib" ? mib : runs;
    if ((option != "--mib" && option != "--runs") || i + 1 == argc) {
      throw std::runtime_error("usage: allreduce [--mib N] [--runs N]");
    }
    value = std::atol(argv[i + 1]);
    if (value < 1 || value > 65536) throw std::runtime_error(option + " takes a number from 1 to 65536");
  }
  const example::Job job = example::job_from_environment();
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::printf("rank %d of %d on %s: CPUs %s, %s\n", job.rank, job.ranks, host.data(),
              allowed_cpus().c_str(), gpu().c_str());
  std::fflush(stdout);

  const auto in = [](int seconds) { return Clock::now() + std::chrono::seconds(seconds); };
  example::Neighbours neighbours;
  if (job.ranks > 1) neighbours = example::meet(job, in(120));

  const std::size_t count = static_cast<std::size_t>(mib) * (1 << 20) / sizeof(float);
  std::vector<float> data(count);
  std::vector<double> seconds;
  for (long r = 0; r < runs; ++r) {
    for (std::size_t i = 0; i < count; ++i) {
      data[i] = example::contribution(job.rank, i + static_cast<std::size_t>(r));
    }
    // One number round the ring first: nobody starts before all are here.
    std::vector<float> here(static_cast<std::size_t>(job.ranks), 1);
    example::allreduce(job, neighbours, here, in(120));
    const auto start = Clock::now();
    example::allreduce(job, neighbours, data, in(300));
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    for (std::size_t i = 0; i < count; ++i) {
      // The data repeats every 128 elements, and so does the answer.
      if (i >= 128 ? data[i] != data[i - 128]
                   : data[i] != example::expected(job.ranks, i + static_cast<std::size_t>(r))) {
        throw std::runtime_error("element " + std::to_string(i) + " of run " + std::to_string(r) +
                                 " is wrong");
      }
    }
  }
  if (job.rank != 0) return 0;
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[seconds.size() / 2];
  if (job.ranks == 1) {
    std::printf("one rank: nothing to reduce with\n");
  } else {
    const double busbw = static_cast<double>(count * sizeof(float)) / median * 2 *
                         (job.ranks - 1) / job.ranks;
    std::printf("allreduce of %ld MiB over %d ranks: %.2f GB/s (busbw, median of %ld runs), every "
                "sum exact\n", mib, job.ranks, busbw / 1e9, runs);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    const char* rank = std::getenv("RANK");
    std::fprintf(stderr, "allreduce: rank %s: %s\n", rank == nullptr ? "0" : rank, e.what());
    return 1;
  }
}
