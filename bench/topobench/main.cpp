// SPDX-License-Identifier: Apache-2.0
//
// topobench: a job of one rank per GPU (or per CPU set) that times its allreduce and says whether
// the results were right.
//
//   mpirun -n 2 topobench -b 1M -e 64M --json measurement.json
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/cpu_set.h"
#include "base/environment.h"
#include "base/files.h"
#include "bench/device/host.h"
#include "bench/subject/mpi_host.h"
#include "bench/subject/nccl.h"
#include "bench/table.h"
#include "bench/topobench/backend.h"
#include "bench/topobench/census.h"
#include "bench/topobench/deadline.h"
#include "bench/topobench/options.h"
#include "bench/topobench/order_trial.h"
#include "bench/topobench/trial.h"
#include "bench/topobench/world.h"

extern "C" char** environ;

namespace topolaunch::bench {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string allowed_cpus() {
  CpuSet cpus;
  // The kernel's mask may be longer than cpu_set_t on large machines: ask for CpuSet's most.
  std::vector<cpu_set_t> masks(CpuSet::kMaxCpu / CPU_SETSIZE);
  const std::size_t bytes = masks.size() * sizeof(cpu_set_t);
  if (sched_getaffinity(0, bytes, masks.data()) != 0) return {};
  for (int cpu = 0; cpu < CpuSet::kMaxCpu; ++cpu) {
    if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, masks.data())) cpus.add(cpu);
  }
  return cpus.to_list();
}

Participant myself(const World& world, const DevicePort& port, const std::string& cpus) {
  Participant me;
  me.device.rank = world.rank();
  me.device.pid = static_cast<int>(getpid());
  me.device.host = host_name();
  me.device.device = port.address();
  me.device.info = port.info();
  me.device.index = port.index();
  me.device.cpus = cpus;
  const auto boot = RootedFiles().read("/proc/sys/kernel/random/boot_id", 256);
  me.host_key = me.device.host + " " + boot.value_or("");
  return me;
}

/// Everybody's introduction, held against what was expected.
Status take_census(const World& world, const DevicePort& port, const Options& options,
                   const Environment& environment, Measurement& m) {
  std::vector<Participant> participants;
  Status mine;
  for (const std::string& text : world.gather(to_wire(myself(world, port, allowed_cpus())))) {
    auto participant = participant_from_wire(text);
    if (participant) {
      participants.push_back(std::move(*participant));
    } else if (mine) {
      mine = fail(std::move(participant).error());
    }
  }
  if (auto all = world.agree(mine); !all) return all;
  m.ranks = world.size();
  m.hosts = count_hosts(participants);
  for (const Participant& p : participants) m.devices.push_back(p.device);
  for (std::string& note : census_notes(participants)) m.notes.push_back(std::move(note));
  // The same answer on all ranks, since all look at the same table.
  return check_census(participants, expected_ranks(options.expect_ranks, environment));
}

Status measure(const World& world, const Options& options, Deadline& deadline,
               const Environment& environment, std::vector<std::string> arguments) {
  const SystemClock clock;
  const auto began = std::chrono::steady_clock::now();
  deadline.step({.phase = "looking for GPUs"});
  Measurement m;
  m.start_time = iso8601(clock.unix_seconds());
  m.arguments = std::move(arguments);

  auto choice = choose_backend(world, options.subject);
  if (!choice) return fail(std::move(choice).error());
  std::unique_ptr<DevicePort> port = std::make_unique<HostDevice>(allowed_cpus());
  Status opened;
  if (choice->nccl) {
    auto index = gpu_of_rank(look_for_nccl().gpus, environment);
    auto gpu = index ? open_gpu(*index) : Result<std::unique_ptr<DevicePort>>(fail(index.error()));
    if (gpu) {
      port = std::move(*gpu);
    } else {
      opened = fail(std::move(gpu).error());
    }
  }
  if (auto all = world.agree(opened); !all) return fail(std::move(all).error());
  deadline.step({.phase = "counting ranks and devices"});
  if (auto s = take_census(world, *port, options, environment, m); !s) {
    return fail(std::move(s).error());
  }

  deadline.step({.phase = "making the communicator"});
  std::unique_ptr<Subject> subject;
  if (choice->nccl) {
    auto made = make_nccl_subject(*port);
    const Status mine = made ? Status{} : Status(fail(made.error()));
    if (auto all = world.agree(mine); !all) return fail(std::move(all).error());
    subject = std::move(*made);
  } else {
    subject = make_mpi_subject(options.subject == "ring"        ? MpiWay::ring
                               : options.subject == "reference" ? MpiWay::reference
                                                                : MpiWay::library,
                               *port);
  }
  m.backend = subject->backend();
  m.backend_version = subject->version();
  m.backend_why = choice->why;
  m.configuration = {options.sweep.minimum.count(), options.sweep.maximum.count(),
                     options.sweep.step.count(),
                     options.sweep.step.count() > 0 ? 0 : options.sweep.factor,
                     options.trial.warmup_iterations, options.trial.iterations,
                     options.trial.check_iterations};
  if (world.size() == 1) {
    m.notes.emplace_back("one rank: nothing is communicated, and busbw is 0");
  }

  const bool table = options.json_file != "-";
  const auto print = [&](const std::string& text) {
    if (!world.root() || !table) return;
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  };
  print(table_header(m));
  auto results = run_trial(world, *subject, options.trial, deadline,
                           [&](const SizeResult& result) { print(table_row(result)); });
  if (!results) {
    if (!results.error().everybody) {
      // The others are inside a collective that this rank will never join.
      std::fprintf(stderr, "topobench: rank %d on %s: %s\n", world.rank(), host_name().c_str(),
                   results.error().error.text().c_str());
      std::_Exit(exit_status(results.error().error.code));
    }
    return fail(std::move(results).error().error);
  }
  m.results = std::move(*results);
  summarise(m);
  m.elapsed = std::chrono::steady_clock::now() - began;
  m.end_time = iso8601(clock.unix_seconds());
  print(table_footer(m));
  Status written;
  if (world.root() && options.json_file == "-") {
    std::fputs(to_pretty(to_json(m)).c_str(), stdout);
  } else if (world.root() && !options.json_file.empty()) {
    written = write_file(options.json_file, to_pretty(to_json(m)));
  }
  if (auto all = world.agree(written); !all) return fail(std::move(all).error());
  if (m.wrong > 0) {
    return fail(Code::validation_failed, fmt::format("{} elements were wrong", m.wrong),
                "don't trust a result of this machine before it is known why");
  }
  return {};
}

int run(int argc, char** argv) {
  const std::vector<std::string> arguments(argv, argv + argc);
  auto line = parse_options({arguments.begin() + (argc > 0 ? 1 : 0), arguments.end()});
  if (!line) {
    std::fprintf(stderr, "topobench: %s\n", line.error().text().c_str());
    return exit_status(line.error().code);
  }
  if (line->text) {
    std::fputs(*line->text == "version" ? "topobench " TOPOLAUNCH_VERSION "\n" : line->text->c_str(),
               stdout);
    return 0;
  }
  const Environment environment = Environment::from(environ);
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
    auto outcome = measure(world, line->options, deadline, environment, arguments);
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

int main(int argc, char** argv) {
  try {
    if (argc > 1 && argv[1] == topolaunch::bench::kOrderTrialWord) {
      return topolaunch::bench::order_trial_main(argc, argv);
    }
    return topolaunch::bench::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "topobench: internal error: %s\n", e.what());
    return topolaunch::exit_status(topolaunch::Code::internal);
  }
}
