// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "mapping/host_model.h"
#include "tests/mapping/machines.h"

namespace topolaunch::mapping {
namespace {

using namespace testing;

TEST(HostSignature, NamesAndUuidsDoNotMatter) {
  const auto host = nvswitch_host("h", 4);
  auto other = nvswitch_host("other", 4);
  other.gpus[2].uuid = "GPU-2";
  other.nics[1].name = "mlx5_9";
  EXPECT_EQ(HostModel::signature(host), HostModel::signature(other));
}

TEST(HostSignature, WhatTheModelReadsDoes) {
  const auto host = nvswitch_host("h", 4);
  const std::vector<std::function<void(topo::Host&)>> changes = {
      [](topo::Host& h) { h.arch = "aarch64"; },
      [](topo::Host& h) { h.cpu_vendor = "AuthenticAMD"; },
      [](topo::Host& h) { h.cpu_model = 1; },
      [](topo::Host& h) { h.gpus.pop_back(); },
      [](topo::Host& h) { h.gpus[1].compute_capability = 100; },
      [](topo::Host& h) { h.gpus[1].compute_capability = 0, h.gpus[1].model = "NVIDIA A100"; },
      [](topo::Host& h) { h.gpus[1].compute_capability = 0, h.gpus[1].model = "NVIDIA B200"; },
      [](topo::Host& h) { h.gpus[1].numa = 1; },
      [](topo::Host& h) { h.gpus[1].pcie_width = 8; },
      [](topo::Host& h) { h.gpus[1].pci->bus = 77; },
      [](topo::Host& h) { h.gpus[1].pcie_path.emplace_back(); },
      [](topo::Host& h) { h.gpus[1].links.front().count = 1; },
      [](topo::Host& h) { h.gpus[1].links.clear(); },
      [](topo::Host& h) { h.nics[0].up = false; },
      [](topo::Host& h) { h.nics[0].rate = Bandwidth::bytes_per_second(1); },
      [](topo::Host& h) { h.nics[0].pcie_path.emplace_back(); },
      [](topo::Host& h) { h.numa.pop_back(); },
  };
  std::set<std::string> seen = {HostModel::signature(host)};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    auto changed = host;
    changes[i](changed);
    EXPECT_TRUE(seen.insert(HostModel::signature(changed)).second) << "change " << i;
  }
}

}  // namespace
}  // namespace topolaunch::mapping
