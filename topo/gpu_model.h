// SPDX-License-Identifier: Apache-2.0
//
// What the product name of a GPU says where nobody says more: compute capability, and how many
// NVLinks a board of that name has (a PCIe board has fewer than the SXM module of the same chip).
//
//   gpu_model("NVIDIA H100 PCIe")  ->  capability 90, 12 links
#pragma once

#include <optional>
#include <string_view>

namespace topolaunch::topo {

struct GpuModel {
  int capability = 0;  ///< 90 for 9.0
  int most_links = 0;  ///< NVLinks on the board; 0 = none
};

/// Nothing for a name that the table doesn't hold.
std::optional<GpuModel> gpu_model(std::string_view name);

}  // namespace topolaunch::topo
