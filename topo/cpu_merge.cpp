// SPDX-License-Identifier: Apache-2.0
#include "topo/cpu_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace topolaunch::topo {
namespace {

struct NumaClaims {
  Claims<CpuSet> cpus;
  Claims<Bytes> memory;
  Claims<int> package;
};

void merge_numa(const std::vector<const Fact*>& facts, Host& host,
                std::vector<Warning>& warnings) {
  std::map<int, NumaClaims> nodes;
  for (const Fact* fact : facts) {
    const auto* numa = std::get_if<NumaFact>(&fact->what);
    if (numa == nullptr) continue;
    auto& claims = nodes[numa->node.id];
    if (!numa->node.cpus.empty()) claims.cpus.add(numa->node.cpus, fact->origin);
    if (numa->node.memory.count() > 0) claims.memory.add(numa->node.memory, fact->origin);
    if (numa->node.package >= 0) claims.package.add(numa->node.package, fact->origin);
  }
  for (const auto& [id, claims] : nodes) {
    NumaNode node;
    node.id = id;
    node.cpus = claims.cpus.value_or(Field::place, {});
    node.memory = claims.memory.value_or(Field::place, {});
    node.package = claims.package.value_or(Field::place, -1);
    if (!claims.cpus.empty()) {
      const auto* best = claims.cpus.best(Field::place);
      // NCCL writes the mask that its process was allowed: a part of the node is no contradiction.
      const auto* other = claims.cpus.dissent(Field::place, [](const CpuSet& a, const CpuSet& b) {
        return a.includes(b) || b.includes(a);
      });
      if (other != nullptr) {
        warn(warnings, "numa-cpus-conflict", Warning::Severity::warning, other->origin,
             fmt::format("{}: NUMA node {} has CPUs {} by {}, {} by {}; the first is used",
                         host.name, id, best->value.to_list(), best->origin.text(),
                         other->value.to_list(), other->origin.text()));
      }
    }
    host.numa.push_back(std::move(node));
  }
  for (std::size_t a = 0; a < host.numa.size(); ++a) {
    for (std::size_t b = a + 1; b < host.numa.size(); ++b) {
      if (!host.numa[a].cpus.intersects(host.numa[b].cpus)) continue;
      const auto& claims = nodes[host.numa[b].id].cpus;
      warn(warnings, "numa-same-cpus", Warning::Severity::warning,
           claims.best(Field::place)->origin,
           fmt::format("{}: NUMA nodes {} and {} both have CPUs {}", host.name, host.numa[a].id,
                       host.numa[b].id, (host.numa[a].cpus & host.numa[b].cpus).to_list()));
      break;
    }
  }
}

/// Linux gives -1 as every device's node where there is one node only.
std::optional<int> only_node(const Host& host) {
  std::optional<int> found;
  for (const auto& node : host.numa) {
    if (node.cpus.empty()) continue;
    if (found) return {};
    found = node.id;
  }
  return found;
}

}  // namespace

void warn(std::vector<Warning>& warnings, std::string code, Warning::Severity severity,
          const Origin& origin, std::string message) {
  warnings.push_back({std::move(code), severity, origin.file, origin.line, std::move(message)});
}

void merge_cpus(const std::vector<const Fact*>& facts, Host& host,
                std::vector<Warning>& warnings) {
  Claims<std::string> arch, vendor, boot;
  Claims<int> family, model, packages, slots;
  Claims<CpuSet> cpus, allowed, allowed_memory;
  Claims<double> quota;
  Claims<Bytes> memory, memory_limit;
  Claims<const std::vector<std::vector<int>>*> smt;
  for (const Fact* fact : facts) {
    const auto* said = std::get_if<HostFact>(&fact->what);
    if (said == nullptr) continue;
    const Origin& origin = fact->origin;
    if (!said->arch.empty()) arch.add(said->arch, origin);
    if (!said->cpu_vendor.empty()) vendor.add(said->cpu_vendor, origin);
    if (!said->boot_id.empty()) boot.add(said->boot_id, origin);
    if (said->cpu_family != 0) family.add(said->cpu_family, origin);
    if (said->cpu_model != 0) model.add(said->cpu_model, origin);
    if (said->packages > 0) packages.add(said->packages, origin);
    if (said->slots > 0) slots.add(said->slots, origin);
    if (!said->cpus.empty()) cpus.add(said->cpus, origin);
    if (!said->allowed_cpus.empty()) allowed.add(said->allowed_cpus, origin);
    if (!said->allowed_memory.empty()) allowed_memory.add(said->allowed_memory, origin);
    if (said->cpu_quota) quota.add(*said->cpu_quota, origin);
    if (said->memory.count() > 0) memory.add(said->memory, origin);
    if (said->memory_limit.count() > 0) memory_limit.add(said->memory_limit, origin);
    if (!said->smt.empty()) smt.add(&said->smt, origin);
  }
  merge_numa(facts, host, warnings);
  host.arch = arch.value_or(Field::place, {});
  host.cpu_vendor = vendor.value_or(Field::place, {});
  host.boot_id = boot.value_or(Field::place, {});
  host.cpu_family = family.value_or(Field::place, 0);
  host.cpu_model = model.value_or(Field::place, 0);
  host.packages = packages.value_or(Field::place, 0);
  host.slots = slots.value_or(Field::place, 0);
  host.memory = memory.value_or(Field::place, {});
  host.memory_limit = memory_limit.value_or(Field::place, {});
  if (const auto* best = quota.best(Field::place)) host.cpu_quota = best->value;
  if (const auto* best = smt.best(Field::place)) host.smt = *best->value;

  CpuSet of_numa;
  CpuSet memory_nodes;
  std::int64_t numa_memory = 0;
  for (const auto& node : host.numa) {
    of_numa = of_numa | node.cpus;
    memory_nodes.add(node.id);
    numa_memory += node.memory.count();
  }
  host.cpus = cpus.value_or(Field::place, of_numa);
  host.allowed_cpus = allowed.value_or(Field::place, host.cpus);
  host.allowed_memory = allowed_memory.value_or(Field::place, memory_nodes);
  if (host.memory.count() == 0) host.memory = Bytes(numa_memory);
  if (host.packages == 0) {
    CpuSet seen;
    for (const auto& node : host.numa) {
      if (node.package >= 0) seen.add(node.package);
    }
    host.packages = seen.size();
  }
}

