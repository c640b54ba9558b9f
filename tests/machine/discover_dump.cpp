// SPDX-License-Identifier: Apache-2.0
//
// Discovers the machine that it runs on as `topolaunch topo` does, and prints its topology as JSON.
// A program of its own, so that the loader finds the NVML that LD_LIBRARY_PATH names.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/environment.h"
#include "base/files.h"
#include "topo/assemble.h"
#include "topo/topology_json.h"

extern char** environ;

int main(int argc, char** argv) {
  using namespace topolaunch;
  const Environment environment = Environment::from(environ);
  const RootedFiles files(environment.get_or("TOPOLAUNCH_FSROOT", "/"));
  const SystemCommands commands;
  const SystemClock clock;
  const Outside outside{files, commands, clock, environment};
  auto survey = topo::discover(topo::live_sources(argc > 1 ? argv[1] : "host0"), outside);
  if (!survey) {
    std::fprintf(stderr, "%s\n", survey.error().text().c_str());
    return exit_status(survey.error().code);
  }
  auto topology = topo::assemble(std::move(*survey));
  if (!topology) {
    std::fprintf(stderr, "%s\n", topology.error().text().c_str());
    return exit_status(topology.error().code);
  }
  std::fputs(to_pretty(topo::to_json(*topology)).c_str(), stdout);
  return 0;
}
