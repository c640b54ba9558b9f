// SPDX-License-Identifier: Apache-2.0
//
// CUDA_VISIBLE_DEVICES as it was given: which GPUs of the host the job may use, in which order.
// What the ranks get in its place: device_share.h.
//
//   CUDA_VISIBLE_DEVICES=3,1   ->  devices: GPU 3, GPU 1
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/environment.h"
#include "topo/topology.h"

namespace topolaunch::launcher {

/// One device that a CUDA program would see.
struct VisibleDevice {
  int gpu = 0;            ///< index in Host::gpus
  std::string entry;      ///< as it is written in the list: "3", "GPU-...", "MIG-..."
  bool mig = false;
};

struct VisibleGpus {
  std::vector<VisibleDevice> devices;  ///< in CUDA's order
  bool given = false;    ///< the variable was set
  bool indices = false;  ///< entries are numbers in PCI order, need CUDA_DEVICE_ORDER=PCI_BUS_ID
  std::vector<std::string> notes;      ///< what was ignored and why, in words
  std::vector<int> hidden(const topo::Host& host) const;  ///< GPUs that the list leaves out
};

/// CUDA's rules: entries are numbers, or unique beginnings of UUIDs; the list ends at the first one
/// that is not valid ("-1", out of range, unknown); set and empty means none. Numbers count in PCI
/// order with CUDA_DEVICE_ORDER=PCI_BUS_ID; in CUDA's default order they do so among GPUs of one
/// kind, faster kinds first. Where numbers would not mean the same to CUDA as here, UUIDs are used.
VisibleGpus visible_gpus(const topo::Host& host, const Environment& environment);

}  // namespace topolaunch::launcher
