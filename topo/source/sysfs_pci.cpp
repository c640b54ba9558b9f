// SPDX-License-Identifier: Apache-2.0
#include "topo/source/sysfs_pci.h"

#include <algorithm>
#include <charconv>

#include "base/cpu_set.h"

namespace topolaunch::topo {
namespace {

/// PCI Express generation of "16.0 GT/s PCIe" as the kernel's current_link_speed writes it.
int generation_of(const std::string& speed) {
  struct Row {
    std::string_view speed;
    int generation;
  };
  constexpr Row kRows[] = {{"2.5 ", 1}, {"5.0 ", 2}, {"5 ", 2},   {"8.0 ", 3},
                           {"8 ", 3},   {"16.0 ", 4}, {"16 ", 4}, {"32.0 ", 5},
                           {"32 ", 5},  {"64.0 ", 6}, {"64 ", 6}};
  for (const Row& row : kRows) {
    if (speed.starts_with(row.speed)) return row.generation;
  }
  return 0;
}

int positive(std::optional<long> number) {
  return number && *number > 0 && *number < 1'000'000 ? static_cast<int>(*number) : 0;
}

/// The driver bound to a device: the name its `driver` link points to, else what uevent says.
std::string driver_of(const Files& files, const std::string& folder) {
  if (auto link = files.resolve(folder + "/driver")) return link->substr(link->rfind('/') + 1);
  const auto uevent = files.read(folder + "/uevent", 65536);
  if (!uevent) return {};
  constexpr std::string_view kKey = "DRIVER=";
  for (std::size_t at = 0; at < uevent->size();) {
    const auto end = std::min(uevent->find('\n', at), uevent->size());
    const std::string_view line = std::string_view(*uevent).substr(at, end - at);
    if (line.starts_with(kKey)) return std::string(line.substr(kKey.size()));
    at = end + 1;
  }
  return {};
}

}  // namespace

std::optional<std::string> read_line(const Files& files, const std::string& path) {
  auto text = files.read(path, 65536);
  if (!text) return std::nullopt;
  const auto first = text->find_first_not_of(" \t\n");
  if (first == std::string::npos) return std::string();
  const auto last = text->find_last_not_of(" \t\n");
  return text->substr(first, last - first + 1);
}

std::optional<long> read_number(const Files& files, const std::string& path) {
  const auto line = read_line(files, path);
  if (!line) return std::nullopt;
  std::string_view digits = *line;
  const bool hexadecimal = digits.starts_with("0x");
  if (hexadecimal) digits.remove_prefix(2);
  long value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::optional<SysfsPciDevice> read_pci_device(const Files& files, std::string_view path) {
  const auto real = files.resolve(path);
  if (!real) return std::nullopt;
  SysfsPciDevice device;
  std::string folder;
  std::vector<PciAddress> addresses;
  for (std::size_t at = 0; at < real->size();) {
    const auto end = std::min(real->find('/', at + 1), real->size());
    const std::string_view part = std::string_view(*real).substr(at + 1, end - at - 1);
    // Two colons: a folder such as "virtio1" or "pci0000:15" is none.
    if (part.find(':') != part.rfind(':')) {
      if (auto address = PciAddress::parse(part)) {
        addresses.push_back(*address);
        folder = real->substr(0, end);
      }
    }
    at = end;
  }
  if (addresses.empty()) return std::nullopt;
  device.address = addresses.back();
  addresses.pop_back();
  device.above = std::move(addresses);
  if (const auto numa = read_number(files, folder + "/numa_node");
      numa && *numa >= 0 && *numa < CpuSet::kMaxCpu) {
    device.numa = static_cast<int>(*numa);
  }
  device.vendor = static_cast<unsigned>(positive(read_number(files, folder + "/vendor")));
  if (const auto number = read_number(files, folder + "/class"); number && *number > 0) {
    device.device_class = static_cast<unsigned>(*number & 0xffffff);
  }
  device.driver = driver_of(files, folder);
  device.generation = generation_of(read_line(files, folder + "/current_link_speed").value_or(""));
  device.generation_max = generation_of(read_line(files, folder + "/max_link_speed").value_or(""));
  device.width = positive(read_number(files, folder + "/current_link_width"));
  device.width_max = positive(read_number(files, folder + "/max_link_width"));
  return device;
}

}  // namespace topolaunch::topo
