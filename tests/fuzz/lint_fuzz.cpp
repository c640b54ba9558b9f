// SPDX-License-Identifier: Apache-2.0
//
// What lint reads besides topologies: gres.conf, node labels, variables, batch scripts, requests
// and manifests. Whatever the bytes, findings or one error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "topo/assemble.h"
#include "topo/lint/environment.h"
#include "topo/lint/gres.h"
#include "topo/lint/labels.h"
#include "topo/lint/manifest.h"
#include "topo/lint/sbatch.h"
#include "topo/lint/training_job.h"
#include "topo/synthetic.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace topolaunch::topo;
  static const Topology machine = [] {
    Survey survey;
    survey.facts = synthetic_facts(*parse_synthetic("2 gpu l40s, 2 socket, 8 core"));
    return *assemble(std::move(survey));
  }();
  const std::string text(reinterpret_cast<const char*>(data), size);
  EnvironmentPlace place;
  place.host = &machine.hosts.front();
  (void)check_environment(variables_of(text), place);
  (void)check_sbatch(text, "f");
  if (const auto lines = read_gres(text, "f"))
    (void)check_gres(*lines, "f", &machine.hosts.front());
  (void)check_labels(text, "f", &machine);
  (void)check_training_job(text, "f");
  (void)check_manifest(text, "f");
  return 0;
}
