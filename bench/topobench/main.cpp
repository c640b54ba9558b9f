// SPDX-License-Identifier: Apache-2.0
//
// topobench: a job of one rank per GPU (or per CPU set) that times its collectives and says whether
// the results were right.
//
//   mpirun -n 2 topobench -b 1M -e 64M --json measurement.json
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "base/environment.h"
#include "bench/topobench/deadline.h"
#include "bench/topobench/fabric_trial.h"
#include "bench/topobench/feasibility.h"
#include "bench/topobench/options.h"
#include "bench/topobench/order_trial.h"
#include "bench/topobench/session.h"
#include "bench/topobench/world.h"

extern "C" char** environ;

namespace topolaunch::bench {
namespace {

/// `only_parse`: for who wants to know before MPI is started whether the options are right.
int run(int argc, char** argv, bool only_parse) {
  const std::vector<std::string> arguments(argv, argv + argc);
  auto line = parse_options({arguments.begin() + (argc > 0 ? 1 : 0), arguments.end()});
  if (!line) {
    std::fprintf(stderr, "topobench: %s\n", line.error().text().c_str());
    return exit_status(line.error().code);
  }
  if (line->text) {
    std::fputs(
        *line->text == "version" ? "topobench " TOPOLAUNCH_VERSION "\n" : line->text->c_str(),
        stdout);
    return 0;
  }
  const Environment environment = Environment::from(environ);
  Status can = can_do(line->options);
  if (can && only_parse && line->options.expect_ranks) {
    can = knows_its_place(line->options, environment);
  }
  if (!can) {
    std::fprintf(stderr, "topobench: %s\n", can.error().text().c_str());
    return exit_status(can.error().code);
  }
  if (only_parse) return 0;
  const std::string host = host_name();
  // Known to the watching thread before MPI tells the rank: MPI_Init may be what hangs.
  std::atomic<int> rank = -1;
  Deadline deadline(line->options.deadline, [&](const Step& step, Seconds limit) {
    const std::string who = rank < 0 ? fmt::format("process {} on {}", getpid(), host)
                                     : fmt::format("rank {} on {}", rank.load(), host);
    std::fprintf(stderr, "topobench: %s: no end after %s: %s\n", who.c_str(),
                 topolaunch::to_text(limit).c_str(), to_text(step).c_str());
    // A rank that waits inside a collective can't be woken; ending it ends the job.
    std::_Exit(exit_status(Code::could_not_test));
  });
  deadline.step({.phase = "starting MPI"});
  int status = 0;
  {
    const World world(&argc, &argv);
    rank = world.rank();
    auto outcome = Session(world, line->options, deadline, environment).measure(arguments);
    if (!outcome) {
      status = exit_status(outcome.error().code);
      if (world.root()) std::fprintf(stderr, "topobench: %s\n", outcome.error().text().c_str());
    }
    deadline.step({.phase = "ending MPI"});
  }
  deadline.rest();
  return status;
}

}  // namespace
}  // namespace topolaunch::bench

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TOPOBENCH_LOOKS_FOR_LEAKS
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define TOPOBENCH_LOOKS_FOR_LEAKS
#endif
#ifdef TOPOBENCH_LOOKS_FOR_LEAKS
/// Open MPI's leaks, of modules that are gone by then, would end every run with 1.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
#endif

int main(int argc, char** argv) {
  try {
    if (argc > 1 && argv[1] == topolaunch::bench::kOrderTrialWord) {
      return topolaunch::bench::order_trial_main(argc, argv);
    }
    if (argc > 1 && argv[1] == topolaunch::bench::kFabricTrialWord) {
      return topolaunch::bench::fabric_trial_main(argc, argv);
    }
    const bool only_parse = argc > 1 && std::string_view(argv[1]) == topolaunch::bench::kParseWord;
    return topolaunch::bench::run(argc - (only_parse ? 1 : 0), argv + (only_parse ? 1 : 0),
                                  only_parse);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "topobench: internal error: %s\n", e.what());
    return topolaunch::exit_status(topolaunch::Code::internal);
  }
}
