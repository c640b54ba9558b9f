// SPDX-License-Identifier: Apache-2.0
#include "launcher/join_run.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/own_host.h"
#include "launcher/device_share.h"
#include "launcher/job_model.h"
#include "launcher/machine.h"
#include "launcher/make_plan.h"
#include "launcher/place_ranks.h"
#include "launcher/rank_environment.h"
#include "launcher/rendezvous.h"
#include "launcher/report/plan_text.h"
#include "launcher/validate.h"
#include "quota/digest.h"

namespace topolaunch::launcher {
namespace {

/// Open MPI binds each rank to a core by itself, without knowing of GPUs. As with a numactl written
/// by hand, the rank takes back all CPUs of its cpuset (the kernel never gives more), so that all
/// ranks of the host share out the same set. A binding of Slurm's or of the user's taskset stays.
bool undo_default_binding(const JoinedRank& joined, const Environment& environment) {
  if (joined.source != "Open MPI" || !environment.has("OMPI_MCA_orte_bound_at_launch")) return false;
  constexpr std::size_t kBytes = 8192 / 8;
  std::array<unsigned char, kBytes> all{};
  all.fill(0xff);
  return ::sched_setaffinity(0, all.size(), reinterpret_cast<const cpu_set_t*>(all.data())) == 0;
}

/// The run id that all ranks share without talking: from what the outer launcher told each of them.
std::string shared_run_id(const Environment& environment, const std::string& own) {
  const std::string outer = environment.get_or("TOPOLAUNCH_RUN_ID", "");
  if (!outer.empty()) return outer;
  const std::string key = launch_key(environment);
  return key.empty() ? own : "joined-" + quota::sha256_hex(key).substr(0, 16);
}

/// A rank that another launcher has started can't be charged yet: refused where the site requires
/// quota or a token is named, so that nobody believes it was.
Status refuse_quota(const RunOptions& options) {
  const bool required = options.quota.rule == "require";
  const bool named = !options.quota.token_file.empty() && options.quota.rule != "off";
  if (!required && !named) return {};
  return fail(Code::denied,
              std::string(required ? "this site requires quota" : "a quota token is named") +
                  ", and a rank that another launcher started can't be charged yet",
              "let topolaunch start the job: topolaunch -n N -- COMMAND");
}

/// Where nobody has said it: the ranks' common address and port. Several hosts can't agree on a port
/// without talking: there it is left to the user.
void choose_rendezvous(const JoinedRank& joined, const Environment& given, PlanRequest& request,
                       const Voice& voice) {
  request.master_address = given.get_or("MASTER_ADDR", "");
  request.master_port = static_cast<int>(given.get_int("MASTER_PORT").value_or(0));
  const bool one_host = joined.local_world == joined.world;
  if (one_host && request.master_address.empty()) request.master_address = "127.0.0.1";
  if (one_host && request.master_port == 0) {
    auto port = agreed_port(launch_key(given), given);
    if (port) {
      request.master_port = *port;
    } else if (joined.rank == 0) {
      voice.say("MASTER_PORT is not set: " + port.error().text());
    }
  }
  if (!one_host && (request.master_address.empty() || request.master_port == 0) &&
      joined.rank == 0) {
    voice.say("MASTER_ADDR and MASTER_PORT are not set: give both to the outer launcher if the job "
              "needs them");
  }
}

/// How the ranks of this host fall into torchrun's groups (device_share.h): by the plan, or one
/// each where each rank sees a GPU of its own. torchrun has said its groups itself.
struct LocalGroups {
  int groups = 1, size = 1;  ///< on the host; of this rank's one
  int group = 0, local_rank = 0;
};

LocalGroups local_groups(const Plan& plan, std::size_t own, const JoinedRank& joined,
                         bool own_gpu_only) {
  if (joined.source == "torchrun" || joined.source == "topolaunch") {
    return {1, joined.local_world, 0, joined.local_rank};
  }
  if (own_gpu_only) return {joined.local_world, 1, joined.local_rank, 0};
  LocalGroups out{0, 0, plan.ranks[own].group_rank, plan.ranks[own].local_rank};
  for (const RankPlan& rank : plan.ranks) {
    out.groups = std::max(out.groups, rank.group_rank + 1);
    if (rank.group_rank == out.group) ++out.size;
  }
  return out;
}

/// Numbers of the world, which the plan of this host alone does not know.
void set_world(Plan& plan, const JoinedRank& joined, const LocalGroups& local,
               const Environment& given) {
  RankPlan& rank = plan.ranks.front();
  rank.rank = joined.rank;
  rank.local_rank = local.local_rank;
  rank.group_rank = std::max(0, joined.group_rank) * local.groups + local.group;
  const int hosts =
      joined.local_world > 0 ? (joined.world + joined.local_world - 1) / joined.local_world : 1;
  const auto set = [&](const char* name, int value) {
    rank.environment[name] = std::to_string(value);
  };
  set("RANK", joined.rank);
  set("ROLE_RANK", joined.rank);
  set("WORLD_SIZE", joined.world);
  set("ROLE_WORLD_SIZE", joined.world);
  set("LOCAL_RANK", rank.local_rank);
  set("LOCAL_WORLD_SIZE", local.size);
  set("GROUP_RANK", rank.group_rank);
  set("NODE_RANK", rank.group_rank);
  set("GROUP_WORLD_SIZE",
      static_cast<int>(
          given.get_int("GROUP_WORLD_SIZE")
              .value_or(given.get_int("SLURM_STEP_NUM_NODES").value_or(hosts) * local.groups)));
  // torchrun's agent serves the store of its own workers: what it said about it stays.
  if (joined.source == "torchrun") {
    for (const auto& [name, value] : given.variables()) {
      if (name.starts_with("TORCHELASTIC_") || name.starts_with("ROLE_")) {
        rank.environment[name] = value;
      }
    }
  }
}

}  // namespace

Result<Answer> join_run(const RunOptions& options, const JoinedRank& joined,
                        const std::string& executable, const std::string& run_id,
                        const Outside& outside, const Voice& voice) {
  if (Status ok = refuse_quota(options); !ok) return fail(std::move(ok).error());
  JoinedRank self = joined;
  if (self.local_rank < 0) self.local_rank = 0;
  if (self.local_world < 1) self.local_world = 1;
  if (options.job.ranks > 0 && options.job.ranks != self.world) {
    return fail(Code::wrong_usage,
                "-n " + std::to_string(options.job.ranks) + " does not fit: this is rank " +
                    std::to_string(self.rank) + " of " + std::to_string(self.world) +
                    " that " + self.source + " has started",
                "leave out -n, or give --engine local to start ranks of its own");
  }
  const bool unbound = undo_default_binding(self, outside.environment);
  auto topology = look_at(options.topology, outside);
  if (!topology) return fail(std::move(topology).error());
  if (!topology->live) {
    if (Status ok = take_as_this_machine(*topology, own_host_name()); !ok) {
      return fail(std::move(ok).error());
    }
  }
  const VisibleGpus visible = visible_gpus(topology->hosts.front(), outside.environment);
  // One visible GPU and several ranks: the resource manager gave each rank its own. It is device 0
  // for this rank; the peers are hidden, and nothing here can bring them back.
  const bool own_gpu_only = visible.devices.size() == 1 && self.local_world > 1;
  if (visible.devices.empty()) topology->hosts.front().gpus.clear();
  JobOptions job = options.job;
  job.ranks = 0;
  job.parallel.clear();
  job.traffic.clear();
  job.oversubscribe = true;  // how many ranks there are was decided by somebody else
  const int local_ranks = own_gpu_only ? 1 : self.local_world;
  auto model = model_job(job, {*topology, &visible, local_ranks}, outside);
  if (!model) return fail(std::move(model).error());
  auto solution = place_ranks(*topology, &visible, *model);
  if (!solution) return fail(std::move(solution).error());

  PlanRequest request{*topology, model->graph, *solution, visible, outside.environment, options,
                      EngineChoice{"join", "already a rank of " + self.source},
                      shared_run_id(outside.environment, run_id), executable, "", {}, 0, {}};
  choose_rendezvous(self, outside.environment, request, voice);
  Plan plan = make_plan(request);
  const auto own = static_cast<std::size_t>(own_gpu_only ? 0 : self.local_rank);
  if (own >= plan.ranks.size()) {
    return fail(Code::infeasible, "local rank " + std::to_string(self.local_rank) + " of " +
                                      std::to_string(self.local_world) + " has no place here");
  }
  const LocalGroups local = local_groups(plan, own, self, own_gpu_only);
  const std::string words = sharing_words(plan);
  plan.ranks = {plan.ranks[own]};
  std::array<char, 4096> folder{};
  plan.working_directory = ::getcwd(folder.data(), folder.size()) != nullptr ? folder.data() : "/";
  set_world(plan, self, local, outside.environment);

  if (own_gpu_only && self.local_rank == 0) {
    voice.say(
        "each rank sees one GPU only, as cuda:0 with LOCAL_RANK 0: CUDA IPC between them "
        "fails; have the outer launcher show all GPUs to all ranks");
  } else if (self.local_rank == 0 && !words.empty()) {
    voice.say(words);
  }
  const RankPlan& rank = plan.ranks.front();
  voice.detail("rank " + std::to_string(rank.rank) + " of " + std::to_string(self.world) + " (" +
               self.source + "): CPUs " + rank.cpus.to_list() +
               (rank.gpu_index >= 0 ? ", GPU " + rank.gpu_pci : "") +
               (unbound ? "; Open MPI's own binding is replaced" : ""));
  if (options.dry_run) return Answer{plan_table(plan), 0};
  Status status = exec_joined(plan, outside, [&](const RankObservation& seen) {
    if (options.validate == "off") return;
    for (const Check& check : check_placement(plan, {seen})) {
      if (check.verdict == Outcome::fail) voice.say("check '" + check.name + "': " + check.suspect);
    }
  });
  return fail(std::move(status).error());
}

}  // namespace topolaunch::launcher
