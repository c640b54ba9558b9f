// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/census.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/cpu_set.h"

namespace topolaunch::bench {

std::string to_wire(const Participant& p) {
  return to_line(Json{{"rank", p.device.rank}, {"pid", p.device.pid}, {"host", p.device.host},
                      {"device", p.device.device}, {"info", p.device.info},
                      {"index", p.device.index}, {"cpus", p.device.cpus}, {"leaf", p.device.leaf},
                      {"key", p.host_key}, {"coordinates", p.coordinates}});
}

Result<Participant> participant_from_wire(const std::string& text) {
  auto json = parse_json(text, "another rank's answer");
  if (!json) return fail(std::move(json).error());
  try {
    Participant p;
    p.device.rank = json->at("rank").get<int>();
    p.device.pid = json->at("pid").get<int>();
    p.device.host = json->at("host").get<std::string>();
    p.device.device = json->at("device").get<std::string>();
    p.device.info = json->at("info").get<std::string>();
    p.device.index = json->at("index").get<int>();
    p.device.cpus = json->at("cpus").get<std::string>();
    p.device.leaf = json->at("leaf").get<std::string>();
    p.host_key = json->at("key").get<std::string>();
    p.coordinates = json->at("coordinates").get<std::map<std::string, int>>();
    return p;
  } catch (const Json::exception& e) {
    return fail(Code::internal, std::string("another rank's answer: ") + e.what());
  }
}

std::optional<Expectation> expected_ranks(std::optional<int> asked, const Environment& environment) {
  if (asked) return Expectation{*asked, "--expect-ranks"};
  struct Sayer {
    const char* size;
    const char* rank;  ///< has to be there too: a pod or a batch script has the size alone
  };
  constexpr Sayer kSayers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                               {"PMI_SIZE", "PMI_RANK"},
                               {"WORLD_SIZE", "LOCAL_RANK"},
                               {"SLURM_NTASKS", "SLURM_PROCID"}};
  for (const Sayer& sayer : kSayers) {
    const auto size = environment.get_int(sayer.size);
    if (size && *size > 0 && *size <= 100'000'000 && environment.has(sayer.rank)) {
      return Expectation{static_cast<int>(*size), sayer.size};
    }
  }
  return std::nullopt;
}

Status check_census(const std::vector<Participant>& participants,
                    const std::optional<Expectation>& expected) {
  const int ranks = static_cast<int>(participants.size());
  if (expected && expected->ranks != ranks) {
    if (ranks == 1) {
      return fail(Code::validation_failed,
                  fmt::format("{} ranks were expected ({}), but MPI sees a world of 1: these are {} "
                              "worlds of one rank, and none of them measures anything",
                              expected->ranks, expected->said_by, expected->ranks),
                  "start it with the mpirun or srun of the MPI that topobench is built with");
    }
    return fail(Code::validation_failed, fmt::format("{} ranks were expected ({}), MPI sees {}",
                                                     expected->ranks, expected->said_by, ranks));
  }
  std::map<std::pair<std::string, std::string>, int> taken;
  for (const Participant& p : participants) {
    // Host memory is shared by design; there the process is the device.
    if (p.device.device == "cpu") continue;
    const auto [other, fresh] = taken.try_emplace({p.host_key, p.device.device}, p.device.rank);
    if (!fresh) {
      return fail(Code::validation_failed,
                  fmt::format("ranks {} and {} are both on GPU {} of {}", other->second,
                              p.device.rank, p.device.device, p.device.host),
                  "one rank a GPU: see CUDA_VISIBLE_DEVICES and the number of ranks per host");
    }
  }
  return {};
}

int count_hosts(std::vector<Participant>& participants) {
  std::map<std::string, int> ranks_on;
  for (Participant& p : participants) p.device.local_rank = ranks_on[p.host_key]++;
  return static_cast<int>(ranks_on.size());
}

std::vector<std::string> census_notes(const std::vector<Participant>& participants) {
  std::map<std::string, std::vector<const Participant*>> hosts;
  for (const Participant& p : participants) hosts[p.host_key].push_back(&p);
  std::vector<std::string> notes;
  for (const auto& [key, ranks] : hosts) {
    CpuSet all;
    int overlapping = 0;
    for (const Participant* p : ranks) {
      const auto cpus = CpuSet::from_list(p->device.cpus);
      if (!cpus) continue;
      if (all.intersects(*cpus)) ++overlapping;
      all = all | *cpus;
    }
    const std::string& host = ranks.front()->device.host;
    if (static_cast<int>(ranks.size()) > all.size() && !all.empty()) {
      notes.push_back(fmt::format("{} ranks share {} CPUs of {}: times are those of taking turns",
                                  ranks.size(), all.size(), host));
    } else if (overlapping > 0) {
      notes.push_back(fmt::format("ranks on {} aren't bound to CPUs of their own", host));
    }
  }
  return notes;
}

}  // namespace topolaunch::bench
