// SPDX-License-Identifier: Apache-2.0
//
// The devices below one <cpu> of an NCCL topology: bridges, GPUs with their links, NICs, and bare
// addresses of which nothing else is said.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "topo/fact.h"
#include "topo/nccl_xml_attributes.h"
#include "topo/xml_lines.h"

namespace topolaunch::topo::nccl {

/// What a device inherits from the <cpu> above it.
struct Above {
  std::string host;
  std::optional<int> numa;
  CpuSet affinity;
};

class DeviceReader {
 public:
  DeviceReader(const std::string& file, const XmlLines& lines) : file_(file), lines_(lines) {}

  /// invalid_input with the line for an address that is none, and for a file without bounds.
  Status read_below(const pugi::xml_node& cpu, const Above& above);

  void add(const pugi::xml_node& node, const std::string& host, auto fact) {
    facts.push_back({{"nccl-xml", file_, lines_.line(node)}, host, std::move(fact)});
  }
  void warn(const pugi::xml_node& node, const std::string& host, std::string code,
            std::string message);
  Error error(const pugi::xml_node& node, std::string message, std::string next = {}) const;

  std::vector<Fact> facts;
  int elements = 0;  ///< of the whole file, but for <system> and <cpu>
  int gpus = 0;
  int links = 0;

 private:
  using Path = std::vector<PciAddress>;

  Status count_element(const pugi::xml_node& node);
  Status count_device(const pugi::xml_node& node);
  Status read_pci(const pugi::xml_node& node, const Above& above, const Path& path, int depth);
  Status read_device(const pugi::xml_node& node, const Above& above, const PciAddress& pci,
                     const Path& path, bool& found);
  PciAddress repeated(const pugi::xml_node& node, const Above& above, const PciAddress& pci,
                      bool bridge);
  void read_bare(const pugi::xml_node& node, const Above& above, const PciAddress& pci,
                 const Path& path, Kind kind);
  Status read_gpu(const pugi::xml_node& node, const Above& above,
                  const std::optional<PciAddress>& pci, const Path& path);
  void read_link(const pugi::xml_node& node, const Above& above, const GpuRef& self);
  void read_nic(const pugi::xml_node& node, const pugi::xml_node& pci_node, const Above& above,
                const std::optional<PciAddress>& pci, const Path& path, Kind kind);

  const std::string& file_;
  const XmlLines& lines_;
  std::map<std::pair<std::string, PciAddress>, int> seen_;  ///< host and address -> line
  int devices_ = 0;
  unsigned repeats_ = 0;
};

}  // namespace topolaunch::topo::nccl
