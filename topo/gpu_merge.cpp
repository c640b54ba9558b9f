// SPDX-License-Identifier: Apache-2.0
#include "topo/gpu_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "topo/claims.h"
#include "topo/cpu_merge.h"
#include "topo/gpu_model.h"

namespace topolaunch::topo {
namespace {

/// Groups of facts; joining is by union-find, as a third source may show that two GPUs are one.
class Groups {
 public:
  int add() {
    parent_.push_back(static_cast<int>(parent_.size()));
    return parent_.back();
  }
  int root(int i) {
    while (parent_[static_cast<std::size_t>(i)] != i) {
      auto& up = parent_[static_cast<std::size_t>(i)];
      up = parent_[static_cast<std::size_t>(up)];
      i = up;
    }
    return i;
  }
  void join(int a, int b) {
    a = root(a);
    b = root(b);
    parent_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<int> parent_;
};

bool all_zero(const std::string& cluster) {
  return cluster.find_first_not_of("0-") == std::string::npos;
}

struct NvlinkDomain {
  std::string cluster;
  int clique = 0;
  bool pending = false;
};

struct GpuClaims {
  Claims<std::string> uuid, model;
  Claims<PciAddress> pci;
  Claims<Bytes> memory;
  Claims<int> capability, generation, width, generation_max, width_max, memory_numa, number;
  PlaceClaims place;
  Claims<std::vector<PciAddress>> path;
  Claims<std::vector<MigInstance>> mig;
  Claims<NvlinkDomain> fabric;
  bool mig_enabled = false;
  std::vector<Origin> origins;

