// SPDX-License-Identifier: Apache-2.0
#include "topo/source/sysfs.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "topo/source/pci_class.h"
#include "topo/source/sysfs_pci.h"
#include "topo/source/this_machine.h"

namespace topolaunch::topo {
namespace {

const std::string kDevices = "/sys/bus/pci/devices/";

/// Value of "GPU UUID: \t GPU-0f3a..." in /proc/driver/nvidia/gpus/ADDRESS/information.
std::string information(const std::string& text, std::string_view key) {
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(key) || line.substr(key.size()).substr(0, 1) != ":") continue;
    line.remove_prefix(key.size() + 1);
    const auto first = line.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string() : std::string(line.substr(first));
  }
  return {};
}

bool is_gpu(const SysfsPciDevice& device) {
  return gpu_kind(device.vendor, device.device_class) != GpuKind::none;
}

template <class Visit>
void for_each_gpu(const Files& files, Visit visit) {
  const auto names = files.list(kDevices);
  if (!names) return;
  for (const std::string& name : *names) {
    // The class first: it is one file, and most devices end here.
    const auto number = read_number(files, kDevices + name + "/class");
    if (!number || ((*number >> 16) != 0x03 && (*number >> 16) != 0x12)) continue;
    const auto device = read_pci_device(files, kDevices + name);
    if (device && is_gpu(*device)) visit(*device);
  }
}

void fill(GpuFact& fact, const SysfsPciDevice& device) {
  fact.pci = device.address;
  fact.pci_vendor = device.vendor;
  fact.numa = device.numa;
  fact.pcie_path = device.above;
  fact.pcie_generation = device.generation;
  fact.pcie_width = device.width;
  fact.pcie_generation_max = device.generation_max;
  fact.pcie_width_max = device.width_max;
}

bool fill_nvidia(GpuFact& fact, const Files& files) {
  const auto text = files.read(
      fmt::format("/proc/driver/nvidia/gpus/{}/information", fact.pci->text()), 65536);
  if (!text) return false;
  fact.model = information(*text, "Model");
  fact.uuid = information(*text, "GPU UUID");
  // Question marks stand there until a program has opened the GPU for the first time.
  if (fact.uuid.find('?') != std::string::npos) fact.uuid.clear();
  return true;
}

void fill_amd(GpuFact& fact, const Files& files) {
  const std::string folder = kDevices + fact.pci->text();
  fact.model = read_line(files, folder + "/product_name").value_or("");
  if (const auto id = read_line(files, folder + "/unique_id"); id && !id->empty()) {
    fact.uuid = "GPU-" + *id;  // as ROCr writes it
  }
  if (const auto bytes = read_number(files, folder + "/mem_info_vram_total"); bytes && *bytes > 0) {
    fact.memory = Bytes(*bytes);
  }
}

}  // namespace

std::vector<GpuFact> gpus_of_sysfs(const Files& files, bool devices) {
  const bool nvidia = !devices || files.exists("/dev/nvidiactl");
  const bool amd = !devices || files.exists("/dev/kfd");
  std::vector<GpuFact> gpus;
  for_each_gpu(files, [&](const SysfsPciDevice& device) {
    GpuFact fact;
    fill(fact, device);
    if (device.vendor == kVendorNvidia && nvidia && fill_nvidia(fact, files)) {
      gpus.push_back(std::move(fact));
    } else if (device.vendor == kVendorAmd && amd && device.driver == "amdgpu") {
      fill_amd(fact, files);
      gpus.push_back(std::move(fact));
    }
  });
  return gpus;
}

Result<std::vector<Fact>> SysfsSource::look(const Outside& outside) const {
  const TopologyChoice choice = topology_choice(outside.environment);
  if (!choice.this_machine && !choice.captured_files) {
    return fail(Code::unavailable,
                fmt::format("the CPUs are those of {}={}: this machine's devices don't belong to them",
                            choice.variable, choice.value),
                "unset " + choice.variable + ", or set HWLOC_THISSYSTEM=1 if it describes this machine");
  }
  if (!outside.files.exists("/sys/class") && !outside.files.exists(kDevices)) {
    return fail(Code::unavailable, "no /sys/class and no /sys/bus/pci", "mount sysfs");
  }
  std::vector<Fact> facts;
  const auto add = [&](auto&& what) {
    facts.push_back({{"sysfs", {}, 0}, host_, std::forward<decltype(what)>(what)});
  };
  for (Nic& nic : nics_of_sysfs(outside.files)) add(NicFact{std::move(nic)});
  for (GpuFact& gpu : gpus_of_sysfs(outside.files, !choice.captured_files)) add(std::move(gpu));
  // Where GPUs stand, for those that another source knows.
  for_each_gpu(outside.files, [&](const SysfsPciDevice& device) {
    PciFact fact;
    fact.pci = device.address;
    fact.pci_vendor = device.vendor;
    fact.numa = device.numa;
    fact.pcie_path = device.above;
    fact.pcie_generation = device.generation;
    fact.pcie_width = device.width;
    add(std::move(fact));
  });
  return facts;
}

}  // namespace topolaunch::topo
