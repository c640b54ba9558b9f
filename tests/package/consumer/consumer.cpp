// SPDX-License-Identifier: Apache-2.0
//
// Another program that asks topolaunch's libraries where eight ranks belong on two hosts.
#include <cstdio>

#include "base/outside.h"
#include "mapping/patterns.h"
#include "mapping/solver.h"
#include "topo/assemble.h"
#include "topo/survey.h"

namespace {

int refuse(const topolaunch::Error& error) {
  std::fprintf(stderr, "consumer: %s\n", error.text().c_str());
  return topolaunch::exit_status(error.code);
}

}  // namespace

int main() {
  const topolaunch::RootedFiles files;
  const topolaunch::SystemCommands commands;
  const topolaunch::SystemClock clock;
  const topolaunch::Environment environment;
  const topolaunch::Outside outside{files, commands, clock, environment};

  const auto sources =
      topolaunch::topo::given_sources({"synthetic:2 host, 4 gpu h100 nvswitch"}, {}, outside);
  if (!sources) return refuse(sources.error());
  auto survey = topolaunch::topo::discover(*sources, outside);
  if (!survey) return refuse(survey.error());
  const auto topology = topolaunch::topo::assemble(std::move(*survey));
  if (!topology) return refuse(topology.error());

  topolaunch::mapping::Constraints constraints;
  constraints.ranks = 8;
  const auto solution = topolaunch::mapping::solve(
      *topology, topolaunch::mapping::world_allreduce(8, topolaunch::Bytes::mib(256)), constraints);
  if (!solution) return refuse(solution.error());
  for (const auto& place : solution->placement) {
    std::printf("rank %d: host %d gpu %d\n", place.rank, place.seat.host, place.seat.gpu);
  }
  return 0;
}
