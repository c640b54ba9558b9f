// SPDX-License-Identifier: Apache-2.0
#include "launcher/visible_gpus.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <tuple>

namespace topolaunch::launcher {
namespace {

std::vector<std::string> entries_of(const std::string& list) {
  std::vector<std::string> entries;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    std::string entry = list.substr(begin, end - begin);
    const auto first = entry.find_first_not_of(" \t");
    const auto last = entry.find_last_not_of(" \t");
    entries.push_back(first == std::string::npos ? std::string()
                                                 : entry.substr(first, last - first + 1));
    begin = end + 1;
  }
  return entries;
}

std::optional<int> whole_number(const std::string& text) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

bool one_kind(const topo::Host& host) {
  return std::ranges::all_of(host.gpus, [&](const topo::Gpu& gpu) {
    return gpu.model == host.gpus.front().model &&
           gpu.compute_capability == host.gpus.front().compute_capability;
  });
}

/// CUDA's number -> index in Host::gpus. FASTEST_FIRST guesses by what NVML tells: capability and
/// memory; the real rule is not documented beyond "fastest first".
std::vector<int> cuda_numbering(const topo::Host& host, bool pci_order) {
  std::vector<int> order(host.gpus.size());
  std::iota(order.begin(), order.end(), 0);
  if (pci_order) return order;
  std::ranges::stable_sort(order, [&](int a, int b) {
    const topo::Gpu& x = host.gpus[static_cast<std::size_t>(a)];
    const topo::Gpu& y = host.gpus[static_cast<std::size_t>(b)];
    return std::tuple(y.compute_capability, y.memory) < std::tuple(x.compute_capability, x.memory);
  });
  return order;
}

/// The device that a UUID, or a unique beginning of one, means.
std::optional<VisibleDevice> by_uuid(const topo::Host& host, const std::string& entry) {
  std::vector<VisibleDevice> found;
  for (const topo::Gpu& gpu : host.gpus) {
    if (entry.starts_with("GPU-") && gpu.uuid.starts_with(entry)) {
      found.push_back({gpu.index, entry, false});
    }
    // "MIG-GPU-<uuid>/<gi>/<ci>" was the form before driver 470.
    if (!gpu.uuid.empty() && entry.starts_with("MIG-" + gpu.uuid + "/")) {
      found.push_back({gpu.index, entry, true});
    }
    for (const topo::MigInstance& instance : gpu.mig) {
      if (entry.starts_with("MIG-") && instance.uuid.starts_with(entry)) {
        found.push_back({gpu.index, instance.uuid, true});
      }
    }
  }
  if (found.size() != 1) return std::nullopt;
  return found.front();
}

/// Rewrites number entries as UUIDs; false if a GPU has none.
bool use_uuids(const topo::Host& host, std::vector<VisibleDevice>& devices) {
  for (const VisibleDevice& device : devices) {
    if (host.gpus[static_cast<std::size_t>(device.gpu)].uuid.empty()) return false;
  }
  for (VisibleDevice& device : devices) {
    if (!device.mig) device.entry = host.gpus[static_cast<std::size_t>(device.gpu)].uuid;
  }
  return true;
}

}  // namespace

std::vector<int> VisibleGpus::hidden(const topo::Host& host) const {
  std::vector<int> out;
  for (const topo::Gpu& gpu : host.gpus) {
    if (std::ranges::find(devices, gpu.index, &VisibleDevice::gpu) == devices.end()) {
      out.push_back(gpu.index);
    }
  }
  return out;
}

VisibleGpus visible_gpus(const topo::Host& host, const Environment& environment) {
  VisibleGpus visible;
  const auto list = environment.get("CUDA_VISIBLE_DEVICES");
  const std::string order = environment.get_or("CUDA_DEVICE_ORDER", "");
  const bool pci_order = order == "PCI_BUS_ID";
  visible.given = list.has_value();
  if (host.gpus.empty()) return visible;
  bool numbers = false;
  if (!list) {
    numbers = true;
    for (const topo::Gpu& gpu : host.gpus) {
      if (gpu.mig_enabled && !gpu.mig.empty()) {
        for (const topo::MigInstance& instance : gpu.mig) {
          visible.devices.push_back({gpu.index, instance.uuid, true});
        }
      } else {
        visible.devices.push_back({gpu.index, std::to_string(gpu.index), false});
      }
    }
  } else {
    const std::vector<int> numbering = cuda_numbering(host, pci_order);
    for (const std::string& entry : entries_of(*list)) {
      std::optional<VisibleDevice> device;
      if (const auto number = whole_number(entry)) {
        if (*number >= 0 && static_cast<std::size_t>(*number) < numbering.size()) {
          const int gpu = numbering[static_cast<std::size_t>(*number)];
          device = VisibleDevice{gpu, std::to_string(gpu), false};
          numbers = true;
        }
      } else {
        device = by_uuid(host, entry);
      }
      if (!device) {
        if (entry != "-1" && !entry.empty() && entry != "NoDevFiles") {
          visible.notes.push_back("CUDA_VISIBLE_DEVICES: '" + entry +
                                  "' is no GPU of this host: CUDA ends the list there");
        }
        break;
      }
      const bool twice = std::ranges::any_of(visible.devices, [&](const VisibleDevice& one) {
        return one.gpu == device->gpu && (!device->mig || one.entry == device->entry);
      });
      if (twice) {
        visible.notes.push_back("CUDA_VISIBLE_DEVICES: '" + entry +
                                "' names a GPU twice: the list is taken to end there");
        break;
      }
      visible.devices.push_back(std::move(*device));
    }
    if (numbers && !pci_order && !one_kind(host)) {
      visible.notes.push_back(
          "CUDA_VISIBLE_DEVICES has numbers, GPUs differ and CUDA_DEVICE_ORDER is not PCI_BUS_ID: "
          "taken as fastest first; UUIDs or PCI_BUS_ID would be sure");
    }
  }
  visible.indices = numbers;
  // The user set another order: UUIDs mean the same in every order, so his setting can stay.
  const bool other_order = !order.empty() && !pci_order;
  const bool mixed = std::ranges::any_of(visible.devices, [](const VisibleDevice& device) {
    return device.entry.find('-') != std::string::npos;
  });
  if (numbers && (other_order || mixed) && use_uuids(host, visible.devices)) {
    visible.indices = false;
  }
  return visible;
}

std::string permuted_devices(const VisibleGpus& visible, const std::vector<int>& planned,
                             int local_rank) {
  std::vector<bool> used(visible.devices.size());
  std::string list;
  const auto append = [&](std::size_t i) {
    used[i] = true;
    if (!list.empty()) list += ',';
    list += visible.devices[i].entry;
  };
  for (std::size_t local = 0; local < planned.size(); ++local) {
    for (std::size_t i = 0; i < visible.devices.size(); ++i) {
      const VisibleDevice& device = visible.devices[i];
      if (used[i] || device.gpu != planned[local]) continue;
      if (device.mig) {
        // CUDA shows a process one MIG instance: no list of several.
        if (static_cast<int>(local) == local_rank) return device.entry;
        used[i] = true;
      } else {
        append(i);
      }
      break;
    }
  }
  for (std::size_t i = 0; i < visible.devices.size(); ++i) {
    if (!used[i] && !visible.devices[i].mig) append(i);
  }
  return list;
}

}  // namespace topolaunch::launcher
