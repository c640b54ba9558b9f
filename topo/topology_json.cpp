// SPDX-License-Identifier: Apache-2.0
//
// Topology -> JSON; the way back is topology_from_json.cpp.
#include "topo/topology_json.h"

#include <nlohmann/json.hpp>

#include "topo/topology_words.h"

namespace topolaunch::topo {
namespace {

Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
Json or_null(const std::optional<int>& value) { return value ? Json(*value) : Json(nullptr); }
Json or_null(const std::optional<PciAddress>& pci) {
  return pci ? Json(pci->text()) : Json(nullptr);
}
Json or_null(Bandwidth rate) {
  return rate.known() ? Json(rate.bytes_per_second()) : Json(nullptr);
}
Json or_null(Bytes bytes) { return bytes.count() > 0 ? Json(bytes.count()) : Json(nullptr); }

void put(Json& json, const char* key, const std::string& text) {
  if (!text.empty()) json[key] = text;
}
void put(Json& json, const char* key, int value) {
  if (value != 0) json[key] = value;
}
void put(Json& json, const char* key, bool value) {
  if (value) json[key] = true;
}
void put(Json& json, const char* key, const std::vector<PciAddress>& path) {
  if (path.empty()) return;
  Json list = Json::array();
  for (const auto& pci : path) list.push_back(pci.text());
  json[key] = std::move(list);
}
void put(Json& json, const char* key, const std::vector<Origin>& origins) {
  if (origins.empty()) return;
  Json list = Json::array();
  for (const auto& origin : origins) {
    Json entry{{"source", origin.source}};
    put(entry, "file", origin.file);
    put(entry, "line", origin.line);
    list.push_back(std::move(entry));
  }
  json[key] = std::move(list);
}

Json gpu_json(const Gpu& gpu) {
  Json json;
  json["index"] = gpu.index;
  json["uuid"] = or_null(gpu.uuid);
  json["pci"] = or_null(gpu.pci);
  json["model"] = or_null(gpu.model);
  json["numa"] = or_null(gpu.numa);
  json["memory"] = or_null(gpu.memory);
  put(json, "compute_capability", gpu.compute_capability);
  put(json, "affinity", gpu.affinity.to_list());
  if (gpu.memory_numa) json["memory_numa"] = *gpu.memory_numa;
  put(json, "pcie_generation", gpu.pcie_generation);
  put(json, "pcie_width", gpu.pcie_width);
  put(json, "pcie_generation_max", gpu.pcie_generation_max);
  put(json, "pcie_width_max", gpu.pcie_width_max);
  put(json, "pcie_path", gpu.pcie_path);
  put(json, "mig_enabled", gpu.mig_enabled);
  if (!gpu.mig.empty()) {
    Json list = Json::array();
    for (const auto& instance : gpu.mig) {
      list.push_back({{"uuid", instance.uuid},
                      {"profile", or_null(instance.profile)},
                      {"memory", or_null(instance.memory)}});
    }
    json["mig"] = std::move(list);
  }
  put(json, "fabric_cluster", gpu.fabric_cluster);
  put(json, "fabric_clique", gpu.fabric_clique);
  put(json, "fabric_pending", gpu.fabric_pending);
  Json links = Json::array();
  for (const auto& link : gpu.links) {
    Json entry;
    entry["to"] = word(link.to);
    if (link.to == GpuLink::To::gpu) entry["peer"] = link.peer;
    entry["type"] = word(link.type);
    entry["count"] = link.count;
    put(entry, "inactive", link.inactive);
    entry["bytes_per_second"] = or_null(link.bandwidth);
    links.push_back(std::move(entry));
  }
  json["links"] = std::move(links);
  put(json, "origins", gpu.origins);
  return json;
}

Json nic_json(const Nic& nic) {
  Json json;
  json["name"] = nic.name;
  json["pci"] = or_null(nic.pci);
  json["numa"] = or_null(nic.numa);
  json["bytes_per_second"] = or_null(nic.rate);
  put(json, "netdev", nic.netdev);
  if (nic.layer != Nic::Layer::unknown) json["layer"] = word(nic.layer);
  put(json, "rdma", nic.rdma);
  if (!nic.up) json["up"] = false;
  put(json, "guid", nic.guid);
  put(json, "pcie_path", nic.pcie_path);
  put(json, "origins", nic.origins);
  return json;
}

Json host_json(const Host& host) {
  Json json;
  json["name"] = host.name;
  put(json, "arch", host.arch);
  put(json, "cpu_vendor", host.cpu_vendor);
  put(json, "cpu_family", host.cpu_family);
  put(json, "cpu_model", host.cpu_model);
  put(json, "packages", host.packages);
  put(json, "slots", host.slots);
  json["cpus"] = host.cpus.to_list();
  json["allowed_cpus"] = host.allowed_cpus.to_list();
  json["allowed_memory"] = host.allowed_memory.to_list();
  if (host.cpu_quota) json["cpu_quota"] = *host.cpu_quota;
  json["memory"] = or_null(host.memory);
  if (host.memory_limit.count() > 0) json["memory_limit"] = host.memory_limit.count();
  put(json, "boot_id", host.boot_id);
  Json numa = Json::array();
  for (const auto& node : host.numa) {
    Json entry{{"id", node.id}, {"cpus", node.cpus.to_list()}, {"memory", or_null(node.memory)}};
    if (node.package >= 0) entry["package"] = node.package;
    numa.push_back(std::move(entry));
  }
  json["numa"] = std::move(numa);
  Json gpus = Json::array();
  for (const auto& gpu : host.gpus) gpus.push_back(gpu_json(gpu));
  json["gpus"] = std::move(gpus);
  Json nics = Json::array();
  for (const auto& nic : host.nics) nics.push_back(nic_json(nic));
  json["nics"] = std::move(nics);
  if (!host.p2p.empty()) {
    Json rows = Json::array();
    for (const auto& row : host.p2p) {
      Json cells = Json::array();
      for (const auto status : row) cells.push_back(word(status));
      rows.push_back(std::move(cells));
    }
    json["p2p"] = std::move(rows);
  }
  if (!host.smt.empty()) {
    Json cores = Json::array();
    for (const auto& core : host.smt) {
      CpuSet cpus;
      for (const int cpu : core) cpus.add(cpu);
      cores.push_back(cpus.to_list());
    }
    json["cores"] = std::move(cores);
  }
  return json;
}

Json fabric_json(const Topology& topology) {
  const auto& fabric = topology.fabric;
  Json json;
  json["levels"] = fabric.level_names;
  std::vector<Json> hosts(fabric.switches.size(), Json::array());
  for (std::size_t i = 0; i < fabric.leaf_of_host.size() && i < topology.hosts.size(); ++i) {
    const int leaf = fabric.leaf_of_host[i];
    if (leaf >= 0) hosts[static_cast<std::size_t>(leaf)].push_back(topology.hosts[i].name);
  }
  Json switches = Json::array();
  for (std::size_t i = 0; i < fabric.switches.size(); ++i) {
    const auto& box = fabric.switches[i];
    Json entry;
    entry["name"] = box.name;
    entry["level"] = box.level;
    entry["parent"] =
        box.parent < 0 ? Json(nullptr)
                       : Json(fabric.switches[static_cast<std::size_t>(box.parent)].name);
    entry["bytes_per_second"] = or_null(box.uplink);
    entry["hosts"] = std::move(hosts[i]);
    switches.push_back(std::move(entry));
  }
  json["switches"] = std::move(switches);
  if (fabric.host_rate.known()) json["host_bytes_per_second"] = fabric.host_rate.bytes_per_second();
  if (!fabric.distances.empty()) json["distances"] = fabric.distances;
  if (const std::size_t n = topology.hosts.size(); fabric.host_distances.size() == n * n && n > 0) {
    Json rows = Json::array();
    for (std::size_t row = 0; row < n; ++row) {
      const auto begin = fabric.host_distances.begin() + static_cast<std::ptrdiff_t>(row * n);
      rows.push_back(std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(n)));
    }
    json["host_distances"] = std::move(rows);
  }
  return json;
}

}  // namespace

Json to_json(const Topology& topology) {
  Json json;
  json["schema"] = "topolaunch.topo/1";
  Json hosts = Json::array();
  for (const auto& host : topology.hosts) hosts.push_back(host_json(host));
  json["hosts"] = std::move(hosts);
  json["fabric"] = fabric_json(topology);
  json["live"] = topology.live;
  Json survey = Json::array();
  for (const auto& entry : topology.survey) {
    survey.push_back({{"source", entry.source},
                      {"host", or_null(entry.host)},
                      {"status", word(entry.status)},
                      {"why", entry.why}});
  }
  json["survey"] = std::move(survey);
  Json warnings = Json::array();
  for (const auto& warning : topology.warnings) {
    warnings.push_back({{"code", warning.code},
                        {"severity", word(warning.severity)},
                        {"file", or_null(warning.file)},
                        {"line", warning.line > 0 ? Json(warning.line) : Json(nullptr)},
                        {"message", warning.message}});
  }
  json["warnings"] = std::move(warnings);
  return json;
}

}  // namespace topolaunch::topo
