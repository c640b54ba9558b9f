// SPDX-License-Identifier: Apache-2.0
#include "launcher/run.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/commands.h"
#include "launcher/admission.h"
#include "launcher/carry_out.h"
#include "launcher/device_share.h"
#include "launcher/engine.h"
#include "launcher/engine_choice.h"
#include "launcher/hosts/changed_hosts.h"
#include "launcher/job_machine.h"
#include "launcher/job_model.h"
#include "launcher/join.h"
#include "launcher/join_run.h"
#include "launcher/machine.h"
#include "launcher/make_plan.h"
#include "launcher/output_paths.h"
#include "launcher/place_ranks.h"
#include "launcher/rank_environment.h"
#include "launcher/rendezvous.h"
#include "launcher/report/plan_text.h"
#include "launcher/report/summary.h"
#include "launcher/run_files.h"
#include "launcher/validate.h"
#include "quota/uuid.h"
#include "topo/topology_words.h"

namespace topolaunch::launcher {
namespace {

std::string working_directory(const Voice& voice) {
  std::array<char, 4096> path{};
  if (::getcwd(path.data(), path.size()) != nullptr) return path.data();
  voice.say(errno == ENOENT ? "the working directory is gone: ranks start in /"
                            : "the working directory can't be told: ranks start in /");
  return "/";
}

Result<EngineChoice> engine_for(const RunOptions& options, const std::string& joined,
                                bool other_hosts, const Outside& outside) {
  EngineSituation situation;
  situation.wanted = options.engine;
  situation.joined = joined;
  situation.other_hosts = other_hosts;
  situation.peers = options.peers;
  situation.command_line = shell_quoted(options.command);
  return choose_engine(situation, outside.environment);
}

/// MASTER_ADDR and MASTER_PORT for a job on this host: the user's where they can work here.
Status choose_rendezvous(const Environment& given, const std::string& host, PlanRequest& request,
                         const Voice& voice) {
  const std::string address = given.get_or("MASTER_ADDR", "");
  const bool here = address == "localhost" || address == host || address.starts_with("127.") ||
                    address == "::1";
  request.master_address = here ? address : "127.0.0.1";
  if (const auto port = given.get_int("MASTER_PORT")) {
    const bool possible = *port > 0 && *port < 65536;
    if (possible && is_free_port(static_cast<int>(*port))) {
      request.master_port = static_cast<int>(*port);
      return {};
    }
    voice.say("MASTER_PORT=" + std::to_string(*port) +
              (possible ? " is not free here" : " is no port") + ": another one is taken");
  }
  auto port = free_port();
  if (!port) return fail(std::move(port).error());
  request.master_port = *port;
  return {};
}

void say_notes(const VisibleGpus& visible, const topo::Topology& topology, const Plan& plan,
               const Environment& given, const Voice& voice) {
  for (const std::string& note : visible.notes) voice.say(note);
  for (const topo::Warning& warning : topology.warnings) {
    if (warning.severity == topo::Warning::Severity::note) {
      voice.detail(topo::place_of(warning) + warning.message);
    } else {
      voice.say(topo::place_of(warning) + warning.message);
    }
  }
  std::string replaced;
  for (const std::string& one : replaced_variables(plan.ranks.front().environment, given)) {
    // The device list is permuted by contract; the plan shows it.
    if (one.starts_with("CUDA_VISIBLE_DEVICES=")) {
      voice.detail(one + " is permuted to " +
                   plan.ranks.front().environment.at("CUDA_VISIBLE_DEVICES"));
      continue;
    }
    replaced += (replaced.empty() ? "" : ", ") + one;
  }
  if (!replaced.empty()) voice.say("replaced for the ranks: " + replaced);
  if (const std::string words = sharing_words(plan); !words.empty()) voice.say(words);
  std::string last;
  for (const RankPlan& rank : plan.ranks) {
    if (rank.note.empty() || rank.note == last) continue;
    last = rank.note;
    voice.detail("rank " + std::to_string(rank.rank) + ": " + rank.note);
  }
}

/// Leave to run, and for how long by the grant.
struct Admitted {
  quota::Admission admission;
  std::optional<Seconds> wall_limit;
};

/// Discover. With --dry-run nothing is started, so any machine will do.
Result<HostMachine> discover(const RunOptions& options, const HostsWanted& wanted,
                             const Outside& outside) {
  auto machine =
      options.dry_run && wanted.hosts.empty()
          ? machine_to_think_of(options.topology, {}, outside)
          : machine_to_start_on(options.topology, wanted.hosts, options.job.excluded, outside);
  if (!machine) return machine;
  if (wanted.own_slots > 0) machine->topology.hosts.front().slots = wanted.own_slots;
  if (options.validate == "off") return machine;
  const Status held = hold_to(options, Verdict{{check_topology(machine->topology)}});
  if (!held) return fail(held.error());
  return machine;
}

/// Admit; with --dry-run ask what would be held.
Result<Admitted> admit(const RunOptions& options, const quota::AdmitRequest& request,
                       const Outside& outside) {
  Admitted out;
  if (options.dry_run) {
    auto quote = quota::quote(request, outside);
    if (!quote) return fail(std::move(quote).error());
    out.admission.text = quote->text;
    out.wall_limit = quote->wall_limit;
  } else {
    auto admission = quota::admit(request, outside);
    if (!admission) return fail(std::move(admission).error());
    out.admission = std::move(*admission);
    if (out.admission.hold) out.wall_limit = out.admission.hold->wall_limit();
  }
  return out;
}

Result<Answer> shown(const Story& story, const Outside& outside) {
  auto engine = make_engine(story.plan.engine);
  if (!engine) return fail(std::move(engine).error());
  auto commands = (*engine)->commands(story.plan, outside);
  if (!commands) return fail(std::move(commands).error());
  return Answer{dry_run_text(story, *commands), 0};
}

/// The path behind the choice of an engine: discover, map, admit, plan, carry out, tell.
Result<Answer> run_here(const RunOptions& options, const HostsWanted& wanted,
                        const std::string& executable, EngineChoice engine,
                        const std::string& run_id, const Outside& outside, const Voice& voice) {
  auto machine = discover(options, wanted, outside);
  if (!machine) return fail(std::move(machine).error());
  const VisibleGpus visible = usable_gpus(*machine, outside.environment, voice);
  auto placed = place_job(*machine, visible, options.job, outside);
  if (!placed) return fail(std::move(placed).error());
  const JobModel& model = placed->model;
  if (!model.note.empty()) voice.say(model.note);

  const quota::AdmitRequest request =
      admit_request(options, run_id, machine->topology, placed->solution, outside);
  auto admitted = admit(options, request, outside);
  if (!admitted) return fail(std::move(admitted).error());
  for (const std::string& warning : admitted->admission.warnings) voice.say(warning);

  Story story;
  story.quota = quota_story(admitted->admission, request);
  story.phases = mapping::phases_of(machine->topology, model.graph, placed->solution);
  story.typed = options.typed;
  story.topology = std::move(machine->topology);
  story.solution = std::move(placed->solution);
  story.graph_origin = model.graph.origin;
  story.user = user_name(outside.environment);
  PlanRequest plan_request{story.topology,
                           model.graph,
                           story.solution,
                           visible,
                           outside.environment,
                           options,
                           engine,
                           run_id,
                           executable,
                           working_directory(voice),
                           {},
                           0,
                           machine->ids};
  if (machine->hosts.empty()) {  // else the engine looks for an address of rank 0's host
    const std::string& host = story.topology.hosts.front().name;
    if (Status ok = choose_rendezvous(outside.environment, host, plan_request, voice); !ok) {
      return fail(std::move(ok).error());
    }
  }
  story.plan = make_plan(plan_request);
  story.plan.time_limit = shorter(story.plan.time_limit, admitted->wall_limit);
  say_notes(visible, story.topology, story.plan, outside.environment, voice);
  if (options.dry_run) return shown(story, outside);

  const RunFiles record = RunFiles::open(story, outside);
  auto& hold = admitted->admission.hold;
  if (Status ok = carry_out(options, plan_request, model, story, hold, record, outside, voice); !ok) {
    record.refused(story, ok.error());
    return fail(std::move(ok).error());
  }
  return settle_and_tell(options, story, hold, record, outside, voice);
}

}  // namespace

Result<Answer> run(const RunOptions& options, const Outside& outside, const Voice& voice) {
  auto executable =
      find_executable(options.command.front(), outside.environment.get_or("PATH", "/usr/bin:/bin"));
  if (!executable) return fail(std::move(executable).error());
  const auto joined = joined_rank(outside.environment);
  auto wanted = hosts_wanted(options.topology, outside);
  if (!wanted) return fail(std::move(wanted).error());
  RunOptions here = options;
  if (wanted->hosts.empty()) here.topology.hosts.clear();
  if (here.job.ranks == 0 && here.job.parallel.empty() && here.job.traffic.empty()) {
    here.job.ranks = wanted->own_slots;
  }
  auto engine = engine_for(options, joined ? joined->source : std::string(),
                           !wanted->hosts.empty(), outside);
  if (!engine) return fail(std::move(engine).error());
  if (Status ok = check_output_paths(options); !ok) return fail(std::move(ok).error());
  std::string run_id = quota::make_uuid_v7(outside.clock.unix_time());
  if (engine->name == "join") {
    return join_run(here, *joined, *executable, run_id, outside, voice);
  }
  auto answer = asked_again_if_changed(
      here.topology.refresh, wanted->hosts, outside, voice, [&](bool refresh) {
        run_id = quota::make_uuid_v7(outside.clock.unix_time());
        here.topology.refresh = refresh;
        return run_here(here, *wanted, *executable, *engine, run_id, outside, voice);
      });
  if (!answer && !options.summary.empty() && !options.dry_run) {
    const Status ignored =
        write_file(options.summary, to_pretty(refusal_json(run_id, answer.error())));
    if (!ignored) voice.say("--summary: " + ignored.error().text());
  }
  return answer;
}

}  // namespace topolaunch::launcher
