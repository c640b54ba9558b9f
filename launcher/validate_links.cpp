// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "launcher/validate.h"

#include "base/counted.h"

namespace topolaunch::launcher {
namespace {

struct Model {
  const char* part;  ///< of the model's name as NVML gives it
  int links;
};
// NVLinks of a GPU as sold (NVIDIA's data sheets). PCIe cards and NVL pairs come with several
// numbers of bridges and are held against each other only; their names have "PCIe" or "NVL" in
// them.
constexpr Model kModels[] = {
    {"V100-SXM2", 6}, {"V100-SXM3", 6}, {"A100-SXM4", 12}, {"H100 80GB HBM3", 18},
    {"H200", 18},     {"B200", 18},     {"B300", 18}};

int built_with(const std::string& model) {
  if (model.find("PCIe") != std::string::npos || model.find("NVL") != std::string::npos) return 0;
  for (const Model& m : kModels) {
    if (model.find(m.part) != std::string::npos) return m.links;
  }
  return 0;
}

int links_up(const topo::Gpu& gpu) {
  int count = 0;
  for (const topo::GpuLink& link : gpu.links) count += link.count;
  return count;
}

std::string name_of(const topo::Host& host, const topo::Gpu& gpu) {
  return fmt::format("GPU {}{} of {}", gpu.index,
                     gpu.pci ? " (" + gpu.pci->text() + ")" : std::string(), host.name);
}

}  // namespace

std::vector<Check> check_links(const topo::Topology& topology) {
  Check check;
  check.name = "links";
  check.source = "the other GPUs of the host, and what the model is built with";
  int gpus = 0, good = 0, unknown = 0;
  std::vector<Check> checks;
  for (const topo::Host& host : topology.hosts) {
    std::map<std::string, int> most;
    for (const topo::Gpu& gpu : host.gpus) {
      most[gpu.model] = std::max({most[gpu.model], links_up(gpu), built_with(gpu.model)});
    }
    for (const topo::Gpu& gpu : host.gpus) {
      const int expected = most[gpu.model], up = links_up(gpu);
      if (expected == 0) continue;  // no NVLink on any: nothing to look at
      ++gpus;
      const bool none_known =
          std::ranges::all_of(host.gpus, [](const topo::Gpu& g) { return g.links.empty(); });
      if (none_known) {
        ++unknown;
        continue;
      }
      if (up == expected) {
        ++good;
        continue;
      }
      Check bad = check;
      bad.verdict = Outcome::fail;
      bad.measured = counted(up, "link") + " up";
      bad.expected = fmt::format("{}", expected);
      bad.suspect = name_of(host, gpu);
      bad.confirm =
          "nvidia-smi nvlink -s on that host; then nvidia-smi -q for its fabric state, and dmesg "
          "for Xid 74";
      checks.push_back(std::move(bad));
    }
  }
  if (!checks.empty()) return checks;
  check.expected = "as many as the others";
  if (gpus == 0) {
    check.verdict = Outcome::not_applicable;
    check.suspect = "no GPU with NVLink";
  } else if (unknown > 0) {
    check.verdict = Outcome::could_not_test;
    check.suspect = fmt::format("nobody says how many links of {} are up", counted(unknown, "GPU"));
  } else {
    check.verdict = Outcome::pass;
    check.measured = counted(good, "GPU");
  }
  return {check};
}

}  // namespace topolaunch::launcher
