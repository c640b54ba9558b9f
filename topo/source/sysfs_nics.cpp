// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "topo/source/pci_class.h"
#include "topo/source/sysfs.h"
#include "topo/source/sysfs_pci.h"

namespace topolaunch::topo {
namespace {

constexpr long kTypeEthernet = 1;     // ARPHRD_ETHER
constexpr long kTypeInfiniband = 32;  // ARPHRD_INFINIBAND
constexpr std::size_t kMostPorts = 64;

/// "400 Gb/sec (4X NDR)" of a port's `rate`.
Bandwidth rate_of(const std::string& text) {
  double gigabits = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), gigabits);
  if (error != std::errc{} || !(gigabits > 0) || gigabits > 1e6) return {};
  if (!std::string_view(end, static_cast<std::size_t>(text.data() + text.size() - end))
           .starts_with(" Gb/sec")) {
    return {};
  }
  return Bandwidth::gigabits_per_second(gigabits);
}

/// A virtual function of a card whose physical function this host shows too.
bool is_virtual_function(const Files& files, const std::string& device) {
  return files.exists(device + "/physfn");
}

/// Netdevs of one RDMA device: those of its PCI function, on cards with several ports the one of its
/// port. Sorted by name.
std::string netdev_of(const Files& files, const std::string& device, long port) {
  const auto names = files.list(device + "/net");
  if (!names || names->empty()) return {};
  for (const std::string& name : *names) {
    if (read_number(files, device + "/net/" + name + "/dev_port").value_or(-1) == port - 1) return name;
  }
  return names->front();
}

struct Ports {
  Bandwidth rate;
  Nic::Layer layer = Nic::Layer::unknown;
  bool up = false;
  long first = 1;
};

Ports read_ports(const Files& files, const std::string& folder) {
  Ports out;
  double bytes = 0;
  bool all_known = true;
  const auto names = files.list(folder + "/ports");
  for (std::size_t i = 0; names && i < std::min(names->size(), kMostPorts); ++i) {
    const std::string port = folder + "/ports/" + (*names)[i];
    const std::string layer = read_line(files, port + "/link_layer").value_or("");
    if (layer == "InfiniBand") out.layer = Nic::Layer::infiniband;
    if (layer == "Ethernet") out.layer = Nic::Layer::ethernet;
    // "4: ACTIVE". A port that isn't says the rate of its last training: 1X SDR while polling.
    if (!read_line(files, port + "/state").value_or("").starts_with("4")) continue;
    if (!out.up) std::from_chars((*names)[i].data(), (*names)[i].data() + (*names)[i].size(), out.first);
    out.up = true;
    const Bandwidth rate = rate_of(read_line(files, port + "/rate").value_or(""));
    all_known = all_known && rate.known();
    bytes += rate.bytes_per_second();
  }
  if (all_known) out.rate = Bandwidth::bytes_per_second(bytes);
  return out;
}

void place(Nic& nic, const SysfsPciDevice& pci) {
  nic.pci = pci.address;
  nic.numa = pci.numa;
  nic.pcie_path = pci.above;
}

bool is_plain_name(std::string_view name) { return !name.empty() && name.find('/') == std::string_view::npos; }

void add_rdma(const Files& files, std::vector<Nic>& nics, std::set<std::string>& netdevs) {
  const std::string root = "/sys/class/infiniband/";
  const auto names = files.list(root);
  if (!names) return;
  for (const std::string& name : *names) {
    if (!is_plain_name(name)) continue;
    const std::string device = root + name + "/device";
    const auto pci = read_pci_device(files, device);
    if (!pci) continue;  // rxe and siw: RDMA in software over a NIC that is listed itself
    const Ports ports = read_ports(files, root + name);
    Nic nic;
    nic.name = name;
    nic.rdma = true;
    nic.up = ports.up;
    nic.rate = ports.rate;
    nic.layer = pci->driver == "efa" ? Nic::Layer::efa : ports.layer;
    nic.netdev = netdev_of(files, device, ports.first);
    nic.guid = read_line(files, root + name + "/node_guid").value_or("");
    if (nic.guid.find_first_not_of("0:") == std::string::npos) nic.guid.clear();
    place(nic, *pci);
    if (const auto siblings = files.list(device + "/net")) {
      netdevs.insert(siblings->begin(), siblings->end());
    }
    if (!is_virtual_function(files, device)) nics.push_back(std::move(nic));
  }
}

void add_netdevs(const Files& files, std::vector<Nic>& nics, const std::set<std::string>& taken) {
  const std::string root = "/sys/class/net/";
  const auto names = files.list(root);
  if (!names) return;
  for (const std::string& name : *names) {
    if (!is_plain_name(name) || taken.contains(name)) continue;
    const std::string folder = root + name;
    const auto device = files.resolve(folder + "/device");
    if (!device || device->starts_with("/sys/devices/virtual/")) continue;
    if (device->find("/usb") != std::string::npos) continue;
    if (files.exists(folder + "/wireless") || files.exists(folder + "/phy80211")) continue;
    if (is_virtual_function(files, folder + "/device")) continue;
    // A representor of a virtual function ("pf0vf1") or sub-function stands on the card's own device.
    const std::string port_name = read_line(files, folder + "/phys_port_name").value_or("");
    if (port_name.starts_with("pf") && port_name.find_first_of("vs", 2) != std::string::npos) continue;
    const long type = read_number(files, folder + "/type").value_or(0);
    if (type != kTypeEthernet && type != kTypeInfiniband) continue;
    Nic nic;
    nic.name = name;
    nic.netdev = name;
    nic.layer = type == kTypeEthernet ? Nic::Layer::ethernet : Nic::Layer::infiniband;
    if (const auto pci = read_pci_device(files, folder + "/device")) place(nic, *pci);
    const std::string state = read_line(files, folder + "/operstate").value_or("");
    nic.up = state == "up" ||
             (state == "unknown" && read_number(files, folder + "/carrier").value_or(0) == 1);
    // -1, or no answer while it is down: not known.
    const long megabits = read_number(files, folder + "/speed").value_or(0);
    if (nic.up && megabits > 0 && megabits < 100'000'000) {
      nic.rate = Bandwidth::megabits_per_second(static_cast<double>(megabits));
    }
    nics.push_back(std::move(nic));
  }
}

}  // namespace

std::vector<Nic> nics_of_sysfs(const Files& files) {
  std::vector<Nic> nics;
  std::set<std::string> netdevs;
  add_rdma(files, nics, netdevs);
  add_netdevs(files, nics, netdevs);
  return nics;
}

}  // namespace topolaunch::topo
