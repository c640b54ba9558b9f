// SPDX-License-Identifier: Apache-2.0
#include "topo/nccl_xml_devices.h"

#include <fmt/format.h>

#include <algorithm>

#include "topo/link_speed.h"

namespace topolaunch::topo::nccl {
namespace {

constexpr int kDeepest = 32;           ///< levels of <pci>; machines have at most six or so
constexpr int kMostElements = 200000;  ///< a file for one host has a few hundred
constexpr int kMostDevices = 4096;     ///< GPUs and NICs of a file; NCCL itself reads 256 elements

GpuFact gpu_place(const pugi::xml_node& pci_node, const Above& above,
                  const std::optional<PciAddress>& pci, const std::vector<PciAddress>& path) {
  GpuFact gpu;
  gpu.pci = pci;
  gpu.numa = above.numa;
  gpu.affinity = above.affinity;
  gpu.pcie_path = path;
  // NCCL writes what the link can do (max_link_speed) and reckons with it.
  gpu.pcie_generation_max = pcie_generation(pci_node.attribute("link_speed").value()).value_or(0);
  gpu.pcie_width_max = std::clamp(small(pci_node, "link_width"), 0, 32);
  gpu.pcie_generation = gpu.pcie_generation_max;
  gpu.pcie_width = gpu.pcie_width_max;
  return gpu;
}

/// RCCL names the chip in place of the capability: "gfx942", or its number.
std::string amd_model(const pugi::xml_node& pci_node, const std::string& gcn) {
  const std::string_view vendor = pci_node.attribute("vendor").value();
  const std::string name = gcn == "910" ? "gfx90a" : gcn.starts_with("gfx") ? gcn : "gfx" + gcn;
  return (vendor == "0x1d94" ? "Hygon DCU " : "AMD ") + name.substr(0, 32);
}

void set_layer(const pugi::xml_node& pci_node, Nic& nic) {
  const auto code = integer(pci_node, "class");
  const bool infiniband = code && (*code >> 8) == 0x0207;
  const auto begins = [&nic](std::string_view prefix) { return nic.name.starts_with(prefix); };
  if (begins("rdmap") || begins("efa")) {
    nic.layer = Nic::Layer::efa;
  } else if (infiniband) {
    nic.layer = Nic::Layer::infiniband;
  } else if (code && (*code >> 8) == 0x0200 && nic.name.empty()) {
    nic.layer = Nic::Layer::ethernet;
  }
  nic.rdma = nic.rdma || infiniband || begins("mlx") || begins("rdmap") || begins("roce") ||
             begins("ibp") || begins("bnxt_re") || begins("irdma");
}

Nic nic_place(const pugi::xml_node& pci_node, const Above& above,
              const std::optional<PciAddress>& pci, const std::vector<PciAddress>& path) {
  Nic nic;
  nic.pci = pci;
  nic.numa = above.numa;
  nic.pcie_path = path;
  set_layer(pci_node, nic);
  return nic;
}

}  // namespace

void DeviceReader::warn(const pugi::xml_node& node, const std::string& host, std::string code,
                        std::string message) {
  add(node, host,
      WarningFact{{std::move(code), Warning::Severity::warning, file_, lines_.line(node),
                   std::move(message)}});
}

Error DeviceReader::error(const pugi::xml_node& node, std::string message, std::string next) const {
  return Error{Code::invalid_input, std::move(message), std::move(next), file_, lines_.line(node)};
}

Status DeviceReader::count_element(const pugi::xml_node& node) {
  if (++elements <= kMostElements) return {};
  return fail(error(node, fmt::format("more than {} elements", kMostElements)));
}

Status DeviceReader::count_device(const pugi::xml_node& node) {
  if (++devices_ <= kMostDevices) return {};
  return fail(error(node, fmt::format("more than {} GPUs and NICs", kMostDevices)));
}

Status DeviceReader::read_below(const pugi::xml_node& cpu, const Above& above) {
  for (const auto& child : cpu.children()) {
    if (auto few = count_element(child); !few) return few;
    const std::string_view name = child.name();
    Status done;
    if (name == "pci") {
      done = read_pci(child, above, {}, 0);
    } else if (name == "nic" || name == "gpu") {  // virtual ones have no address
      done = count_device(child);
      if (done && name == "gpu") done = read_gpu(child, above, {}, {});
      if (done && name == "nic") read_nic(child, cpu, above, {}, {}, Kind::unknown);
    }
    if (!done) return done;
  }
  return {};
}

Status DeviceReader::read_pci(const pugi::xml_node& node, const Above& above, const Path& path,
                              int depth) {
  if (depth >= kDeepest) return fail(error(node, "<pci> elements are nested too deeply"));
  const auto pci = PciAddress::parse(node.attribute("busid").value());
  if (!pci) {
    return fail(
        error(node, fmt::format("busid '{}' is not a PCI address", node.attribute("busid").value()),
              "write it like 0000:18:00.0"));
  }
  const bool bridge = static_cast<bool>(node.child("pci"));
  const PciAddress own = repeated(node, above, *pci, bridge);
  bool device = false;
  if (auto done = read_device(node, above, *pci, path, device); !done) return done;
  if (bridge) {
    auto below = path;
    below.push_back(own);
    for (const auto& child : node.children("pci")) {
      if (auto few = count_element(child); !few) return few;
      if (auto done = read_pci(child, above, below, depth + 1); !done) return done;
    }
  } else if (!device) {
    if (auto few = count_device(node); !few) return few;
    read_bare(node, above, *pci, path, kind_of(node, "class", node.attribute("vendor").value()));
  }
  return {};
}

/// The <gpu>, <nic> and <net> of a <pci>. `found` if there is one.
Status DeviceReader::read_device(const pugi::xml_node& node, const Above& above,
                                 const PciAddress& pci, const Path& path, bool& found) {
  const Kind kind = kind_of(node, "class", node.attribute("vendor").value());
  for (const auto& child : node.children()) {
    const std::string_view name = child.name();
    if (name != "gpu" && name != "nic" && name != "net") continue;
    found = true;
    ++elements;
    if (auto few = count_device(child); !few) return few;
    if (name == "gpu") {
      if (auto done = read_gpu(child, above, pci, path); !done) return done;
      continue;
    }
    read_nic(name == "net" ? node : child, node, above, pci, path, kind);
    if (name == "net") break;  // that took all of them
  }
  return {};
}

/// Says that an address stands twice. A bridge that repeats another's address is another bridge
/// all the same (RCCL's models have such): it gets an address that no machine uses.
PciAddress DeviceReader::repeated(const pugi::xml_node& node, const Above& above,
                                  const PciAddress& pci, bool bridge) {
  const auto [at, added] = seen_.try_emplace({above.host, pci}, lines_.line(node));
  if (added) return pci;
  warn(node, above.host, "pci-repeated",
       fmt::format("PCI address {} stands on line {} too", pci.text(), at->second));
  if (!bridge) return pci;
  PciAddress own = pci;
  own.domain = 0xfffffff0U - static_cast<std::uint32_t>(seen_.size() + ++repeats_);
  return own;
}

/// A device that the file lists with its address alone: Azure's and AWS's files are made so.
void DeviceReader::read_bare(const pugi::xml_node& node, const Above& above, const PciAddress& pci,
                             const Path& path, Kind kind) {
  if (kind == Kind::gpu) {
    ++gpus;
    add(node, above.host, gpu_place(node, above, pci, path));
  } else if (kind == Kind::nic) {
    add(node, above.host, NicFact{nic_place(node, above, pci, path)});
  } else if (kind == Kind::unknown) {
    PciFact fact;
    fact.pci = pci;
    fact.numa = above.numa;
    fact.affinity = above.affinity;
    fact.pcie_path = path;
    add(node, above.host, std::move(fact));
  }
}

Status DeviceReader::read_gpu(const pugi::xml_node& node, const Above& above,
                              const std::optional<PciAddress>& pci, const Path& path) {
  GpuFact gpu = gpu_place(node.parent(), above, pci, path);
  ++gpus;
  if (const auto dev = integer(node, "dev"); dev && *dev >= 0) gpu.index = small(node, "dev");
  const std::string gcn = node.attribute("gcn").value();
  if (!gcn.empty()) {  // sm is the number of compute units then
    gpu.model = amd_model(node.parent(), gcn);
  } else if (const int sm = small(node, "sm"); sm >= 30 && sm < 1000) {
    gpu.compute_capability = sm;
  }
  GpuRef self;
  self.pci = gpu.pci;
  self.index = gpu.index;
  add(node, above.host, std::move(gpu));
  for (const auto& child : node.children()) {
    if (auto few = count_element(child); !few) return few;
    read_link(child, above, self);
  }
  return {};
}

void DeviceReader::read_link(const pugi::xml_node& node, const Above& above, const GpuRef& self) {
  const std::string_view name = node.name();
  GpuLinkFact link;
  link.from = self;
  link.count = std::max(0, small(node, "count", 1));
  if (name == "c2c") {
    link.type = LinkType::c2c;
    link.to = GpuLink::To::cpu;
    // bw is MB/s a link (NCCL 2.28.9 src/graph/topo.cc, ncclTopoAddC2c).
    link.bandwidth = Bandwidth::bytes_per_second(std::max(0, small(node, "bw")) * 1e6 * link.count);
  } else if (name == "nvlink" || name == "xgmi") {
    link.type = name == "xgmi" ? LinkType::xgmi : LinkType::nvlink;
    const std::string_view target = node.attribute("target").value();
    const auto pci = PciAddress::parse(target);
    const Kind kind = kind_of(node, "tclass", {});
    if (kind == Kind::nvswitch || any_switch(target)) {
      link.to = GpuLink::To::nvswitch;
    } else if (kind == Kind::cpu) {
      link.to = GpuLink::To::cpu;
    } else if ((kind == Kind::gpu || kind == Kind::unknown) && pci) {
      link.to = GpuLink::To::gpu;
      link.peer.pci = *pci;
    } else {
      warn(node, above.host, "nvlink-unknown-target",
           fmt::format("link target '{}' is no PCI address of a GPU", target.substr(0, 40)));
    }
  } else {
    return;
  }
  ++links;
  add(node, above.host, std::move(link));
}

/// Several <net> of one name are ports of one device: their speeds add up.
void DeviceReader::read_nic(const pugi::xml_node& node, const pugi::xml_node& pci_node,
                            const Above& above, const std::optional<PciAddress>& pci,
                            const Path& path, Kind kind) {
  std::vector<std::pair<pugi::xml_node, Nic>> nics;
  for (const auto& net : node.children("net")) {
    if (++elements > kMostElements || ++devices_ > kMostDevices) return;
    const std::string name = net.attribute("name").value();
    auto at = std::find_if(nics.begin(), nics.end(), [&name](const auto& entry) {
      return !name.empty() && entry.second.name == name;
    });
    if (at == nics.end()) {
      Nic nic;
      nic.name = name;
      nic.pci = pci;
      nic.numa = above.numa;
      nic.pcie_path = path;
      nic.rdma = small(net, "gdr") == 1;
      const std::string guid = net.attribute("guid").value();
      if (guid.find_first_not_of("0x") != std::string::npos) nic.guid = guid;
      set_layer(pci_node, nic);
      at = nics.insert(nics.end(), {net, std::move(nic)});
    }
    // Speed is Mb/s; NCCL takes 10 Gb/s for 0 and below, we say that it isn't known.
    const double speed = std::max(0, small(net, "speed"));
    at->second.rate =
        Bandwidth::bytes_per_second(at->second.rate.bytes_per_second() +
                                    Bandwidth::megabits_per_second(speed).bytes_per_second());
  }
  for (auto& [net, nic] : nics) add(net, above.host, NicFact{std::move(nic)});
  if (nics.empty() && pci && kind != Kind::gpu) {
    add(node, above.host, NicFact{nic_place(pci_node, above, pci, path)});
  }
}

}  // namespace topolaunch::topo::nccl
