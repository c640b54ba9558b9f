// SPDX-License-Identifier: Apache-2.0
#include "topo/instance_types.h"

#include <algorithm>
#include <array>

namespace topolaunch::topo {
namespace {

// GPUs and gigabits per second of a whole host, as each cloud's own pages state them (2026):
//   AWS: docs.aws.amazon.com/ec2/latest/instancetypes/ac.html, "Network bandwidth". Of the smaller
//   types the network is "up to" so much, or shared: 0, not said. p6e-gb200: EFA of
//   400 Gb/s for each of its four GPUs.
//   Google Cloud: cloud.google.com/compute/docs/gpus, "Maximum network bandwidth".
//   OCI: docs.oracle.com/iaas/Content/Compute/References/computeshapes.htm, "RDMA" of bare metal:
//   GPU4 and A100-v2 8 x 2 x 100, H100 8 x 2 x 200, H200 and B200 8 x 400.
constexpr std::array<InstanceType, 56> kTypes{
    {{"p3.16xlarge", 8, "v100", 25},           {"p3dn.24xlarge", 8, "v100", 100},
     {"p4d.24xlarge", 8, "a100", 400},         {"p4de.24xlarge", 8, "a100", 400},
     {"p5.4xlarge", 1, "h100", 100},           {"p5.48xlarge", 8, "h100", 3200},
     {"p5e.48xlarge", 8, "h200", 3200},        {"p5en.48xlarge", 8, "h200", 3200},
     {"p6-b200.48xlarge", 8, "b200", 3200},    {"p6-b300.48xlarge", 8, "b300", 6400},
     {"p6e-gb200.36xlarge", 4, "gb200", 1600}, {"g5.12xlarge", 4, "NVIDIA A10G", 40},
     {"g5.24xlarge", 4, "NVIDIA A10G", 50},    {"g5.48xlarge", 8, "NVIDIA A10G", 100},
     {"g6.12xlarge", 4, "NVIDIA L4", 40},      {"g6.24xlarge", 4, "NVIDIA L4", 50},
     {"g6.48xlarge", 8, "NVIDIA L4", 100},     {"g6e.12xlarge", 4, "l40s", 100},
     {"g6e.24xlarge", 4, "l40s", 200},         {"g6e.48xlarge", 8, "l40s", 400},
     {"a2-highgpu-8g", 8, "a100", 100},        {"a2-ultragpu-8g", 8, "a100", 100},
     {"a3-highgpu-8g", 8, "h100", 1000},       {"a3-megagpu-8g", 8, "h100", 1800},
     {"a3-ultragpu-8g", 8, "h200", 3600},      {"a4-highgpu-8g", 8, "b200", 3600},
     {"a4x-highgpu-4g", 4, "gb200", 2000},     {"BM.GPU4.8", 8, "a100", 1600},
     {"BM.GPU.A100-v2.8", 8, "a100", 1600},    {"BM.GPU.H100.8", 8, "h100", 3200},
     {"BM.GPU.H200.8", 8, "h200", 3200},       {"BM.GPU.B200.8", 8, "b200", 3200},
     {"p3.2xlarge", 1, "v100", 0},             {"p3.8xlarge", 4, "v100", 0},
     {"g4dn.xlarge", 1, "t4", 0},              {"g4dn.2xlarge", 1, "t4", 0},
     {"g4dn.4xlarge", 1, "t4", 0},             {"g4dn.8xlarge", 1, "t4", 0},
     {"g4dn.16xlarge", 1, "t4", 0},            {"g4dn.12xlarge", 4, "t4", 0},
     {"g4dn.metal", 8, "t4", 0},               {"g5.xlarge", 1, "NVIDIA A10G", 0},
     {"g5.2xlarge", 1, "NVIDIA A10G", 0},      {"g5.4xlarge", 1, "NVIDIA A10G", 0},
     {"g5.8xlarge", 1, "NVIDIA A10G", 0},      {"g5.16xlarge", 1, "NVIDIA A10G", 0},
     {"g6.xlarge", 1, "NVIDIA L4", 0},         {"g6.2xlarge", 1, "NVIDIA L4", 0},
     {"g6.4xlarge", 1, "NVIDIA L4", 0},        {"g6.8xlarge", 1, "NVIDIA L4", 0},
     {"g6.16xlarge", 1, "NVIDIA L4", 0},       {"g6e.xlarge", 1, "l40s", 0},
     {"g6e.2xlarge", 1, "l40s", 0},            {"g6e.4xlarge", 1, "l40s", 0},
     {"g6e.8xlarge", 1, "l40s", 0},            {"g6e.16xlarge", 1, "l40s", 0}}};

}  // namespace

const InstanceType* instance_type(std::string_view name) {
  if (name.starts_with("ml.")) name.remove_prefix(3);
  const auto found = std::find_if(kTypes.begin(), kTypes.end(),
                                  [name](const InstanceType& type) { return type.name == name; });
  return found == kTypes.end() ? nullptr : &*found;
}

}  // namespace topolaunch::topo
