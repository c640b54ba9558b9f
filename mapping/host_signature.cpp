// SPDX-License-Identifier: Apache-2.0
//
// What of a host its model depends on, as bytes: made for every host of a cluster, so nothing is formatted.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mapping/host_model.h"
#include "mapping/index.h"

namespace topolaunch::mapping {
namespace {

class Signature {
 public:
  /// Numbers, truths and enumerators: eight bytes each.
  template <class... Values>
  void add(Values... values) {
    (append(static_cast<double>(values)), ...);  // exact: none has more than 53 bits
  }
  void add_text(const std::string& text) {
    add(text.size());
    bytes_ += text;
  }
  void add_address(const topo::PciAddress& pci) { add(pci.domain, pci.bus, pci.device, pci.function); }
  void add_place(const std::optional<topo::PciAddress>& pci, const std::vector<topo::PciAddress>& path) {
    add(pci.has_value(), path.size());
    if (pci) add_address(*pci);
    for (const auto& bridge : path) add_address(bridge);
  }
  std::string take() { return std::move(bytes_); }

 private:
  void append(double value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  std::string bytes_;
};

}  // namespace

std::string HostModel::signature(const topo::Host& host) {
  Signature signature;
  signature.add_text(host.arch);
  signature.add_text(host.cpu_vendor);
  signature.add(host.cpu_family, host.cpu_model, host.gpus.size(), host.nics.size());
  for (const auto& gpu : host.gpus) {
    signature.add(gpu.compute_capability, gpu.numa.value_or(-1), gpu.pcie_generation, gpu.pcie_width,
                  gpu.pcie_generation_max, gpu.pcie_width_max, gpu.links.size());
    // The model's name tells the generation where nothing else does.
    if (gpu.compute_capability == 0) signature.add_text(gpu.model);
    signature.add_place(gpu.pci, gpu.pcie_path);
    for (const auto& link : gpu.links)
      signature.add(static_cast<int>(link.to), link.peer, static_cast<int>(link.type), link.count,
                    link.bandwidth.bytes_per_second());
  }
  for (const auto& nic : host.nics) {
    signature.add(nic.rate.bytes_per_second(), nic.up, nic.rdma, nic.numa.value_or(-1));
    signature.add_place(nic.pci, nic.pcie_path);
  }
  for (const auto& node : host.numa) signature.add(node.id, node.package);
  return signature.take();
}

}  // namespace topolaunch::mapping
