// SPDX-License-Identifier: Apache-2.0
//
// JSON -> Topology, as untrusted input: every member is checked before it is used.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "topo/topology_json.h"
#include "topo/topology_members.h"
#include "topo/topology_words.h"

namespace topolaunch::topo {
namespace {

/// GPUs, NICs or NUMA nodes of one host: some work grows with their square.
constexpr std::size_t kMostDevices = 1024;

Gpu read_gpu(TopologyMembers& in, const Json& json, const std::string& where, int index,
             std::size_t gpu_count) {
  Gpu gpu;
  gpu.index = index;
  if (in.integer_or_none(json, "index", where).value_or(index) != index) {
    in.refuse(where + ".index", fmt::format("is not {}, the position in the list", index));
  }
  gpu.uuid = in.text(json, "uuid", where);
  gpu.pci = in.pci(json, "pci", where);
  gpu.model = in.text(json, "model", where);
  gpu.memory = in.bytes(json, "memory", where);
  gpu.compute_capability = in.integer(json, "compute_capability", where, 0, 10000);
  gpu.numa = in.integer_or_none(json, "numa", where, 0, CpuSet::kMaxCpu - 1);
  gpu.affinity = in.cpus(json, "affinity", where);
  gpu.memory_numa = in.integer_or_none(json, "memory_numa", where, 0, CpuSet::kMaxCpu - 1);
  gpu.pcie_generation = in.integer(json, "pcie_generation", where, 0, 100);
  gpu.pcie_width = in.integer(json, "pcie_width", where, 0, 100);
  gpu.pcie_generation_max = in.integer(json, "pcie_generation_max", where, 0, 100);
  gpu.pcie_width_max = in.integer(json, "pcie_width_max", where, 0, 100);
  gpu.pcie_path = in.path(json, where);
  gpu.mig_enabled = in.flag(json, "mig_enabled", where);
  for (const auto& entry : in.list(json, "mig", where)) {
    gpu.mig.push_back({in.text(entry, "uuid", where + ".mig"),
                       in.text(entry, "profile", where + ".mig"),
                       in.bytes(entry, "memory", where + ".mig")});
  }
  gpu.fabric_cluster = in.text(json, "fabric_cluster", where);
  gpu.fabric_clique = in.integer(json, "fabric_clique", where);
  gpu.fabric_pending = in.flag(json, "fabric_pending", where);
  for (const auto& entry : in.list(json, "links", where)) {
    const std::string at = where + ".links";
    GpuLink link;
    link.to = in.one_of(entry, "to", at, GpuLink::To::unknown);
    if (link.to == GpuLink::To::gpu) {
      const auto peer =
          in.integer_or_none(entry, "peer", at, 0, static_cast<int>(gpu_count) - 1);
      if (!peer || *peer == index) in.refuse(at + ".peer", "is not the index of another GPU");
      link.peer = peer.value_or(-1);
    }
    link.type = in.one_of(entry, "type", at, LinkType::nvlink);
    link.count = in.integer(entry, "count", at, 0, 1 << 20);
    link.inactive = in.integer(entry, "inactive", at, 0, 1 << 20);
    link.bandwidth = in.rate(entry, "bytes_per_second", at);
    gpu.links.push_back(link);
  }
  gpu.origins = in.origins(json, where);
  return gpu;
}

Nic read_nic(TopologyMembers& in, const Json& json, const std::string& where) {
  Nic nic;
  nic.name = in.required(json, "name", where);
  nic.netdev = in.text(json, "netdev", where);
  nic.pci = in.pci(json, "pci", where);
  nic.numa = in.integer_or_none(json, "numa", where, 0, CpuSet::kMaxCpu - 1);
  nic.rate = in.rate(json, "bytes_per_second", where);
  nic.layer = in.one_of(json, "layer", where, Nic::Layer::unknown);
  nic.rdma = in.flag(json, "rdma", where);
  nic.up = in.flag(json, "up", where, true);
  nic.guid = in.text(json, "guid", where);
  nic.pcie_path = in.path(json, where);
  nic.origins = in.origins(json, where);
  return nic;
}

void read_p2p(TopologyMembers& in, const Json& json, const std::string& where, Host& host) {
  const Json& rows = in.list(json, "p2p", where);
  if (rows.empty()) return;
  for (const auto& row : rows) {
    std::vector<P2pStatus> cells;
    if (row.is_array()) {
      for (const auto& cell : row) {
        const auto status = from_word<P2pStatus>(cell.is_string() ? cell.get<std::string>() : "");
        if (!status) in.refuse(where + ".p2p", "holds a word that the schema doesn't have");
        cells.push_back(status.value_or(P2pStatus::unknown));
      }
    }
    host.p2p.push_back(std::move(cells));
  }
  const auto size = host.gpus.size();
  const bool square = host.p2p.size() == size &&
                      std::all_of(host.p2p.begin(), host.p2p.end(),
                                  [size](const auto& row) { return row.size() == size; });
  if (!square) in.refuse(where + ".p2p", fmt::format("is not a {0} x {0} matrix", size));
}

Host read_host(TopologyMembers& in, const Json& json, const std::string& where) {
  Host host;
  if (!json.is_object()) in.refuse(where, "is not an object");
  host.name = in.required(json, "name", where);
  host.arch = in.text(json, "arch", where);
  host.cpu_vendor = in.text(json, "cpu_vendor", where);
  host.cpu_family = in.integer(json, "cpu_family", where);
  host.cpu_model = in.integer(json, "cpu_model", where);
  host.packages = in.integer(json, "packages", where);
  host.slots = in.integer(json, "slots", where);
  host.cpus = in.cpus(json, "cpus", where);
  host.allowed_cpus =
      in.member(json, "allowed_cpus") == nullptr ? host.cpus : in.cpus(json, "allowed_cpus", where);
  host.allowed_memory = in.cpus(json, "allowed_memory", where);
  if (in.member(json, "cpu_quota") != nullptr) {
    host.cpu_quota = in.number(json, "cpu_quota", where);
  }
  host.memory = in.bytes(json, "memory", where);
  host.memory_limit = in.bytes(json, "memory_limit", where);
  host.boot_id = in.text(json, "boot_id", where);
  for (const auto& entry : in.list(json, "numa", where)) {
    const std::string at = where + ".numa";
    NumaNode node;
    const auto id = in.integer_or_none(entry, "id", at, 0, CpuSet::kMaxCpu - 1);
    if (!id) in.refuse(at + ".id", "is missing");
    node.id = id.value_or(0);
    node.cpus = in.cpus(entry, "cpus", at);
    node.memory = in.bytes(entry, "memory", at);
    node.package = in.integer_or_none(entry, "package", at).value_or(-1);
    host.numa.push_back(std::move(node));
  }
  if (host.numa.size() > kMostDevices) in.refuse(where + ".numa", "holds more than 1024");
  std::sort(host.numa.begin(), host.numa.end(),
            [](const NumaNode& a, const NumaNode& b) { return a.id < b.id; });
  for (std::size_t i = 1; i < host.numa.size(); ++i) {
    if (host.numa[i].id == host.numa[i - 1].id) in.refuse(where + ".numa", "has one id twice");
  }
  const Json& gpus = in.list(json, "gpus", where);
  if (gpus.size() > kMostDevices) in.refuse(where + ".gpus", "holds more than 1024");
  for (std::size_t i = 0; i < gpus.size() && !in.failed(); ++i) {
    host.gpus.push_back(read_gpu(in, gpus[i], fmt::format("{}.gpus[{}]", where, i),
                                 static_cast<int>(i), gpus.size()));
  }
  const Json& nics = in.list(json, "nics", where);
  if (nics.size() > kMostDevices) in.refuse(where + ".nics", "holds more than 1024");
  for (std::size_t i = 0; i < nics.size() && !in.failed(); ++i) {
    host.nics.push_back(read_nic(in, nics[i], fmt::format("{}.nics[{}]", where, i)));
  }
  read_p2p(in, json, where, host);
  for (const auto& core : in.list(json, "cores", where)) {
    host.smt.push_back(
        in.cpu_list(core.is_string() ? core.get<std::string>() : std::string("?"), where + ".cores")
            .to_vector());
  }
  return host;
}

void read_fabric(TopologyMembers& in, const Json& json, Topology& topology) {
  Fabric& fabric = topology.fabric;
  fabric.leaf_of_host.assign(topology.hosts.size(), -1);
  const Json* object = in.member(json, "fabric");
  if (object == nullptr) return;
  if (!object->is_object()) in.refuse("fabric", "is not an object");
  for (const auto& level : in.list(*object, "levels", "fabric")) {
    if (!level.is_string()) in.refuse("fabric.levels", "holds something that is no string");
    fabric.level_names.push_back(level.is_string() ? level.get<std::string>() : std::string());
  }
  fabric.host_rate = in.rate(*object, "host_bytes_per_second", "fabric");
  for (const auto& distance : in.list(*object, "distances", "fabric")) {
    const bool good = distance.is_number() && std::isfinite(distance.get<double>()) &&
                      distance.get<double>() >= 0;
    if (!good) in.refuse("fabric.distances", "holds something that is no distance");
    fabric.distances.push_back(good ? distance.get<double>() : 0);
  }
  const Json& rows = in.list(*object, "host_distances", "fabric");
  for (const auto& row : rows) {
    const bool square = rows.size() == topology.hosts.size() && row.is_array() && row.size() == rows.size();
    if (!square) in.refuse("fabric.host_distances", "is not a row for each host with a number for each");
    for (const auto& distance : square ? row : Json::array()) {
      const bool good = distance.is_number() && std::isfinite(distance.get<double>()) && distance.get<double>() >= 0;
      if (!good) in.refuse("fabric.host_distances", "holds something that is no distance");
      fabric.host_distances.push_back(good ? distance.get<double>() : 0);
    }
  }
  std::unordered_map<std::string, int> host_index;
  for (std::size_t i = 0; i < topology.hosts.size(); ++i) {
    if (!host_index.emplace(topology.hosts[i].name, static_cast<int>(i)).second) {
      in.refuse(fmt::format("hosts[{}].name", i),
                fmt::format("'{}' is the name of another host too", topology.hosts[i].name));
    }
  }
  const Json& switches = in.list(*object, "switches", "fabric");
  std::unordered_map<std::string, int> switch_index;
  for (std::size_t i = 0; i < switches.size() && !in.failed(); ++i) {
    const std::string at = fmt::format("fabric.switches[{}]", i);
    Switch box;
    box.name = in.required(switches[i], "name", at);
    box.level = in.integer(switches[i], "level", at, 0, 64);
    box.uplink = in.rate(switches[i], "bytes_per_second", at);
    if (!switch_index.emplace(box.name, static_cast<int>(i)).second) {
      in.refuse(at + ".name", fmt::format("'{}' is the name of another switch too", box.name));
    }
    for (const auto& name : in.list(switches[i], "hosts", at)) {
      const auto host = host_index.find(name.is_string() ? name.get<std::string>() : "");
      if (host == host_index.end()) {
        in.refuse(at + ".hosts", "names a host that isn't in hosts");
        break;
      }
      fabric.leaf_of_host[static_cast<std::size_t>(host->second)] = static_cast<int>(i);
    }
    fabric.switches.push_back(std::move(box));
  }
  for (std::size_t i = 0; i < fabric.switches.size() && !in.failed(); ++i) {
    const std::string at = fmt::format("fabric.switches[{}]", i);
    const std::string parent = in.text(switches[i], "parent", at);
    if (parent.empty()) continue;
    const auto found = switch_index.find(parent);
    if (found == switch_index.end()) {
      in.refuse(at + ".parent", fmt::format("'{}' is no switch of the list", parent));
      break;
    }
    // Levels that rise strictly leave no room for a loop.
    if (fabric.switches[static_cast<std::size_t>(found->second)].level <= fabric.switches[i].level) {
      in.refuse(at + ".parent", fmt::format("'{}' is not of a higher level", parent));
    }
    fabric.switches[i].parent = found->second;
  }
}

}  // namespace

Result<Topology> topology_from_json(const Json& json, const std::string& file) {
  TopologyMembers in(file);
  const std::string schema = in.text(json, "schema", "");
  if (schema != "topolaunch.topo/1") {
    return fail(Error{Code::invalid_input,
                      schema.empty() ? std::string("the JSON has no \"schema\"")
                                     : fmt::format("the JSON's schema is '{}'", schema),
                      "topolaunch reads \"topolaunch.topo/1\" as a topology "
                      "(written by topolaunch topo --format json)",
                      file, 0});
  }
  Topology topology;
  const Json& hosts = in.list(json, "hosts", "");
  for (std::size_t i = 0; i < hosts.size() && !in.failed(); ++i) {
    topology.hosts.push_back(read_host(in, hosts[i], fmt::format("hosts[{}]", i)));
  }
  if (!in.failed()) read_fabric(in, json, topology);
  topology.live = in.flag(json, "live", "");
  for (const auto& entry : in.list(json, "survey", "")) {
    topology.survey.push_back({in.text(entry, "source", "survey"), in.text(entry, "host", "survey"),
                               in.one_of(entry, "status", "survey", SurveyEntry::Status::ok),
                               in.text(entry, "why", "survey")});
  }
  for (const auto& entry : in.list(json, "warnings", "")) {
    topology.warnings.push_back(
        {in.text(entry, "code", "warnings"),
         in.one_of(entry, "severity", "warnings", Warning::Severity::warning),
         in.text(entry, "file", "warnings"), in.integer(entry, "line", "warnings"),
         in.text(entry, "message", "warnings")});
  }
  if (in.failed()) return fail(std::move(in).error());
  return topology;
}

}  // namespace topolaunch::topo
