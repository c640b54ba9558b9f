// SPDX-License-Identifier: Apache-2.0
//
// Sources that give what a test tells them to.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/memory_files.h"
#include "tests/topo/source/capture.h"
#include "topo/survey.h"

namespace topolaunch::test {

class FixedSource final : public topo::Source {
 public:
  FixedSource(std::string name, Result<std::vector<topo::Fact>> answer)
      : name_(std::move(name)), answer_(std::move(answer)) {}
  std::string name() const override { return name_; }
  std::string host() const override { return "h"; }
  bool live() const override { return true; }
  Result<std::vector<topo::Fact>> look(const Outside& /*outside*/) const override { return answer_; }

 private:
  std::string name_;
  Result<std::vector<topo::Fact>> answer_;
};

inline topo::Fact gpu(const std::string& source, const std::string& pci, unsigned vendor = 0x10de) {
  topo::GpuFact fact;
  fact.pci = *topo::PciAddress::parse(pci);
  fact.pci_vendor = vendor;
  return {{source, {}, 0}, "h", fact};
}

inline Result<topo::Survey> discover_with(std::vector<std::pair<std::string, Result<std::vector<topo::Fact>>>> answers) {
  topo::Sources sources;
  for (auto& [name, answer] : answers) {
    sources.push_back(std::make_unique<FixedSource>(name, std::move(answer)));
  }
  const MemoryFiles files;
  const TestOutside outside(files, {});
  return discover(sources, outside.get());
}

inline std::vector<std::string> gpus(const topo::Survey& survey) {
  std::vector<std::string> out;
  for (const auto& fact : survey.facts) {
    if (const auto* one = std::get_if<topo::GpuFact>(&fact.what)) {
      out.push_back(fact.origin.source + " " + one->pci->text());
    }
  }
  return out;
}

}  // namespace topolaunch::test
