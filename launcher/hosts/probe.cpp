// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/probe.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "launcher/bench_job.h"
#include "launcher/hosts/host_machine.h"
#include "launcher/job_model.h"
#include "launcher/make_plan.h"
#include "launcher/place_ranks.h"
#include "launcher/run_directory.h"
#include "quota/digest.h"
#include "quota/uuid.h"
#include "topo/probe_file.h"

namespace topolaunch::launcher {
namespace {

/// Fewer show nothing: two leaves of two hosts are the least (topo/leaf_clusters.h).
constexpr std::size_t kLeastHosts = 4;
/// Up to five tournaments are measured however long they take, of N - 1 rounds each.
constexpr double kSecondsOfTournaments = 6, kSecondsAHost = 4;

Result<std::string> file_of(const std::vector<JobHost>& hosts, const Environment& environment) {
  auto state = state_directory(environment);
  if (!state) return state;
  std::vector<std::string> names;
  for (const JobHost& host : hosts) names.push_back(host.name);
  std::ranges::sort(names);
  std::string all;
  for (const std::string& name : names) all += name + '\n';
  return *state + "/probes/" + quota::sha256_hex(all).substr(0, 16) + ".json";
}

bool is_kept(const std::string& file, const Outside& outside) {
  const auto text = outside.files.read(file, std::size_t{64} << 20);
  if (!text) return false;
  const auto json = parse_json(*text, file);
  return json && topo::probe_is_sure(*json);
}

/// One rank on each host, in the given order, on CPUs.
Result<Plan> plan_over(HostMachine& machine, const TopologyOptions& options,
                       const Outside& outside) {
  machine.topology.fabric = {};
  for (topo::Host& host : machine.topology.hosts) {
    host.gpus.clear();
    host.p2p.clear();
    host.slots = 1;
  }
  for (JobHost& host : machine.hosts) host.slots = 1;
  JobOptions job;
  job.ranks = static_cast<int>(machine.hosts.size());
  const VisibleGpus none;
  auto model = model_job(job, {machine.topology, &none, 0, &machine.hosts}, outside);
  if (!model) return fail(std::move(model).error());
  auto solution = place_ranks(machine.topology, &none, *model);
  if (!solution) return fail(std::move(solution).error());
  RunOptions run;
  run.topology = options;
  const PlanRequest request{machine.topology,
                            model->graph,
                            *solution,
                            none,
                            outside.environment,
                            run,
                            EngineChoice{"mpirun", "--hosts"},
                            quota::make_uuid_v7(outside.clock.unix_time()),
                            "topobench",
                            "/",
                            {},
                            0,
                            machine.ids};
  return make_plan(request);
}

Status measure_into(const std::string& file, const TopologyOptions& options,
                    std::vector<JobHost> hosts, const Outside& outside) {
  TopologyOptions asked = options;
  asked.topologies.clear();
  asked.link_rate.clear();
  auto machine = look_at_hosts(std::move(hosts), asked, {}, outside);
  if (!machine) return fail(std::move(machine).error());
  const std::size_t count = machine->hosts.size();
  if (count < kLeastHosts) {
    return fail(Code::wrong_usage,
                "probe: " + std::to_string(count) + " different hosts show no leaves",
                "name four or more with --hosts");
  }
  auto plan = plan_over(*machine, options, outside);
  if (!plan) return fail(std::move(plan).error());
  Json trial;
  for (const RankPlan& rank : plan->ranks) trial["hosts"].push_back(rank.host);
  trial["seconds"] = kSecondsOfTournaments;
  BenchWish wish;
  wish.arguments = {"__probe", to_line(trial)};
  wish.limit = Seconds(60 + kSecondsAHost * static_cast<double>(count));
  auto json = topobench_document(*plan, wish, outside);
  if (!json) return fail(std::move(json).error().within("probe"));
  if (!topo::is_probe(*json)) {
    return fail(Code::could_not_test, "topobench gave no probe of the network");
  }
  if (Status ok = make_folders(file.substr(0, file.rfind('/')), 0700); !ok) return ok;
  return write_file(file, to_line(*json) + "\n", 0600);
}

Result<std::string> probed_fabric(const TopologyOptions& options, const Outside& outside) {
  auto hosts = hosts_named(options, outside);
  if (!hosts) return fail(std::move(hosts).error());
  if (hosts->size() < kLeastHosts) {
    return fail(Code::wrong_usage,
                hosts->empty()
                    ? "a probe measures between hosts, and none are named"
                    : "probe: " + std::to_string(hosts->size()) + " hosts show no leaves",
                "name four or more with --hosts");
  }
  auto file = file_of(*hosts, outside.environment);
  if (!file) return file;
  if (!options.refresh && is_kept(*file, outside)) return file;
  if (Status ok = measure_into(*file, options, std::move(*hosts), outside); !ok) {
    return fail(std::move(ok).error());
  }
  return file;
}

}  // namespace

Result<TopologyOptions> with_probe(const TopologyOptions& options, const Outside& outside) {
  TopologyOptions out = options;
  for (std::string& topology : out.topologies) {
    if (topology != "probe:") continue;
    auto file = probed_fabric(options, outside);
    if (!file) return fail(std::move(file).error());
    topology = std::move(*file);
    out.refresh = false;  // they have just been asked
  }
  return out;
}

}  // namespace topolaunch::launcher
