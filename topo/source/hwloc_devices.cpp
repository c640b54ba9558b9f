// SPDX-License-Identifier: Apache-2.0
#include "topo/source/hwloc_devices.h"

#include <hwloc/distances.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "topo/source/pci_class.h"

namespace topolaunch::topo {
namespace {

std::string_view name_of(hwloc_obj_t object) { return object->name != nullptr ? object->name : ""; }

/// The number at the end of "nvml3"; nothing if `name` doesn't begin with `prefix`.
std::optional<int> number_after(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  int value = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
  if (error != std::errc{} || end != name.data() + name.size() || value < 0) return std::nullopt;
  return value;
}

/// All OS devices of a PCI device, those of parts of it too.
std::vector<hwloc_obj_t> os_devices(hwloc_obj_t pci) {
  std::vector<hwloc_obj_t> found;
  std::vector<hwloc_obj_t> open{pci};
  while (!open.empty()) {
    const hwloc_obj_t object = open.back();
    open.pop_back();
    for (hwloc_obj_t child = object->io_first_child; child != nullptr; child = child->next_sibling) {
      if (child->type != HWLOC_OBJ_OS_DEVICE) continue;
      found.push_back(child);
      open.push_back(child);
    }
  }
  return found;
}

bool of_vendor_library(hwloc_obj_t device) {
  const std::string_view name = name_of(device);
  return std::ranges::any_of(std::initializer_list<std::string_view>{"nvml", "cuda", "rsmi", "opencl", "ze"},
                             [&](std::string_view prefix) {
                               return name.size() > prefix.size() && name.starts_with(prefix) &&
                                      name[prefix.size()] >= '0' && name[prefix.size()] <= '9';
                             });
}

bool is_gpu(hwloc_obj_t pci) {
  const auto& attributes = pci->attr->pcidev;
  const auto devices = os_devices(pci);
  const bool evidence = std::ranges::any_of(devices, of_vendor_library);
  const bool renders = std::ranges::any_of(
      devices, [](hwloc_obj_t device) { return name_of(device).starts_with("renderD"); });
  switch (gpu_kind(attributes.vendor_id, static_cast<unsigned>(attributes.class_id) << 8)) {
    case GpuKind::compute:
      return true;
    case GpuKind::display:
      return evidence || (renders && attributes.vendor_id == kVendorAmd);
    case GpuKind::none:
      return false;
  }
  return false;
}

/// 0c06 is the class code of InfiniBand adapters before there was 0207 (PCI Code and ID Assignment).
bool is_infiniband(unsigned class_id) { return class_id == 0x0207 || class_id == 0x0c06; }
bool is_network(unsigned class_id) { return (class_id >> 8) == 0x02 || is_infiniband(class_id); }

/// Names that the kernel gives RDMA devices and no network interface.
bool is_rdma_name(std::string_view name) {
  constexpr std::array<std::string_view, 7> prefixes{"mlx4_",   "mlx5_",  "hfi1_", "qib",
                                                     "bnxt_re", "irdma", "rdmap"};
  return std::ranges::any_of(prefixes, [&](auto prefix) { return name.starts_with(prefix); });
}

class Devices {
 public:
  Devices(hwloc_topology_t topology, const std::vector<NumaNode>& nodes,
          const std::map<std::uint32_t, std::uint32_t>& domains)
      : topology_(topology), nodes_(nodes), domains_(domains) {}

  std::vector<DeviceFact> run() {
    for (hwloc_obj_t pci = nullptr; (pci = hwloc_get_next_pcidev(topology_, pci)) != nullptr;) {
      if (is_gpu(pci)) {
        add_gpu(pci);
      } else if (is_network(pci->attr->pcidev.class_id)) {
        add_nics(pci);
      }
    }
    add_links("NVLinkBandwidth", LinkType::nvlink);
    if (!add_links("XGMIBandwidth", LinkType::xgmi)) add_xgmi_peers();
    return std::move(facts_);
  }

 private:
  PciAddress address_of(hwloc_obj_t pci) const {
    const auto& attributes = pci->attr->pcidev;
    const auto wide = domains_.find(attributes.domain);
    return {wide == domains_.end() ? attributes.domain : wide->second, attributes.bus,
            attributes.dev, attributes.func};
  }

  std::vector<PciAddress> path_of(hwloc_obj_t pci) const {
    std::vector<PciAddress> path;
    for (hwloc_obj_t up = pci->parent; up != nullptr && up->type == HWLOC_OBJ_BRIDGE; up = up->parent) {
      if (up->attr->bridge.upstream_type == HWLOC_OBJ_BRIDGE_PCI) path.push_back(address_of(up));
    }
    std::ranges::reverse(path);
    return path;
  }

  /// The one NUMA node with CPUs that a device hangs on; nothing if it is none or one of several.
  std::optional<int> numa_of(hwloc_obj_t device) const {
    const hwloc_obj_t place = hwloc_get_non_io_ancestor_obj(topology_, device);
    if (place == nullptr || place->nodeset == nullptr) return std::nullopt;
    std::optional<int> found;
    for (const NumaNode& node : nodes_) {
      if (node.cpus.empty() || !hwloc_bitmap_isset(place->nodeset, static_cast<unsigned>(node.id))) continue;
      if (found) return std::nullopt;
      found = node.id;
    }
    return found;
  }

