// SPDX-License-Identifier: Apache-2.0
#include "topo/source/hwloc_cpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace topolaunch::topo {
namespace {

int number_of(const std::string& text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// An info of the machine, else of the first package.
std::string machine_info(hwloc_topology_t topology, const char* name) {
  std::string value = info_of(hwloc_get_root_obj(topology), name);
  if (value.empty()) {
    if (const hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0)) {
      value = info_of(package, name);
    }
  }
  return value;
}

std::string cpu_vendor(hwloc_topology_t topology) {
  const std::string vendor = machine_info(topology, "CPUVendor");
  if (!vendor.empty()) return vendor;
  // Arm CPUs have an implementer code in place of a vendor (Arm's MIDR_EL1 table).
  const std::string implementer = machine_info(topology, "CPUImplementer");
  if (implementer == "0x41") return "ARM";
  if (implementer == "0x4e") return "NVIDIA";
  return implementer;
}

struct Node {
  NumaNode fact;
  CpuSet cpuset;  ///< hwloc's
  bool memory_only = false;
};

bool says_memory_only(hwloc_obj_t node) {
  // Kinds of memory that hwloc names and that no CPU sits at (subtype, hwloc 2.9 and 3.0).
  static constexpr const char* kKinds[] = {"GPUMemory", "MCDRAM", "HBM", "CXLMem", "SPM", "NVM"};
  return node->subtype != nullptr && std::ranges::any_of(kKinds, [&](const char* kind) {
           return std::strcmp(node->subtype, kind) == 0;
         });
}

}  // namespace

std::vector<NumaNode> numa_nodes(hwloc_topology_t topology) {
  std::vector<Node> nodes;
  bool any_with_cpus = false;
  for (hwloc_obj_t node = nullptr;
       (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr;) {
    if (node->os_index >= static_cast<unsigned>(CpuSet::kMaxCpu)) continue;
    Node one;
    one.fact.id = static_cast<int>(node->os_index);
    one.fact.memory = Bytes(static_cast<std::int64_t>(node->attr->numanode.local_memory &
                                                      0x7fffffffffffffffULL));
    one.cpuset = to_cpu_set(node->cpuset);
    one.memory_only = says_memory_only(node);
    if (const hwloc_obj_t package =
            hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, node)) {
      one.fact.package = static_cast<int>(package->os_index == HWLOC_UNKNOWN_INDEX
                                              ? package->logical_index
                                              : package->os_index);
    }
    any_with_cpus = any_with_cpus || (!one.memory_only && !one.cpuset.empty());
    nodes.push_back(std::move(one));
  }
  // A machine of HBM alone (Xeon Max in HBM-only mode) has its CPUs there.
  if (!any_with_cpus) {
    for (Node& node : nodes) node.memory_only = false;
  }
  // CPUs belong to the smallest node that has them, among equals to the lowest number (firmware
  // numbers nodes with CPUs first); a node all of whose CPUs are taken is memory only.
  std::vector<Node*> order;
  for (Node& node : nodes) order.push_back(&node);
  std::ranges::stable_sort(order, [](const Node* a, const Node* b) {
    const int size_a = a->cpuset.size();
    const int size_b = b->cpuset.size();
    return size_a != size_b ? size_a < size_b : a->fact.id < b->fact.id;
  });
  CpuSet taken;
  for (Node* node : order) {
    if (node->memory_only || node->cpuset.intersects(taken)) continue;
    node->fact.cpus = node->cpuset;
    taken = taken | node->cpuset;
  }
  std::vector<NumaNode> facts;
  for (Node& node : nodes) facts.push_back(std::move(node.fact));
  std::ranges::sort(facts, {}, &NumaNode::id);
  return facts;
}

std::vector<Warning> crossing_nodes(hwloc_topology_t topology, std::vector<NumaNode>& nodes) {
  std::vector<Warning> warnings;
  for (hwloc_obj_t package = nullptr;
       (package = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PACKAGE, package)) != nullptr;) {
    const CpuSet cpus = to_cpu_set(package->cpuset);
    for (NumaNode& node : nodes) {
      if (!node.cpus.intersects(cpus) || node.cpus.includes(cpus) || cpus.includes(node.cpus)) continue;
      node.package = -1;
      warnings.push_back({"numa-crosses-package", Warning::Severity::warning, {}, 0,
                          fmt::format("NUMA node {} (CPUs {}) lies across package {} (CPUs {}): the "
                                      "machine's tables contradict each other",
                                      node.id, node.cpus.to_list(), package->logical_index,
                                      cpus.to_list())});
    }
  }
  return warnings;
}

HostFact host_fact(hwloc_topology_t topology, const std::vector<NumaNode>& nodes) {
  HostFact fact;
  fact.arch = machine_info(topology, "Architecture");
  fact.cpu_vendor = cpu_vendor(topology);
  fact.cpu_family = number_of(machine_info(topology, "CPUFamilyNumber"));
  fact.cpu_model = number_of(machine_info(topology, "CPUModelNumber"));
  fact.packages = std::max(0, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE));
  fact.cpus = to_cpu_set(hwloc_topology_get_topology_cpuset(topology));
  fact.allowed_cpus = to_cpu_set(hwloc_topology_get_allowed_cpuset(topology)) & fact.cpus;
  fact.allowed_memory = to_cpu_set(hwloc_topology_get_allowed_nodeset(topology));
  // Host memory; a GPU's own isn't it.
  std::int64_t bytes = 0;
  for (const NumaNode& node : nodes) {
    const hwloc_obj_t object = hwloc_get_numanode_obj_by_os_index(topology, static_cast<unsigned>(node.id));
    const bool of_gpu = object != nullptr && object->subtype != nullptr &&
                        std::strcmp(object->subtype, "GPUMemory") == 0;
    if (!of_gpu && node.memory.count() < (std::int64_t{1} << 60)) bytes += node.memory.count();
  }
  fact.memory = Bytes(bytes);
  for (hwloc_obj_t core = nullptr;
       (core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)) != nullptr;) {
    auto threads = to_cpu_set(core->cpuset).to_vector();
    if (!threads.empty()) fact.smt.push_back(std::move(threads));
  }
  return fact;
}

}  // namespace topolaunch::topo
