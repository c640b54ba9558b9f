// SPDX-License-Identifier: Apache-2.0
//
// gpu_models(): the servers that "synthetic:" specs know.
#include "topo/synthetic.h"

namespace topolaunch::topo {

const std::vector<ServerModel>& gpu_models() {
  using Links = ServerModel::Links;
  // Product names and memory as nvidia-smi prints them; servers: DGX-1V, DGX A100, DGX H100/B200
  // and HGX user guides, NVL72 compute tray, PCIe servers with two GPUs below a switch.
  static const std::vector<ServerModel> models{
      {"v100", "Tesla V100-SXM2-32GB", 32768, 70, 3, Links::mesh, 8, 2, 40, "edr", false},
      {"t4", "Tesla T4", 15360, 75, 3, Links::none, 4, 1, 48, "100g", false},
      {"a100", "NVIDIA A100-SXM4-80GB", 81920, 80, 4, Links::nvswitch, 8, 2, 128, "hdr", false},
      {"a10", "NVIDIA A10", 23028, 86, 4, Links::none, 4, 1, 64, "100g", false},
      {"l40s", "NVIDIA L40S", 46068, 89, 4, Links::none, 8, 2, 64, "hdr", false},
      {"rtx4090", "NVIDIA GeForce RTX 4090", 24564, 89, 4, Links::none, 8, 2, 64, "100g", false},
      {"h100", "NVIDIA H100 80GB HBM3", 81559, 90, 5, Links::nvswitch, 8, 1, 112, "ndr", false},
      {"h200", "NVIDIA H200", 143771, 90, 5, Links::nvswitch, 8, 1, 112, "ndr", false},
      {"gh200", "NVIDIA GH200 480GB", 97871, 90, 5, Links::none, 1, 1, 72, "ndr", true},
      {"b200", "NVIDIA B200", 183359, 100, 5, Links::nvswitch, 8, 1, 112, "ndr", false},
      {"gb200", "NVIDIA GB200", 189471, 100, 5, Links::nvswitch, 4, 1, 144, "ndr", true},
      {"b300", "NVIDIA B300 SXM6 AC", 275040, 103, 6, Links::nvswitch, 8, 1, 128, "xdr", false},
  };
  return models;
}

}  // namespace topolaunch::topo
