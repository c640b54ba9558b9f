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

/// "1 x Tesla T4, 2 x NVIDIA A100-SXM4-40GB"
std::string kinds_text(const topo::Host& host) {
  std::vector<std::pair<std::string, int>> kinds;
  for (const topo::Gpu& gpu : host.gpus) {
    const std::string name = gpu.model.empty() ? "unknown" : gpu.model;
    const auto known = std::ranges::find(kinds, name, &std::pair<std::string, int>::first);
    if (known == kinds.end()) {
      kinds.emplace_back(name, 1);
    } else {
      ++known->second;
    }
  }
  std::string out;
  for (const auto& [name, count] : kinds) {
    out += (out.empty() ? "" : ", ") + std::to_string(count) + " x " + name;
  }
  return out;
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

/// What a CUDA program can use of a GPU: itself, or each instance in MIG mode.
std::vector<VisibleDevice> devices_of(const topo::Gpu& gpu, const std::string& entry) {
  if (!gpu.mig_enabled) return {{gpu.index, entry, false}};
  std::vector<VisibleDevice> devices;
  for (const topo::MigInstance& instance : gpu.mig) {
    if (!instance.uuid.empty()) devices.push_back({gpu.index, instance.uuid, true});
  }
  return devices;
}

std::string without_instance(const topo::Gpu& gpu) {
  return "GPU " + std::to_string(gpu.index) + (gpu.pci ? " at " + gpu.pci->text() : "") +
         " is in MIG mode and has no instance: no rank can use it";
}

/// The devices that a UUID, or a unique beginning of one, means.
std::vector<VisibleDevice> by_uuid(const topo::Host& host, const std::string& entry) {
  std::vector<std::vector<VisibleDevice>> found;
  for (const topo::Gpu& gpu : host.gpus) {
    if (entry.starts_with("GPU-") && gpu.uuid.starts_with(entry)) {
      found.push_back(devices_of(gpu, entry));
    }
    // "MIG-GPU-<uuid>/<gi>/<ci>" was the form before driver 470.
    if (!gpu.uuid.empty() && entry.starts_with("MIG-" + gpu.uuid + "/")) {
      found.push_back({{gpu.index, entry, true}});
    }
    for (const topo::MigInstance& instance : gpu.mig) {
      if (entry.starts_with("MIG-") && instance.uuid.starts_with(entry)) {
        found.push_back({{gpu.index, instance.uuid, true}});
      }
    }
  }
  if (found.size() != 1) return {};
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
    // Without a list, CUDA counts the fastest first unless told otherwise: so do ranks.
    for (const int number : cuda_numbering(host, pci_order)) {
      const topo::Gpu& gpu = host.gpus[static_cast<std::size_t>(number)];
      const auto devices = devices_of(gpu, std::to_string(gpu.index));
      if (devices.empty()) visible.notes.push_back(without_instance(gpu));
      visible.devices.insert(visible.devices.end(), devices.begin(), devices.end());
    }
    if (!one_kind(host)) {
      visible.notes.push_back("GPUs differ (" + kinds_text(host) + "): " +
                              (pci_order ? "in PCI order, as CUDA_DEVICE_ORDER says"
                                         : "fastest first, as CUDA counts them"));
    }
  } else {
    const std::vector<int> numbering = cuda_numbering(host, pci_order);
    for (const std::string& entry : entries_of(*list)) {
      std::vector<VisibleDevice> devices;
      if (const auto number = whole_number(entry)) {
        if (*number >= 0 && static_cast<std::size_t>(*number) < numbering.size()) {
          const int gpu = numbering[static_cast<std::size_t>(*number)];
          const topo::Gpu& meant = host.gpus[static_cast<std::size_t>(gpu)];
          devices = devices_of(meant, std::to_string(gpu));
          numbers = true;
          if (devices.empty()) visible.notes.push_back(without_instance(meant));
        }
      } else {
        devices = by_uuid(host, entry);
      }
      if (devices.empty()) {
        if (entry != "-1" && !entry.empty() && entry != "NoDevFiles") {
          visible.notes.push_back("CUDA_VISIBLE_DEVICES: '" + entry +
                                  "' is no GPU of this host: CUDA ends the list there");
        }
        break;
      }
      const bool twice = std::ranges::any_of(visible.devices, [&](const VisibleDevice& one) {
        return one.gpu == devices.front().gpu &&
               (!devices.front().mig || one.entry == devices.front().entry);
      });
      if (twice) {
        visible.notes.push_back("CUDA_VISIBLE_DEVICES: '" + entry +
                                "' names a GPU twice: the list is taken to end there");
        break;
      }
      visible.devices.insert(visible.devices.end(), devices.begin(), devices.end());
    }
    if (numbers && !pci_order && !one_kind(host)) {
      visible.notes.push_back(
          "CUDA_VISIBLE_DEVICES has numbers, GPUs differ and CUDA_DEVICE_ORDER is not PCI_BUS_ID: "
          "taken as fastest first; UUIDs or PCI_BUS_ID would be sure");
    }
  }
  visible.indices = numbers;
  // The user set another order: UUIDs mean the same in every order, so his setting can stay. Which
  // number CUDA gives a GPU beside one in MIG mode isn't documented.
  const bool other_order = !order.empty() && !pci_order;
  const bool mig = std::ranges::any_of(host.gpus, &topo::Gpu::mig_enabled);
  const bool mixed = std::ranges::any_of(visible.devices, [](const VisibleDevice& device) {
    return device.entry.find('-') != std::string::npos;
  });
  if (numbers && (other_order || mig || mixed) && use_uuids(host, visible.devices)) {
    visible.indices = false;
  }
  return visible;
}

}  // namespace topolaunch::launcher
