// SPDX-License-Identifier: Apache-2.0
#include "launcher/join.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <string_view>
#include <vector>

#include "launcher/shim/become.h"
#include "launcher/shim/order.h"
#include "launcher/shim/shim.h"

namespace topolaunch::launcher {
namespace {

int value(const Environment& environment, const char* name) {
  const auto number = environment.get_int(name);
  return number && *number >= 0 && *number < 1 << 24 ? static_cast<int>(*number) : -1;
}

/// A rank that can be: the numbers that are known fit together.
std::optional<JoinedRank> checked(JoinedRank joined) {
  if (joined.rank < 0 || joined.world <= joined.rank) return std::nullopt;
  if (joined.local_world >= 0 &&
      (joined.local_rank >= joined.local_world || joined.local_world > joined.world)) {
    return std::nullopt;
  }
  if (joined.local_world == joined.world) joined.group_rank = 0;
  return joined;
}

/// torchrun, and topolaunch itself. A PyTorchJob pod has RANK and WORLD_SIZE, but no LOCAL_RANK: it
/// is a host, not a rank.
std::optional<JoinedRank> torchrun(const Environment& e) {
  if (!e.has("TORCHELASTIC_RUN_ID") || value(e, "LOCAL_RANK") < 0) return std::nullopt;
  return checked({value(e, "RANK"), value(e, "WORLD_SIZE"), value(e, "LOCAL_RANK"),
                  value(e, "LOCAL_WORLD_SIZE"), value(e, "GROUP_RANK"),
                  e.has("TOPOLAUNCH_RUN_ID") ? "topolaunch" : "torchrun"});
}

/// OMPI_COMM_WORLD_NODE_RANK is the rank within the host, not the host's number: not used.
std::optional<JoinedRank> open_mpi(const Environment& e) {
  return checked({value(e, "OMPI_COMM_WORLD_RANK"), value(e, "OMPI_COMM_WORLD_SIZE"),
                  value(e, "OMPI_COMM_WORLD_LOCAL_RANK"), value(e, "OMPI_COMM_WORLD_LOCAL_SIZE"),
                  -1, "Open MPI"});
}

/// Hydra and Intel MPI say the local numbers. Slurm's PMI-2 sets PMI_RANK as well, and says the
/// local numbers in its own variables.
std::optional<JoinedRank> mpich(const Environment& e, bool with_local) {
  if (with_local != (value(e, "MPI_LOCALRANKID") >= 0)) return std::nullopt;
  return checked({value(e, "PMI_RANK"), value(e, "PMI_SIZE"), value(e, "MPI_LOCALRANKID"),
                  value(e, "MPI_LOCALNRANKS"), -1, "MPICH"});
}

/// "0,1,2" or "0-7,12-19": how many numbers; -1 if it is no such list.
int count_of_list(const std::string& text) {
  const auto set = CpuSet::from_list(text);
  return set && !set->empty() ? set->size() : -1;
}

/// "8(x2),3": the entry of host `host`.
int entry_of_host(std::string_view text, int host) {
  while (!text.empty() && host >= 0) {
    int tasks = 0, times = 1;
    auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), tasks);
    if (bad != std::errc{}) return -1;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.starts_with("(x")) {
      const auto result = std::from_chars(text.data() + 2, text.data() + text.size(), times);
      if (result.ec != std::errc{} || times < 1) return -1;
      text.remove_prefix(static_cast<std::size_t>(result.ptr - text.data()));
      if (!text.starts_with(")")) return -1;
      text.remove_prefix(1);
    }
    if (host < times) return tasks;
    host -= times;
    if (text.starts_with(",")) text.remove_prefix(1);
  }
  return -1;
}

std::optional<JoinedRank> slurm_step(const Environment& e) {
  // Steps from 0xfffffff0 on are no job steps: batch script, extern, interactive (slurm/slurm.h).
  const auto step = e.get_int("SLURM_STEP_ID");
  if (!step || *step < 0 || *step >= 0xfffffff0L) return std::nullopt;
  JoinedRank joined;
  joined.source = "Slurm step";
  joined.rank = value(e, "SLURM_PROCID");
  joined.world = value(e, "SLURM_STEP_NUM_TASKS");
  if (joined.world < 0) joined.world = value(e, "SLURM_NTASKS");
  joined.local_rank = value(e, "SLURM_LOCALID");
  if (const auto list = e.get("SLURM_GTIDS")) joined.local_world = count_of_list(*list);
  const int host = value(e, "SLURM_NODEID");
  if (joined.local_world < 0) {
    joined.local_world = entry_of_host(e.get_or("SLURM_STEP_TASKS_PER_NODE", ""), host);
  }
  // Hosts are numbered in the order of the (sorted) list of hosts, which is not that of the ranks
  // when the distribution is arbitrary.
  if (!e.get_or("SLURM_DISTRIBUTION", "").starts_with("arbitrary")) joined.group_rank = host;
  return checked(std::move(joined));
}

}  // namespace

std::optional<JoinedRank> joined_rank(const Environment& environment) {
  // Innermost first: torchrun is started by mpirun and srun, mpirun's daemons by srun.
  if (auto joined = torchrun(environment)) return joined;
  if (auto joined = open_mpi(environment)) return joined;
  if (auto joined = mpich(environment, true)) return joined;
  if (auto joined = slurm_step(environment)) return joined;
  return mpich(environment, false);
}

Status exec_joined(const Plan& plan, const Outside& outside,
                   const std::function<void(const RankObservation&)>& seen) {
  if (plan.ranks.size() != 1 || plan.command.empty()) {
    return fail(Code::internal, "a joined rank's plan has one rank and a command");
  }
  Order order = order_for(plan, plan.ranks.front());
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction now {};
    if (::sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) {
      order.ignored_signals.push_back(number);
    }
  }
  return fail(take_place_and_become(order, open_descriptors(), outside, seen));
}

}  // namespace topolaunch::launcher