  CpuSet affinity_of(hwloc_obj_t device) const {
    const hwloc_obj_t place = hwloc_get_non_io_ancestor_obj(topology_, device);
    // The whole machine is no place.
    if (place == nullptr || place->parent == nullptr) return {};
    return to_cpu_set(place->cpuset);
  }

  void add_gpu(hwloc_obj_t pci) {
    GpuFact fact;
    fact.pci = address_of(pci);
    fact.pci_vendor = pci->attr->pcidev.vendor_id;
    fact.pcie_path = path_of(pci);
    fact.numa = numa_of(pci);
    fact.affinity = affinity_of(pci);
    for (const hwloc_obj_t device : os_devices(pci)) {
      for (const char* prefix : {"nvml", "rsmi"}) {
        if (const auto number = number_after(name_of(device), prefix)) fact.index = number;
      }
      if (fact.model.empty()) fact.model = info_of(device, "GPUModel");
      if (fact.uuid.empty()) fact.uuid = info_of(device, "NVIDIAUUID");
      // ROCr writes and takes this number as GPU-<hexadecimal>.
      if (const auto amd = info_of(device, "AMDUUID"); fact.uuid.empty() && !amd.empty()) {
        fact.uuid = "GPU-" + amd;
      }
      for (const char* name : {"CUDAGlobalMemorySize", "RSMIVRAMSize"}) {
        const std::string kib = info_of(device, name);
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(kib.data(), kib.data() + kib.size(), value);
        if (error == std::errc{} && value > 0 && value < (std::int64_t{1} << 50)) {
          fact.memory = Bytes::kib(value);
        }
      }
    }
    if (fact.model.empty()) fact.model = info_of(pci, "PCIDevice");
    for (hwloc_obj_t node = nullptr;
         (node = hwloc_get_next_obj_by_type(topology_, HWLOC_OBJ_NUMANODE, node)) != nullptr;) {
      const auto owner = PciAddress::parse(info_of(node, "PCIBusID"));
      if (owner && *owner == *fact.pci && node->os_index < static_cast<unsigned>(CpuSet::kMaxCpu)) {
        fact.memory_numa = static_cast<int>(node->os_index);
      }
    }
    gpus_[pci] = GpuRef{fact.uuid, fact.pci, std::nullopt};
    facts_.emplace_back(std::move(fact));
  }

  void add_nics(hwloc_obj_t pci) {
    std::vector<std::string> rdma, network;
    std::string guid;
    bool up = true;
    for (const hwloc_obj_t device : os_devices(pci)) {
      // Files made by hand or relabelled may lack the type: then infos or name tell.
      const bool fabrics = device->attr->osdev.type == HWLOC_OBJ_OSDEV_OPENFABRICS ||
                           !info_of(device, "NodeGUID").empty() || is_rdma_name(name_of(device));
      if (fabrics) {
        rdma.emplace_back(name_of(device));
        if (guid.empty()) guid = info_of(device, "NodeGUID");
        const std::string state = info_of(device, "Port1State");
        up = state.empty() || state == "4";  // IBV_PORT_ACTIVE
      } else if (device->attr->osdev.type == HWLOC_OBJ_OSDEV_NETWORK) {
        network.emplace_back(name_of(device));
      }
    }
    const auto& names = rdma.empty() ? network : rdma;
    for (const std::string& name : names) {
      NicFact fact;
      fact.nic.name = name;
      fact.nic.pci = address_of(pci);
      fact.nic.pcie_path = path_of(pci);
      fact.nic.numa = numa_of(pci);
      fact.nic.rdma = !rdma.empty();
      fact.nic.up = up;
      fact.nic.guid = guid;
      fact.nic.layer = pci->attr->pcidev.vendor_id == kVendorAmazon && !rdma.empty() ? Nic::Layer::efa
                       : is_infiniband(pci->attr->pcidev.class_id) ? Nic::Layer::infiniband
                       : pci->attr->pcidev.class_id == 0x0200   ? Nic::Layer::ethernet
                                                                : Nic::Layer::unknown;
      if (rdma.empty()) {
        fact.nic.netdev = name;
      } else if (!network.empty()) {
        fact.nic.netdev = network.front();
      }
      facts_.emplace_back(std::move(fact));
    }
  }

  /// Which GPU an object of a matrix means: the device itself, or its PCI device.
  const GpuRef* gpu_of(hwloc_obj_t object) const {
    for (; object != nullptr; object = object->parent) {
      if (const auto found = gpus_.find(object); found != gpus_.end()) return &found->second;
      if (object->type != HWLOC_OBJ_OS_DEVICE) return nullptr;
    }
    return nullptr;
  }

