// SPDX-License-Identifier: Apache-2.0
#include "launcher/verbs/bench.h"

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "bench/comparison.h"
#include "launcher/admission.h"
#include "launcher/bench_job.h"
#include "launcher/job_model.h"
#include "launcher/machine.h"
#include "launcher/make_plan.h"
#include "launcher/place_ranks.h"
#include "launcher/rendezvous.h"
#include "launcher/report/closing.h"
#include "launcher/run_directory.h"
#include "launcher/visible_gpus.h"
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
  auto json = parse_json(*text, file);
  if (!json) return fail(std::move(json).error());
  return bench::measurement_from_json(*json, file);
}

}  // namespace

Result<Answer> bench_verb(const BenchOptions& options, const Outside& outside, const Voice& voice) {
  auto topobench = find_topobench(outside);
  if (!topobench) return fail(std::move(topobench).error());
  std::optional<bench::Measurement> before;
  if (!options.compare.empty()) {
    // Read first: a wrong name costs no measurement.
    auto read = earlier(options.compare, outside);
    if (!read) return fail(std::move(read).error());
    before = std::move(*read);
  }
  auto topology = look_at(options.topology, outside);
  if (!topology) return fail(std::move(topology).error());
  if (!topology->live) {
    if (Status ok = take_as_this_machine(*topology, own_host_name()); !ok) {
      return fail(std::move(ok).error());
    }
  }
  const VisibleGpus visible = visible_gpus(topology->hosts.front(), outside.environment);
  if (visible.devices.empty()) topology->hosts.front().gpus.clear();
  JobOptions job = options.job;
  const bool says_ranks = job.ranks > 0 || !job.parallel.empty() || !job.traffic.empty();
  if (!says_ranks && topology->hosts.front().gpus.empty()) {
    // One rank has nobody to exchange with: without GPUs as many as share this memory, two at least.
    job.ranks = std::max(2, topology->hosts.front().allowed_cpus.size());
    job.oversubscribe = job.oversubscribe || topology->hosts.front().allowed_cpus.size() < 2;
  }
  auto model = model_job(job, {*topology, &visible, 0}, outside);
  if (!model) return fail(std::move(model).error());
  auto solution = place_ranks(*topology, &visible, *model);
  if (!solution) return fail(std::move(solution).error());
  auto port = free_port();
  if (!port) return fail(std::move(port).error());
  const std::string id = quota::make_uuid_v7(outside.clock.unix_time());
  RunOptions run;
  run.command = {*topobench};
  run.command.insert(run.command.end(), options.topobench.begin(), options.topobench.end());
  run.quota = options.quota;
  run.time_limit = options.time_limit.value_or(Seconds(300));
  auto admission = quota::admit(admit_request(run, id, *topology, *solution, outside), outside);
  if (!admission) return fail(std::move(admission).error());
  for (const std::string& warning : admission->warnings) voice.say(warning);
  PlanRequest request{*topology, model->graph, *solution, visible, outside.environment, run,
                      EngineChoice{"mpirun", "topobench is an MPI program"}, id, *topobench, "/",
                      "127.0.0.1", *port};
  const Plan plan = make_plan(request);
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
  wish.show_table = !options.json;
  if (!options.quiet) voice.say("placed  " + placed_phrase(plan));
  auto measurement = measure(plan, wish, outside);
  ::unlink(wish.json_file.c_str());
  if (charge.charged && !*charge.charged) {
    voice.say("quota: could not be settled: " + charge.charged->error().text());
  } else if (charge.charged) {
    voice.say("quota   " + std::to_string(**charge.charged) + " of " +
              std::to_string(charge.hold->gpu_seconds()) + " held GPU-seconds charged to team " +
              admission->team);
  }
  if (!measurement) return fail(std::move(measurement).error());
  int status = measurement->wrong > 0 ? exit_status(Code::validation_failed) : 0;
  std::string compared;
  if (before) {
    auto differences = bench::compare(*before, *measurement);
    if (!differences) return fail(std::move(differences).error());
    compared = bench::to_text(*differences, options.compare + " of " + before->start_time);
    const bool slower = std::ranges::any_of(*differences, [](const bench::Difference& d) {
      return d.way == bench::Difference::Way::slower;
    });
    if (slower) status = exit_status(Code::validation_failed);
    if (options.json) voice.say(compared);
  }
  return Answer{options.json ? to_pretty(bench::to_json(*measurement)) : compared, status};
}

}  // namespace topolaunch::launcher
