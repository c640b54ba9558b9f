// SPDX-License-Identifier: Apache-2.0
#include "launcher/verbs/bench.h"

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "bench/comparison.h"
#include "bench/table.h"
#include "launcher/admission.h"
#include "launcher/bench_job.h"
#include "launcher/bench_options.h"
#include "launcher/hosts/changed_hosts.h"
#include "launcher/job_machine.h"
#include "launcher/make_plan.h"
#include "launcher/measured/measured_file.h"
#include "launcher/place_ranks.h"
#include "launcher/rendezvous.h"
#include "launcher/report/closing.h"
#include "launcher/run_directory.h"
#include "quota/uuid.h"

namespace topolaunch::launcher {

namespace {

/// The measurement of a saved run, or a file.
Result<bench::Measurement> earlier(const std::string& what, const Outside& outside) {
  std::string file = what;
  if (!outside.files.exists(file) || outside.files.list(file)) {
    auto folder = find_run(what, outside);
    if (!folder) return fail(std::move(folder).error());
    file = *folder + "/measurement.json";
  }
  auto text = outside.files.read(file);
  if (!text) {
    return fail(Error{Code::invalid_input, "--compare: " + text.error().message,
                      "a run with --validate quick leaves one, or: topolaunch bench --json >FILE",
                      file, 0});
  }
  return one_measurement(*text, file);
}

/// As many ranks as the job says, else one a GPU; without GPUs as many as share this memory, as one
/// rank has nobody to exchange with.
JobOptions job_of(const BenchOptions& options, const HostMachine& machine, int own_slots) {
  JobOptions job = options.job;
  if (job.ranks > 0 || !job.parallel.empty() || !job.traffic.empty()) return job;
  job.ranks = own_slots;
  const topo::Host& here = machine.topology.hosts.front();
  if (job.ranks > 0 || !machine.hosts.empty() || !here.gpus.empty()) return job;
  job.ranks = std::max(2, here.allowed_cpus.size());
  job.oversubscribe = job.oversubscribe || here.allowed_cpus.size() < 2;
  return job;
}

/// topobench as a run: what is planned, admitted and charged like any other.
RunOptions run_of(const BenchOptions& options, const std::string& topobench) {
  RunOptions run;
  run.command = {topobench};
  run.command.insert(run.command.end(), options.topobench.begin(), options.topobench.end());
  run.topology = options.topology;
  run.quota = options.quota;
  run.time_limit = options.time_limit.value_or(Seconds(300));
  return run;
}

Result<Answer> bench_here(const BenchOptions& options, const HostsWanted& wanted,
                          const std::string& topobench,
                          const std::optional<bench::Measurement>& before, const Outside& outside,
                          const Voice& voice) {
  auto machine =
      machine_to_start_on(options.topology, wanted.hosts, options.job.excluded, outside);
  if (!machine) return fail(std::move(machine).error());
  if (wanted.own_slots > 0) machine->topology.hosts.front().slots = wanted.own_slots;
  const VisibleGpus visible = usable_gpus(*machine, outside.environment, voice);
  const topo::Topology& topology = machine->topology;
  auto placed = place_job(*machine, visible, job_of(options, *machine, wanted.own_slots), outside);
  if (!placed) return fail(std::move(placed).error());
  const std::string id = quota::make_uuid_v7(outside.clock.unix_time());
  const RunOptions run = run_of(options, topobench);
  PlanRequest request{topology, placed->model.graph, placed->solution, visible,
                      outside.environment, run,
                      EngineChoice{"mpirun", "topobench is an MPI program"}, id, topobench, "/",
                      {}, 0, machine->ids};
  const bool over_hosts = !machine->hosts.empty();
  if (!over_hosts) {  // else the engine looks for an address of rank 0's host
    auto port = free_port();
    if (!port) return fail(std::move(port).error());
    request.master_address = "127.0.0.1";
    request.master_port = *port;
  }
  const Plan plan = make_plan(request);
  if (Status fit = options_fit(options.topobench, plan, outside); !fit) {
    return fail(std::move(fit).error());
  }
  auto admission =
      quota::admit(admit_request(run, id, topology, placed->solution, outside), outside);
  if (!admission) return fail(std::move(admission).error());
  for (const std::string& warning : admission->warnings) voice.say(warning);
  BenchWish wish;
  wish.arguments = options.topobench;
  wish.limit = *run.time_limit;
  BenchCharge charge;
  if (admission->hold) {
    charge.hold = &*admission->hold;
    wish.limit = *shorter(wish.limit, admission->hold->wall_limit());
    wish.charge = &charge;
  }
  wish.json_file = "/tmp/topolaunch-measurement-" + id + ".json";
  wish.show_table = !options.json && !over_hosts;
  voice.say("placed  " + placed_phrase(plan));
  auto measurement = measure(plan, wish, outside);
  ::unlink(wish.json_file.c_str());
  if (charge.charged && !*charge.charged) {
    voice.say("quota: could not be settled: " + charge.charged->error().text());
  } else if (charge.charged) {
    voice.say("quota   " + std::to_string(**charge.charged) + " of " +
              std::to_string(charge.hold->gpu_seconds()) + " held GPU-seconds charged to team " +
              admission->team);
  }
  if (!measurement && exit_status(measurement.error().code) == kNobodyReads) {
    return Answer{{}, kNobodyReads};  // without a word, as a program that SIGPIPE ends
  }
  if (!measurement) return fail(std::move(measurement).error());
  Answer answer;
  if (measurement->wrong > 0) answer.status = exit_status(Code::validation_failed);
  if (over_hosts) answer.out = bench::to_table(*measurement);  // else it has been shown
  if (before) {
    auto differences = bench::compare(*before, *measurement);
    if (!differences) return fail(std::move(differences).error());
    const std::string compared =
        bench::to_text(*differences, options.compare + " of " + before->start_time);
    const bool slower = std::ranges::any_of(*differences, [](const bench::Difference& d) {
      return d.way == bench::Difference::Way::slower;
    });
    if (slower) answer.status = exit_status(Code::validation_failed);
    if (options.json) voice.say(compared);
    answer.out += compared;
  }
  if (options.json) answer.out = to_pretty(bench::to_json(*measurement));
  return answer;
}

}  // namespace

Result<Answer> bench_verb(const BenchOptions& options, const Outside& outside, const Voice& voice) {
  auto topobench = find_topobench(outside);
  if (!topobench) return fail(std::move(topobench).error());
  auto text = checked_options(options.topobench, *topobench, outside);
  if (!text) return fail(std::move(text).error());
  if (!text->empty()) return Answer{std::move(*text), 0};
  std::optional<bench::Measurement> before;
  if (!options.compare.empty()) {
    // Read first: a wrong name costs no measurement.
    auto read = earlier(options.compare, outside);
    if (!read) return fail(std::move(read).error());
    before = std::move(*read);
  }
  auto wanted = hosts_wanted(options.topology, outside);
  if (!wanted) return fail(std::move(wanted).error());
  BenchOptions here = options;
  if (wanted->hosts.empty()) here.topology.hosts.clear();
  return asked_again_if_changed(here.topology.refresh, wanted->hosts, outside, voice,
                                [&](bool refresh) {
                                  here.topology.refresh = refresh;
                                  return bench_here(here, *wanted, *topobench, before, outside,
                                                    voice);
                                });
}

}  // namespace topolaunch::launcher
