// SPDX-License-Identifier: Apache-2.0
#include "topo/lint/instance_types.h"

#include <array>

namespace topolaunch::topo {
namespace {

struct Row {
  std::string_view type;
  int gpus;
};

/// AWS, Amazon EC2 instance types, accelerated computing (2026).
constexpr std::array<Row, 41> kRows{{
    {"p3.2xlarge", 1},         {"p3.8xlarge", 4},       {"p3.16xlarge", 8},
    {"p3dn.24xlarge", 8},      {"p4d.24xlarge", 8},     {"p4de.24xlarge", 8},
    {"p5.4xlarge", 1},         {"p5.48xlarge", 8},      {"p5e.48xlarge", 8},
    {"p5en.48xlarge", 8},      {"p6-b200.48xlarge", 8}, {"p6-b300.48xlarge", 8},
    {"p6e-gb200.36xlarge", 4}, {"g4dn.xlarge", 1},      {"g4dn.2xlarge", 1},
    {"g4dn.4xlarge", 1},       {"g4dn.8xlarge", 1},     {"g4dn.16xlarge", 1},
    {"g4dn.12xlarge", 4},      {"g4dn.metal", 8},       {"g5.xlarge", 1},
    {"g5.2xlarge", 1},         {"g5.4xlarge", 1},       {"g5.8xlarge", 1},
    {"g5.16xlarge", 1},        {"g5.12xlarge", 4},      {"g5.24xlarge", 4},
    {"g5.48xlarge", 8},        {"g6.xlarge", 1},        {"g6.2xlarge", 1},
    {"g6.4xlarge", 1},         {"g6.8xlarge", 1},       {"g6.16xlarge", 1},
    {"g6.12xlarge", 4},        {"g6.24xlarge", 4},      {"g6.48xlarge", 8},
    {"g6e.xlarge", 1},         {"g6e.12xlarge", 4},     {"g6e.24xlarge", 4},
    {"g6e.48xlarge", 8},       {"g7e.48xlarge", 8},
}};

}  // namespace

std::optional<int> gpus_of_instance_type(std::string_view type) {
  if (type.starts_with("ml.")) type.remove_prefix(3);
  for (const auto& row : kRows) {
    if (row.type == type) return row.gpus;
  }
  return {};
}

}  // namespace topolaunch::topo