  void add(const GpuFact& fact, const Origin& origin);
  void add(const PciFact& fact, const Origin& origin);
};

void GpuClaims::add(const GpuFact& fact, const Origin& origin) {
  const auto positive = [&origin](Claims<int>& claims, int value) {
    if (value > 0) claims.add(value, origin);
  };
  if (!fact.uuid.empty()) uuid.add(fact.uuid, origin);
  if (!fact.model.empty()) model.add(fact.model, origin);
  if (fact.pci) pci.add(*fact.pci, origin);
  if (fact.memory.count() > 0) memory.add(fact.memory, origin);
  if (fact.index) number.add(*fact.index, origin);
  if (fact.numa) place.numa.add(*fact.numa, origin);
  if (fact.memory_numa) memory_numa.add(*fact.memory_numa, origin);
  if (!fact.affinity.empty()) place.affinity.add(fact.affinity, origin);
  positive(capability, fact.compute_capability);
  positive(generation, fact.pcie_generation);
  positive(width, fact.pcie_width);
  positive(generation_max, fact.pcie_generation_max);
  positive(width_max, fact.pcie_width_max);
  if (!fact.pcie_path.empty()) path.add(fact.pcie_path, origin);
  if (!fact.mig.empty()) mig.add(fact.mig, origin);
  mig_enabled = mig_enabled || fact.mig_enabled;
  // The zero cluster with a fabric that came up is an answer: this GPU is in no domain.
  if (!fact.fabric_cluster.empty() || fact.fabric_pending) {
    fabric.add({all_zero(fact.fabric_cluster) ? std::string() : fact.fabric_cluster,
                all_zero(fact.fabric_cluster) ? 0 : fact.fabric_clique, fact.fabric_pending},
               origin);
  }
  origins.push_back(origin);
}

void GpuClaims::add(const PciFact& fact, const Origin& origin) {
  if (fact.numa) place.numa.add(*fact.numa, origin);
  if (!fact.affinity.empty()) place.affinity.add(fact.affinity, origin);
  if (!fact.pcie_path.empty()) path.add(fact.pcie_path, origin);
  if (fact.pcie_generation > 0) generation.add(fact.pcie_generation, origin);
  if (fact.pcie_width > 0) width.add(fact.pcie_width, origin);
  origins.push_back(origin);
}

std::string name_of(const std::string& host, const GpuClaims& claims) {
  if (const auto* pci = claims.pci.best(Field::identity)) {
    return fmt::format("{} GPU {}", host, pci->value.text());
  }
  if (const auto* uuid = claims.uuid.best(Field::identity)) {
    return fmt::format("{} GPU {}", host, uuid->value);
  }
  if (const auto* number = claims.number.best(Field::identity)) {
    return fmt::format("{} GPU number {}", host, number->value);
  }
  return host + " GPU";
}

template <class T, class Text>
void warn_dissent(const Claims<T>& claims, const std::string& code, Warning::Severity severity,
                  const std::string& what, std::string_view field, Text text,
                  std::vector<Warning>& warnings) {
  const auto* best = claims.best(Field::identity);
  const auto* other = claims.dissent(Field::identity);
  if (other == nullptr) return;
  warn(warnings, code, severity, other->origin,
       fmt::format("{} has {} {} by {}, {} by {}; the first is used", what, field,
                   text(best->value), best->origin.text(), text(other->value),
                   other->origin.text()));
}

Gpu build(const GpuClaims& claims, const Host& host, std::vector<Warning>& warnings) {
  const std::string what = name_of(host.name, claims);
  const auto as_is = [](const auto& value) { return value; };
  const auto pci_text = [](const PciAddress& pci) { return pci.text(); };
  warn_dissent(claims.uuid, "uuid-conflict", Warning::Severity::warning, what, "UUID", as_is,
               warnings);
  warn_dissent(claims.pci, "pci-conflict", Warning::Severity::warning, what, "PCI address",
               pci_text, warnings);
  warn_dissent(claims.capability, "capability-conflict", Warning::Severity::warning, what,
               "compute capability", as_is, warnings);
  warn_dissent(claims.model, "model-differs", Warning::Severity::note, what, "model", as_is,
               warnings);
  Gpu gpu;
  gpu.uuid = claims.uuid.value_or(Field::identity, {});
  if (const auto* pci = claims.pci.best(Field::identity)) gpu.pci = pci->value;
  gpu.model = claims.model.value_or(Field::identity, {});
  gpu.memory = claims.memory.value_or(Field::identity, {});
  gpu.compute_capability = claims.capability.value_or(Field::identity, 0);
  if (const auto model = gpu_model(gpu.model); model && gpu.compute_capability == 0) {
    gpu.compute_capability = model->capability;
  }
  gpu.pcie_generation = claims.generation.value_or(Field::identity, 0);
  gpu.pcie_width = claims.width.value_or(Field::identity, 0);
  gpu.pcie_generation_max = claims.generation_max.value_or(Field::identity, 0);
  gpu.pcie_width_max = claims.width_max.value_or(Field::identity, 0);
  gpu.pcie_path = claims.path.value_or(Field::place, {});
  gpu.mig = claims.mig.value_or(Field::identity, {});
  gpu.mig_enabled = claims.mig_enabled;
  if (const auto* fabric = claims.fabric.best(Field::identity)) {
    gpu.fabric_cluster = fabric->value.cluster;
    gpu.fabric_clique = fabric->value.clique;
    gpu.fabric_pending = fabric->value.pending;
  }
  const auto place = place_device(host, what, claims.place, warnings);
  gpu.numa = place.numa;
  gpu.affinity = place.affinity;
  gpu.memory_numa = place.memory_numa;
  if (const auto* node = claims.memory_numa.best(Field::identity)) gpu.memory_numa = node->value;
  for (const auto& origin : claims.origins) {
    if (std::find(gpu.origins.begin(), gpu.origins.end(), origin) == gpu.origins.end()) {
      gpu.origins.push_back(origin);
    }
  }
  return gpu;
}

/// Numbers hold within one source and file; nvidia-smi's outputs share the driver's.
std::tuple<std::string, std::string, int> number_key(const Origin& origin, int number) {
  return {origin.source, origin.source == "nvidia-smi" ? std::string() : origin.file, number};
}

}  // namespace

std::optional<int> GpuIndex::find(const GpuRef& ref, const Origin& origin) const {
  if (!ref.uuid.empty()) {
    if (const auto found = by_uuid_.find(ref.uuid); found != by_uuid_.end()) return found->second;
  }
  if (ref.pci) {
    if (const auto found = by_pci_.find(*ref.pci); found != by_pci_.end()) return found->second;
  }
  if (ref.index) {
    const auto found = by_number_.find(number_key(origin, *ref.index));
    if (found != by_number_.end()) return found->second;
  }
  return {};
}

/// Builds the index first over groups, then over positions in Host::gpus.
class GpuMerge {
 public:
  explicit GpuMerge(const std::vector<const Fact*>& facts) : facts_(facts) {}

