// SPDX-License-Identifier: Apache-2.0
#include "topo/link_speed.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/lower_case.h"

namespace topolaunch::topo {
namespace {

struct NvlinkRow {
  int from;           ///< lowest compute capability of the row; it holds up to the next row
  double payload;     ///< GB/s a link and direction. NVIDIA data sheets by way of
                      ///< stas00/ml-engineering network/README.md (2026)
  double nccl;        ///< GB/s. NCCL 2.28.9 src/graph/topo.h, SM*_NVLINK_BW
  int most;           ///< links a GPU. NVIDIA data sheets
};

constexpr std::array<NvlinkRow, 9> kNvlink{{
    {60, 20, 18, 4},      // P100, NVLink 1
    {61, 0, 0, 0},        // GeForce and Tesla Pascal: none
    {70, 25, 20, 6},      // V100, NVLink 2
    {75, 25, 20, 2},      // Turing: NVLink 2, two links on the largest boards
    {80, 25, 20, 12},     // A100, NVLink 3
    {86, 14.0625, 12, 4}, // GA102 (A40, RTX 3090): 4 links, 56.25 GB/s (NVIDIA GA102 white paper)
    {89, 0, 0, 0},        // Ada: none
    {90, 25, 20.6, 18},   // H100, H200, NVLink 4
    {100, 50, 40.1, 18},  // B200, GB200, NVLink 5; workstation Blackwell (120) has none, below
}};

const NvlinkRow* nvlink_row(int compute_capability) {
  if (compute_capability >= 120) return nullptr;
  const NvlinkRow* found = nullptr;
  for (const auto& row : kNvlink) {
    if (compute_capability >= row.from) found = &row;
  }
  return found;
}

struct PcieRow {
  std::string_view speed;  ///< as Linux prints current_link_speed (drivers/pci/probe.c)
  double gigatransfers;
  double payload;          ///< GB/s a lane: 8b/10b up to generation 2, 128b/130b up to 5; 6 and 7 as
                           ///< stas00/ml-engineering network/README.md (2026): 121, 242 for x16
  double nccl;             ///< 100 Mb/s a lane: NCCL 2.28.9 src/graph/topo.cc kvDictPciGen
};

constexpr std::array<PcieRow, 7> kPcie{{
    {"2.5 GT/s PCIe", 2.5, 0.25, 15},
    {"5.0 GT/s PCIe", 5, 0.5, 30},
    {"8.0 GT/s PCIe", 8, 8.0 * 128 / 130 / 8, 60},
    {"16.0 GT/s PCIe", 16, 16.0 * 128 / 130 / 8, 120},
    {"32.0 GT/s PCIe", 32, 32.0 * 128 / 130 / 8, 240},
    {"64.0 GT/s PCIe", 64, 121.0 / 16, 480},
    {"128.0 GT/s PCIe", 128, 242.0 / 16, 480},  // NCCL 2.28.9 has no row: as generation 6
}};

struct NetworkRow {
  std::string_view name;
  double gigabits;
};

/// 4x ports, IBTA road map; efa: one EFAv1/v2 adapter (AWS P4d, P5: 100 Gb/s each).
constexpr std::array<NetworkRow, 9> kNetwork{{{"sdr", 10},
                                              {"ddr", 20},
                                              {"qdr", 40},
                                              {"fdr", 56},
                                              {"edr", 100},
                                              {"hdr", 200},
                                              {"ndr", 400},
                                              {"xdr", 800},
                                              {"efa", 100}}};

}  // namespace

Bandwidth nvlink_per_link(int compute_capability) {
  const auto* row = nvlink_row(compute_capability);
  return row == nullptr ? Bandwidth() : Bandwidth::gigabytes_per_second(row->payload);
}

Bandwidth nccl_nvlink_per_link(int compute_capability) {
  const auto* row = nvlink_row(compute_capability);
  return row == nullptr ? Bandwidth() : Bandwidth::gigabytes_per_second(row->nccl);
}

int nvlink_most_links(int compute_capability) {
  if (compute_capability <= 0) {
    return std::max_element(kNvlink.begin(), kNvlink.end(), [](const auto& a, const auto& b) {
             return a.most < b.most;
           })->most;
  }
  const auto* row = nvlink_row(compute_capability);
  return row == nullptr ? 0 : row->most;
}

// stas00/ml-engineering network/README.md (2026): 450 GB/s one way; nvbandwidth sees 359-377.
Bandwidth nvlink_c2c() { return Bandwidth::gigabytes_per_second(450); }

Bandwidth pcie(int generation, int width) {
  if (generation < 1 || generation > static_cast<int>(kPcie.size()) || width <= 0) return {};
  return Bandwidth::gigabytes_per_second(kPcie[static_cast<std::size_t>(generation - 1)].payload *
                                         width);
}

Bandwidth nccl_pcie(int generation, int width) {
  const bool known = generation >= 1 && generation <= static_cast<int>(kPcie.size());
  const auto& row = kPcie[known ? static_cast<std::size_t>(generation - 1) : 2];
  return Bandwidth::gigabytes_per_second(row.nccl * (width > 0 ? width : 16) / 80.0);
}

std::optional<int> pcie_generation(std::string_view link_speed) {
  double gigatransfers = 0;
  const char* end = link_speed.data() + link_speed.size();
  const auto [rest, error] = std::from_chars(link_speed.data(), end, gigatransfers);
  if (error != std::errc{}) return {};
  std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  if (!unit.starts_with("GT/s")) return {};
  for (std::size_t i = 0; i < kPcie.size(); ++i) {
    if (std::abs(kPcie[i].gigatransfers - gigatransfers) < 0.01) return static_cast<int>(i) + 1;
  }
  return {};
}

std::string pcie_link_speed(int generation) {
  if (generation < 1 || generation > static_cast<int>(kPcie.size())) return {};
  return std::string(kPcie[static_cast<std::size_t>(generation - 1)].speed);
}

std::optional<Bandwidth> network_rate(std::string_view name) {
  const std::string low = lower_case(name);
  for (const auto& row : kNetwork) {
    if (low == row.name) return Bandwidth::gigabits_per_second(row.gigabits);
  }
  if (low.size() > 1 && low.back() == 'g') {  // "100g" as people write Ethernet speeds
    int gigabits = 0;
    const auto [rest, error] =
        std::from_chars(low.data(), low.data() + low.size() - 1, gigabits);
    if (error == std::errc{} && rest == low.data() + low.size() - 1 && gigabits > 0 &&
        gigabits <= 100000) {
      return Bandwidth::gigabits_per_second(gigabits);
    }
    return {};
  }
  if (auto rate = parse_bandwidth(name)) return *rate;
  return {};
}

std::vector<std::string> network_rate_names() {
  std::vector<std::string> names;
  for (const auto& row : kNetwork) names.emplace_back(row.name);
  names.emplace_back("100g");
  names.emplace_back("400Gb/s");
  return names;
}

}  // namespace topolaunch::topo