  static bool is_switch(hwloc_obj_t object) {
    if (object->type != HWLOC_OBJ_PCI_DEVICE) return false;
    // A switch that doesn't answer on PCI has no vendor, but hwloc still knows it by its name.
    return object->attr->pcidev.vendor_id == kVendorNvidia ||
           (object->subtype != nullptr && std::string_view(object->subtype) == "NVSwitch");
  }

  /// POWER's NVLink ends: IBM's bridge, or the package itself.
  static bool is_cpu(hwloc_obj_t object) {
    return object->type == HWLOC_OBJ_PCI_DEVICE ? object->attr->pcidev.vendor_id == kVendorIbm
                                                : !hwloc_obj_type_is_io(object->type);
  }

  /// Links of a path from its bandwidth in MB/s. hwloc's NVML backend counts 20000 a link for NVLink
  /// 1 and 25000 after it (hwloc 2.9, topology-nvml.c); other backends tell no number: one.
  static int link_count(std::uint64_t bandwidth, LinkType type) {
    if (type != LinkType::nvlink) return 1;
    for (const std::uint64_t one : {std::uint64_t{25000}, std::uint64_t{20000}}) {
      if (bandwidth % one == 0) return static_cast<int>(std::min<std::uint64_t>(bandwidth / one, 64));
    }
    return 1;
  }

  bool add_links(const char* matrix_name, LinkType type) {
    hwloc_distances_s* matrix = nullptr;
    unsigned count = 1;
    if (hwloc_distances_get_by_name(topology_, matrix_name, &count, &matrix, 0) != 0 || count == 0) {
      return false;
    }
    for (unsigned i = 0; i < matrix->nbobjs; ++i) {
      const GpuRef* const from = matrix->objs[i] != nullptr ? gpu_of(matrix->objs[i]) : nullptr;
      if (from == nullptr) continue;
      std::uint64_t to_switches = 0;
      std::uint64_t to_cpu = 0;
      std::uint64_t elsewhere = 0;
      for (unsigned j = 0; j < matrix->nbobjs; ++j) {
        const std::uint64_t bandwidth = matrix->values[i * matrix->nbobjs + j];
        const hwloc_obj_t end = matrix->objs[j];
        if (i == j || bandwidth == 0 || bandwidth > 100'000'000 || end == nullptr) continue;
        if (const GpuRef* const peer = gpu_of(end)) {
          if (peer != from) add_link(*from, GpuLink::To::gpu, *peer, type, bandwidth);
        } else if (is_switch(end)) {
          to_switches += bandwidth;
        } else {
          (is_cpu(end) ? to_cpu : elsewhere) += bandwidth;
        }
      }
      if (to_switches > 0) add_link(*from, GpuLink::To::nvswitch, {}, type, to_switches);
      if (to_cpu > 0) add_link(*from, GpuLink::To::cpu, {}, type, to_cpu);
      if (elsewhere > 0) add_link(*from, GpuLink::To::unknown, {}, type, elsewhere);
    }
    hwloc_distances_release(topology_, matrix);
    return true;
  }

  void add_link(const GpuRef& from, GpuLink::To to, const GpuRef& peer, LinkType type,
                std::uint64_t megabytes_per_second) {
    GpuLinkFact fact;
    fact.from = from;
    fact.to = to;
    fact.peer = peer;
    fact.type = type;
    fact.count = link_count(megabytes_per_second, type);
    fact.bandwidth = Bandwidth::bytes_per_second(static_cast<double>(megabytes_per_second) * 1e6);
    facts_.emplace_back(std::move(fact));
  }

  /// hwloc's RSMI backend without a matrix names the peers only: "rsmi1 rsmi2 ". Rate and number of
  /// links stay unknown; a peer is one link.
  void add_xgmi_peers() {
    std::map<std::string, GpuRef, std::less<>> by_name;
    for (const auto& [pci, ref] : gpus_) {
      for (const hwloc_obj_t device : os_devices(pci)) by_name.emplace(name_of(device), ref);
    }
    for (const auto& [pci, ref] : gpus_) {
      for (const hwloc_obj_t device : os_devices(pci)) {
        const std::string peers = info_of(device, "XGMIPeers");
        for (std::size_t at = 0; at < peers.size();) {
          const auto end = std::min(peers.find(' ', at), peers.size());
          const auto peer = by_name.find(std::string_view(peers).substr(at, end - at));
          if (peer != by_name.end() && peer->second.pci != ref.pci) {
            add_link(ref, GpuLink::To::gpu, peer->second, LinkType::xgmi, 0);
          }
          at = end + 1;
        }
      }
    }
  }

  hwloc_topology_t topology_;
  const std::vector<NumaNode>& nodes_;
  const std::map<std::uint32_t, std::uint32_t>& domains_;
  std::map<hwloc_obj_t, GpuRef> gpus_;
  std::vector<DeviceFact> facts_;
};

}  // namespace

std::vector<DeviceFact> device_facts(hwloc_topology_t topology, const std::vector<NumaNode>& nodes,
                                     const std::map<std::uint32_t, std::uint32_t>& domains) {
  return Devices(topology, nodes, domains).run();
}

}  // namespace topolaunch::topo
