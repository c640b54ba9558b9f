// SPDX-License-Identifier: Apache-2.0
//
// A machine as NVML would tell it, from a JSON file (tests/machine/README.md describes the members).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace topolaunch::nvml_replay {

struct Pci {
  std::uint32_t domain = 0;
  unsigned bus = 0, device = 0;
};

struct Link {
  int remote = 0xff;  ///< nvmlIntNvLinkDeviceType_t
  Pci pci;
  bool has_pci = false;
  bool active = true;
};

/// What a call on one device answers where the profile says it fails; "*" stands for all.
using Failures = std::map<std::string, int, std::less<>>;

/// -1 = the driver doesn't tell.
struct Health {
  std::vector<unsigned> busy;  ///< percent, one a call; the last one stays
  int sm_clock = -1, sm_clock_max = -1, temperature = -1, reasons = -1;
};

/// A GPU or a MIG instance: NVML has one kind of handle for both.
struct Device {
  std::string uuid, name;
  Pci pci;
  std::uint64_t memory = 0;
  int capability_major = 0, capability_minor = 0;
  std::vector<int> cpus, nodes;
  int memory_node = -1;
  unsigned generation = 0, width = 0, generation_max = 0, width_max = 0;
  std::vector<Link> links;
  unsigned link_version = 0, link_speed = 0;  ///< MB/s; 0 = the driver has no such field
  unsigned c2c_links = 0, c2c_speed = 0;
  bool mig_enabled = false, mig_capable = false;
  unsigned mig_slots = 0;
  std::vector<Device> mig;      ///< instances, in the slot of the same number
  unsigned mig_memory_mb = 0;   ///< of an instance
  bool fabric = false;
  std::array<unsigned char, 16> cluster{};
  unsigned clique = 0;
  unsigned char fabric_state = 0;
  int fabric_status = 0;
  Health health;
  Failures failures;
};

struct Profile {
  std::string driver;
  int init = 0;  ///< what nvmlInit_v2 answers
  unsigned fabric_struct = 3;  ///< newest version of nvmlGpuFabricInfo that the driver knows
  std::vector<Device> gpus;
  std::map<std::pair<std::size_t, std::size_t>, int> p2p;  ///< by index, lower first
  int p2p_default = 0;
};

/// Reads the file; nothing and a message on stderr if it is no profile.
std::unique_ptr<Profile> read_profile(const char* path);

}  // namespace topolaunch::nvml_replay