std::optional<int> numa_of_cpus(const Host& host, const CpuSet& cpus) {
  std::optional<int> found;
  int most = 0;
  int with_cpus = 0;
  int whole = 0;
  for (const auto& node : host.numa) {
    if (node.cpus.empty()) continue;
    ++with_cpus;
    if (cpus.includes(node.cpus)) ++whole;
    const int shared = (node.cpus & cpus).size();
    if (shared > most) {
      most = shared;
      found = node.id;
    }
  }
  if (with_cpus > 1 && whole == with_cpus) return {};
  return found;
}

bool knows_all_nodes(const std::vector<const Fact*>& facts) {
  return std::ranges::any_of(facts, [](const Fact* fact) {
    return std::holds_alternative<NumaFact>(fact->what) && fact->origin.source != "nvidia-smi";
  });
}

DevicePlace place_device(const Host& host, const std::string& what, const PlaceClaims& claims,
                         std::vector<Warning>& warnings) {
  DevicePlace place;
  const auto* affinity = claims.affinity.best(Field::place);
  if (affinity != nullptr) place.affinity = affinity->value;
  const bool cpus_known = std::any_of(host.numa.begin(), host.numa.end(),
                                      [](const NumaNode& node) { return !node.cpus.empty(); });
  // A node number is a place for ranks only if the node has CPUs.
  const auto usable = [&](int id) {
    const auto* node = host.numa_node(id);
    return !cpus_known || (node != nullptr && !node->cpus.empty());
  };
  Claims<int> numa;
  Claims<int> without_cpus;
  claims.numa.for_each([&](int id, const Origin& origin) {
    if (id < 0) return;
    if (usable(id)) {
      numa.add(id, origin);
    } else {
      without_cpus.add(id, origin);
    }
  });
  if (const auto* best = numa.best(Field::place)) {
    place.numa = best->value;
    if (const auto* other = numa.dissent(Field::place)) {
      warn(warnings, "numa-conflict", Warning::Severity::warning, other->origin,
           fmt::format("{} is on NUMA node {} by {}, on {} by {}; {} is used", what, best->value,
                       best->origin.text(), other->value, other->origin.text(), best->value));
    }
  }
  if (const auto* best = without_cpus.best(Field::place)) {
    if (host.numa_node(best->value) != nullptr) place.memory_numa = best->value;
  }
  if (!place.numa && affinity != nullptr) place.numa = numa_of_cpus(host, affinity->value);
  if (!place.numa && without_cpus.empty() && claims.all_nodes) place.numa = only_node(host);
  if (const auto* best = without_cpus.best(Field::place); best != nullptr && !place.numa) {
    const bool known = host.numa_node(best->value) != nullptr;
    warn(warnings, known ? "numa-without-cpus" : "numa-unknown", Warning::Severity::warning,
         best->origin,
         fmt::format("{} is on NUMA node {} by {}, {}; its nearest CPUs are unknown", what,
                     best->value, best->origin.text(),
                     known ? "which has no CPUs" : "which this host doesn't have"));
  }
  if (place.numa && affinity != nullptr && cpus_known) {
    const auto* node = host.numa_node(*place.numa);
    if (node != nullptr && !node->cpus.intersects(affinity->value)) {
      warn(warnings, "affinity-conflict", Warning::Severity::warning, affinity->origin,
           fmt::format("{} is on NUMA node {} with CPUs {}, but nearest to CPUs {} by {}", what,
                       *place.numa, node->cpus.to_list(), affinity->value.to_list(),
                       affinity->origin.text()));
    }
  }
  return place;
}

}  // namespace topolaunch::topo
