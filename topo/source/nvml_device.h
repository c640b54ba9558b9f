// SPDX-License-Identifier: Apache-2.0
//
// One GPU of NVML while it is asked: keeps what goes wrong as warnings with the GPU's name, so that
// the questions stay readable.
#pragma once

#include <string>
#include <vector>

#include "topo/fact.h"
#include "topo/source/nvml_library.h"

namespace topolaunch::topo {

class NvmlDevice {
 public:
  NvmlDevice(const NvmlLibrary& nvml, unsigned index, NvmlLibrary::Device device)
      : nvml_(nvml), index_(index), device_(device) {}

  /// True if the call succeeded. "Not supported" and "not in this driver" are answers, not faults;
  /// anything else becomes a warning, once for each name of a call.
  bool ok(const char* call_name, nvml_abi::Return code);

  /// UUID and PCI address: without one of them a GPU can't be told from others. False: not usable.
  bool identify();
  GpuFact describe();  ///< after identify()
  /// NVLinks and chip-to-chip links, those of one remote end together. `known` are the addresses of
  /// all GPUs of this host.
  std::vector<GpuLinkFact> links(const std::vector<PciAddress>& known);

  NvmlLibrary::Device handle() const { return device_; }
  const std::string& uuid() const { return uuid_; }
  const std::optional<PciAddress>& pci() const { return pci_; }
  GpuRef ref() const { return {uuid_, pci_, static_cast<int>(index_)}; }
  std::string label() const;  ///< "GPU 3 (0000:9a:00.0)"
  std::vector<std::string> mig_uuids();
  std::vector<Warning>& warnings() { return warnings_; }
  bool lost() const { return lost_; }

 private:
  void affinity(GpuFact& fact);
  void fabric(GpuFact& fact);
  void mig(GpuFact& fact);
  void pcie(GpuFact& fact);
  /// One field value as a number; nothing where the driver or the GPU doesn't have it.
  std::optional<unsigned long long> field(unsigned id, unsigned scope);
  std::optional<GpuLinkFact> link(unsigned number, const std::vector<PciAddress>& known);
  Bandwidth link_speed(unsigned number);
  std::optional<GpuLinkFact> c2c();

  const NvmlLibrary& nvml_;
  unsigned index_;
  NvmlLibrary::Device device_;
  std::string uuid_;
  std::optional<PciAddress> pci_;
  std::vector<Warning> warnings_;
  std::vector<std::string> warned_calls_;
  bool lost_ = false;
};

}  // namespace topolaunch::topo
