// SPDX-License-Identifier: Apache-2.0
//
// Short ways to read a text of nvidia-smi and to look at what came of it, for the tests of this
// folder.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/topo/facts.h"
#include "topo/smi/text.h"

namespace topolaunch::topo {

inline Topology read_smi(const std::string& text) {
  auto facts = facts_from_smi(text, "smi.txt", "n1");
  EXPECT_TRUE(facts.has_value()) << facts.error().text();
  return facts ? assembled(std::move(*facts)) : Topology();
}

inline Error refused_smi(const std::string& text) {
  const auto facts = facts_from_smi(text, "smi.txt", "n1");
  return facts ? Error{Code::internal, "was not refused", "", "", 0} : facts.error();
}

/// Links that end at this GPU, active ones.
inline int links_of(const Gpu& gpu) {
  int count = 0;
  for (const auto& link : gpu.links) count += link.count;
  return count;
}

inline int links_between(const Host& host, std::size_t a, int b) {
  for (const auto& link : host.gpus.at(a).links) {
    if (link.to == GpuLink::To::gpu && link.peer == b) return link.count;
  }
  return 0;
}

}  // namespace topolaunch::topo
