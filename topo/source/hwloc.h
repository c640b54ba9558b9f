// SPDX-License-Identifier: Apache-2.0
//
// The machine's CPUs and memory through hwloc: packages, NUMA nodes, cores, and which CPUs and nodes
// this process may really use (cpuset, affinity, control groups). The same translator reads hwloc's
// XML files, with the GPUs, NICs and NVLinks in them.
//
//   HWLOC_XMLFILE=dgx.xml HWLOC_THISSYSTEM=0 topolaunch topo     shows the machine of the file
#pragma once

#include <string>
#include <vector>

#include "topo/source.h"

namespace topolaunch::topo {

class HwlocSource final : public Source {
 public:
  explicit HwlocSource(std::string host) : host_(std::move(host)) {}
  std::string name() const override { return "hwloc"; }
  std::string host() const override { return host_; }
  bool live() const override { return true; }
  Result<std::vector<Fact>> look(const Outside& outside) const override;

 private:
  std::string host_;
};

/// A machine from hwloc's XML (1.x, 2.x; 3.x with what of it hwloc 2 can hold, said as a warning).
/// Facts carry Origin{"hwloc-xml", file}; their host is the file's HostName, empty if it has none.
/// invalid_input if it is no such file.
Result<std::vector<Fact>> facts_from_hwloc_xml(const std::string& text, const std::string& file);

}  // namespace topolaunch::topo