  GpuIndex run(Host& host, std::vector<Warning>& warnings) {
    // Those with an identity first: then a number alone finds the GPU that has it, in whatever order
    // the files were given.
    std::vector<std::pair<int, const Fact*>> members;
    for (const bool identified : {true, false}) {
      for (const Fact* fact : facts_) {
        const auto* gpu = std::get_if<GpuFact>(&fact->what);
        if (gpu == nullptr || identified != (!gpu->uuid.empty() || gpu->pci.has_value())) continue;
        members.emplace_back(group_of(*gpu, fact->origin), fact);
      }
    }
    std::map<int, GpuClaims> claims;
    for (const auto& [group, fact] : members) {
      claims[groups_.root(group)].add(std::get<GpuFact>(fact->what), fact->origin);
    }
    for (const Fact* fact : facts_) {
      if (const auto* pci = std::get_if<PciFact>(&fact->what)) {
        const auto found = index_.by_pci_.find(pci->pci);
        if (found != index_.by_pci_.end()) {
          claims[groups_.root(found->second)].add(*pci, fact->origin);
        }
      }
    }
    return build_all(claims, host, warnings);
  }

 private:
  int group_of(const GpuFact& gpu, const Origin& origin) {
    std::optional<int> group;
    const auto meet = [&](auto& table, const auto& key) {
      const auto [at, added] = table.try_emplace(key, -1);
      if (!added && group) groups_.join(*group, at->second);
      if (!added && !group) group = at->second;
      if (added && !group) group = groups_.add();
      if (added) at->second = *group;
    };
    if (!gpu.uuid.empty()) meet(index_.by_uuid_, gpu.uuid);
    if (gpu.pci) meet(index_.by_pci_, *gpu.pci);
    if (gpu.index) {
      const auto key = number_key(origin, *gpu.index);
      if (!group) {
        meet(index_.by_number_, key);
      } else {
        index_.by_number_.try_emplace(key, *group);
      }
    }
    return group ? *group : groups_.add();
  }

  GpuIndex build_all(std::map<int, GpuClaims>& claims, Host& host, std::vector<Warning>& warnings) {
    struct Built {
      int group;
      int number;
      Gpu gpu;
    };
    std::vector<Built> built;
    const bool all_nodes = knows_all_nodes(facts_);
    for (auto& [group, said] : claims) {
      said.place.all_nodes = all_nodes;
      built.push_back({group, said.number.value_or(Field::identity, 1 << 30),
                       build(said, host, warnings)});
    }
    std::stable_sort(built.begin(), built.end(), [](const Built& a, const Built& b) {
      const auto& pci_a = a.gpu.pci;
      const auto& pci_b = b.gpu.pci;
      if (pci_a.has_value() != pci_b.has_value()) return pci_a.has_value();
      if (pci_a && *pci_a != *pci_b) return *pci_a < *pci_b;
      return std::tie(a.number, a.gpu.uuid) < std::tie(b.number, b.gpu.uuid);
    });
    std::map<int, int> position;
    for (auto& entry : built) {
      entry.gpu.index = static_cast<int>(host.gpus.size());
      position[entry.group] = entry.gpu.index;
      host.gpus.push_back(std::move(entry.gpu));
    }
    const auto renumber = [&](auto& table) {
      for (auto& [key, group] : table) group = position[groups_.root(group)];
    };
    renumber(index_.by_uuid_);
    renumber(index_.by_pci_);
    renumber(index_.by_number_);
    return std::move(index_);
  }

  const std::vector<const Fact*>& facts_;
  Groups groups_;
  GpuIndex index_;
};

GpuIndex merge_gpus(const std::vector<const Fact*>& facts, Host& host,
                    std::vector<Warning>& warnings) {
  return GpuMerge(facts).run(host, warnings);
}

std::string gpu_text(const Host& host, const Gpu& gpu) {
  if (gpu.pci) return fmt::format("{} gpu{} ({})", host.name, gpu.index, gpu.pci->text());
  return fmt::format("{} gpu{}", host.name, gpu.index);
}

}  // namespace topolaunch::topo
