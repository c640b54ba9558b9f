// SPDX-License-Identifier: Apache-2.0
#include "topo/gpu_model.h"

#include <array>
#include <cctype>

namespace topolaunch::topo {
namespace {

struct Row {
  std::string_view name;  ///< words that the product name holds; the first row that fits counts
  GpuModel model;
};

/// Capabilities: developer.nvidia.com/cuda-gpus and .../cuda-legacy-gpus (2026). Links: the total
/// both ways that the board's data sheet states, over what the architecture's white paper gives one
/// link both ways: P100 40 GB/s; V100, TU102, A100, A30 and H100 50 GB/s; GA102 28.125 GB/s (four
/// links of 14.0625 GB/s each way); B200 100 GB/s. 0: the data sheet names no NVLink.
constexpr std::array<Row, 51> kRows{{
    // Blackwell: 1.8 TB/s. The GB10's NVLink-C2C joins its own CPU, no other GPU.
    {"GB300", {103, 18}},
    {"B300", {103, 18}},
    {"GB200", {100, 18}},
    {"B200", {100, 18}},
    {"B100", {100, 18}},
    {"GB10", {121, 0}},
    {"RTX PRO", {120, 0}},
    {"RTX 50", {120, 0}},
    // Hopper: 900 GB/s; H100 PCIe and H100 NVL 600 GB/s over bridges; H800 400 GB/s.
    {"GH200", {90, 18}},
    {"H200 NVL", {90, 18}},
    {"H200", {90, 18}},
    {"H100 NVL", {90, 12}},
    {"H100 PCIe", {90, 12}},
    {"H100", {90, 18}},
    {"H800", {90, 8}},
    {"H20", {90, 18}},
    // Ampere, GA100: A100 600 GB/s, A800 400 GB/s, A30 200 GB/s.
    {"A100", {80, 12}},
    {"A800", {80, 8}},
    {"A30", {80, 4}},
    // Ada: none.
    {"L40", {89, 0}},
    {"L20", {89, 0}},
    {"L4", {89, 0}},
    {"L2", {89, 0}},
    {"6000 Ada", {89, 0}},
    {"5000 Ada", {89, 0}},
    {"4000 Ada", {89, 0}},
    {"RTX 40", {89, 0}},
    // Ampere, GA102 with a bridge: 112.5 GB/s. Boards without one, and GA104 to GA107: none.
    {"A40", {86, 4}},
    {"A10G", {86, 0}},
    {"A10", {86, 0}},
    {"A16", {86, 0}},
    {"A2", {86, 0}},
    {"RTX A6000", {86, 4}},
    {"RTX A5500", {86, 4}},
    {"RTX A5000", {86, 4}},
    {"RTX A4500", {86, 4}},
    {"RTX A4000", {86, 0}},
    {"RTX A2000", {86, 0}},
    {"RTX 3090", {86, 4}},
    {"RTX 30", {86, 0}},
    // Turing: TU102 100 GB/s; the RTX 2080 (TU104) has one link of them, its Ti both.
    {"T4", {75, 0}},
    {"Quadro RTX 8000", {75, 2}},
    {"Quadro RTX 6000", {75, 2}},
    {"RTX 2080", {75, 2}},
    // Volta and Pascal: V100 SXM2 300 GB/s, P100 SXM2 160 GB/s; PCIe boards none.
    {"V100-PCIE", {70, 0}},
    {"V100S-PCIE", {70, 0}},
    {"V100", {70, 6}},
    {"TITAN V", {70, 0}},
    {"P100-PCIE", {60, 0}},
    {"P100", {60, 4}},
    {"P40", {61, 0}},
}};

bool alphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// `word` stands in `name`, and nothing that would make it another model next to it: "A10" isn't in
/// "A100", "L4" not in "L40S". Rows that end in "0" of a series ("RTX 40") hold for what follows.
bool holds(std::string_view name, std::string_view word) {
  const bool series = word == "RTX 30" || word == "RTX 40" || word == "RTX 50" || word == "L40";
  for (auto at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
    const bool begins = at == 0 || !alphanumeric(name[at - 1]);
    const auto behind = at + word.size();
    if (begins && (series || behind == name.size() || !alphanumeric(name[behind]))) return true;
  }
  return false;
}

}  // namespace

std::optional<GpuModel> gpu_model(std::string_view name) {
  for (const auto& row : kRows) {
    if (holds(name, row.name)) return row.model;
  }
  return {};
}

}  // namespace topolaunch::topo
