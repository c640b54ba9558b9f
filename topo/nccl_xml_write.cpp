// SPDX-License-Identifier: Apache-2.0
//
// Host -> NCCL_TOPO_FILE. NCCL wants numaid, affinity, arch, vendor, familyid and modelid of every
// <cpu> and busid, class, link_speed and link_width of every <pci> (2.28.9 src/graph/xml.cc,
// topo.cc).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <pugixml.hpp>
#include <sstream>

#include "topo/link_speed.h"
#include "topo/nccl_xml.h"

namespace topolaunch::topo {
namespace {

void set(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name).set_value(value.c_str());
}

/// NCCL lists a PCIe switch once, by its upstream port: of a path with every port of it (as sysfs
/// and hwloc have it: root port, upstream, downstream, ...) every second one counts from below.
std::vector<PciAddress> switches_of(const std::vector<PciAddress>& path,
                                    const std::vector<Origin>& origins) {
  const bool every_port = std::any_of(origins.begin(), origins.end(), [](const Origin& origin) {
    return origin.source == "hwloc" || origin.source == "sysfs" || origin.source == "hwloc-xml";
  });
  if (!every_port) return path;
  std::vector<PciAddress> switches;
  for (std::size_t below = 2; below <= path.size(); below += 2) {
    switches.insert(switches.begin(), path[path.size() - below]);
  }
  return switches;
}

class Writer {
 public:
  explicit Writer(const Host& host) : host_(host) {}

  Result<std::string> write() {
    auto system = document_.append_child("system");
    set(system, "version", "1");
    for (const NumaNode& node : host_.numa) {
      if (!node.cpus.empty()) cpu(node.id, node.cpus);
    }
    if (cpus_.empty()) cpu(-1, host_.cpus);
    for (const Gpu& gpu : host_.gpus) {
      if (!gpu.pci) {
        return fail(Code::invalid_input,
                    fmt::format("gpu{} of {} has no PCI address, which NCCL's file needs",
                                gpu.index, host_.name));
      }
      write_gpu(gpu);
    }
    int number = 0;
    std::map<PciAddress, pugi::xml_node> cards;
    for (const Nic& nic : host_.nics) write_nic(nic, number++, cards);
    std::ostringstream out;
    document_.save(out, "  ", pugi::format_indent | pugi::format_no_declaration);
    return out.str();
  }

 private:
  void cpu(int id, const CpuSet& cpus) {
    auto node = document_.child("system").append_child("cpu");
    set(node, "numaid", std::to_string(id));
    set(node, "affinity", cpus.to_mask());
    set(node, "arch", host_.arch.empty() ? "x86_64" : host_.arch);
    set(node, "vendor", host_.cpu_vendor);
    set(node, "familyid", std::to_string(host_.cpu_family));
    set(node, "modelid", std::to_string(host_.cpu_model));
    cpus_[id] = node;
  }

  /// The <cpu> of a device; devices of unknown place go below the first.
  pugi::xml_node above(std::optional<int> numa) {
    const auto at = numa ? cpus_.find(*numa) : cpus_.begin();
    return at == cpus_.end() ? cpus_.begin()->second : at->second;
  }

  pugi::xml_node bridge(pugi::xml_node parent, const PciAddress& pci, int generation, int width) {
    for (auto child : parent.children("pci")) {
      if (pci.text() == child.attribute("busid").value()) return child;
    }
    return device(parent, pci, "0x060400", generation, width);
  }

  static pugi::xml_node device(pugi::xml_node parent, const PciAddress& pci, const char* code,
                               int generation, int width) {
    auto node = parent.append_child("pci");
    set(node, "busid", pci.text());
    set(node, "class", code);
    set(node, "link_speed", pcie_link_speed(generation));
    set(node, "link_width", std::to_string(width));
    return node;
  }

  pugi::xml_node place(std::optional<int> numa, const std::vector<PciAddress>& path,
                       const std::vector<Origin>& origins, int generation, int width) {
    auto node = above(numa);
    for (const auto& pci : switches_of(path, origins)) node = bridge(node, pci, generation, width);
    return node;
  }

  void write_gpu(const Gpu& gpu) {
    const int generation = std::max(gpu.pcie_generation, gpu.pcie_generation_max);
    const int width = std::max(gpu.pcie_width, gpu.pcie_width_max);
    auto pci = device(place(gpu.numa, gpu.pcie_path, gpu.origins, generation, width), *gpu.pci,
                      "0x030200", generation, width);
    auto node = pci.append_child("gpu");
    set(node, "dev", std::to_string(gpu.index));
    set(node, "sm", std::to_string(gpu.compute_capability));
    // RCCL knows the generation by the chip's name.
    constexpr std::string_view amd = "AMD gfx";
    if (gpu.model.starts_with(amd)) set(node, "gcn", gpu.model.substr(amd.find("gfx")));
    set(node, "rank", std::to_string(gpu.index));
    set(node, "gdr", "1");
    for (const auto& link : gpu.links) {
      if (link.count <= 0) continue;
      if (link.type == LinkType::c2c) {
        auto c2c = node.append_child("c2c");
        set(c2c, "bw",
            std::to_string(std::llround(link.bandwidth.bytes_per_second() / 1e6 / link.count)));
        set(c2c, "count", std::to_string(link.count));
        continue;
      }
      const Gpu* peer =
          link.to == GpuLink::To::gpu ? &host_.gpus[static_cast<std::size_t>(link.peer)] : nullptr;
      if ((peer == nullptr || !peer->pci) && link.to != GpuLink::To::nvswitch) continue;
      auto entry = node.append_child(link.type == LinkType::xgmi ? "xgmi" : "nvlink");
      set(entry, "target", peer != nullptr ? peer->pci->text() : "fffffff:ff:ff.0");
      set(entry, "count", std::to_string(link.count));
      set(entry, "tclass", peer != nullptr ? "0x030200" : "0x068000");
    }
  }

  void write_nic(const Nic& nic, int number, std::map<PciAddress, pugi::xml_node>& cards) {
    pugi::xml_node holder;
    if (nic.pci && cards.contains(*nic.pci)) {
      holder = cards[*nic.pci];  // another port of the card
    } else if (nic.pci) {
      const char* code = nic.layer == Nic::Layer::infiniband ? "0x020700" : "0x020000";
      holder = device(place(nic.numa, nic.pcie_path, nic.origins, 0, 0), *nic.pci, code, 0, 0)
                   .append_child("nic");
      cards[*nic.pci] = holder;
    } else {
      holder = above(nic.numa).append_child("nic");
    }
    if (nic.pci && nic.name == nic.pci->text()) return;  // a bare address has no <net>
    auto net = holder.append_child("net");
    set(net, "name", nic.name);
    set(net, "dev", std::to_string(number));
    set(net, "speed", std::to_string(std::llround(nic.rate.bytes_per_second() * 8 / 1e6)));
    set(net, "port", "1");
    set(net, "latency", "0.000000");
    set(net, "guid", nic.guid.empty() ? fmt::format("0x{:x}", number + 1) : nic.guid);
    set(net, "maxconn", "131072");
    set(net, "gdr", nic.rdma ? "1" : "0");
  }

  const Host& host_;
  pugi::xml_document document_;
  std::map<int, pugi::xml_node> cpus_;
};

}  // namespace

Result<std::string> nccl_xml(const Host& host) { return Writer(host).write(); }

}  // namespace topolaunch::topo
