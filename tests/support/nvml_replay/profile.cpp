// SPDX-License-Identifier: Apache-2.0
#include "tests/support/nvml_replay/profile.h"

#include <cstdio>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace topolaunch::nvml_replay {
namespace {

using Json = nlohmann::json;

Pci parse_pci(const std::string& text) {
  unsigned domain = 0, bus = 0, device = 0;
  if (std::sscanf(text.c_str(), "%x:%x:%x.0", &domain, &bus, &device) != 3) {
    throw std::runtime_error("not a PCI address: " + text);
  }
  return {domain, bus, device};
}

/// "0-7,16-23"
std::vector<int> parse_list(const std::string& text) {
  std::vector<int> out;
  for (std::size_t at = 0; at < text.size();) {
    int first = 0, last = 0, used = 0;
    if (std::sscanf(text.c_str() + at, "%d-%d%n", &first, &last, &used) != 2) {
      if (std::sscanf(text.c_str() + at, "%d%n", &first, &used) != 1) {
        throw std::runtime_error("not a list: " + text);
      }
      last = first;
    }
    for (int i = first; i <= last; ++i) out.push_back(i);
    at += static_cast<std::size_t>(used) + 1;
  }
  return out;
}

std::array<unsigned char, 16> parse_uuid(const std::string& text) {
  std::array<unsigned char, 16> out{};
  std::string digits;
  for (const char c : text) {
    if (c != '-') digits += c;
  }
  if (digits.size() != 32) throw std::runtime_error("not a UUID: " + text);
  for (std::size_t i = 0; i < 16; ++i) {
    out[i] = static_cast<unsigned char>(std::stoul(digits.substr(2 * i, 2), nullptr, 16));
  }
  return out;
}

template <class T>
T value_in(const Json& table, const std::string& key, const char* what) {
  if (!table.contains(key)) throw std::runtime_error(std::string("unknown ") + what + ": " + key);
  return table.at(key).get<T>();
}

void read_links(const Json& json, Device& device) {
  static const Json kRemotes = {{"gpu", 0}, {"npu", 1}, {"switch", 2}, {"unknown", 255}};
  device.link_version = json.value("version", 0U);
  device.link_speed = json.value("speed", 0U);
  for (const Json& entry : json.at("links")) {
    Link link;
    link.active = entry.value("active", true);
    if (entry.contains("to")) link.remote = value_in<int>(kRemotes, entry.at("to"), "remote end");
    if (entry.contains("pci")) {
      link.pci = parse_pci(entry.at("pci"));
      link.has_pci = true;
    }
    device.links.insert(device.links.end(), entry.value("count", std::size_t{1}), link);
  }
}

void read_mig(const Json& json, Device& device) {
  device.mig_capable = true;
  device.mig_enabled = json.value("enabled", true);
  device.mig_slots = json.value("slots", 7U);
  for (const Json& entry : json.value("instances", Json::array())) {
    Device instance;
    instance.uuid = entry.at("uuid");
    instance.name = device.name + " MIG " + entry.at("profile").get<std::string>();
    instance.mig_memory_mb = entry.at("memory_mb");
    device.mig.push_back(std::move(instance));
  }
}

Device read_device(const Json& json) {
  static const Json kStates = {{"not-supported", 0}, {"not-started", 1}, {"in-progress", 2}, {"completed", 3}};
  Device device;
  device.uuid = json.at("uuid");
  device.name = json.at("name");
  device.pci = parse_pci(json.at("pci"));
  device.memory = json.at("memory");
  const std::string capability = json.at("compute_capability");
  if (std::sscanf(capability.c_str(), "%d.%d", &device.capability_major, &device.capability_minor) != 2) {
    throw std::runtime_error("not a compute capability: " + capability);
  }
  device.cpus = parse_list(json.value("cpus", std::string()));
  device.nodes = parse_list(json.value("nodes", std::string()));
  device.memory_node = json.value("memory_node", -1);
  if (const auto pcie = json.find("pcie"); pcie != json.end()) {
    device.generation = pcie->at("generation");
    device.width = pcie->at("width");
    device.generation_max = pcie->value("generation_max", device.generation);
    device.width_max = pcie->value("width_max", device.width);
  }
  if (const auto nvlink = json.find("nvlink"); nvlink != json.end()) read_links(*nvlink, device);
  if (const auto c2c = json.find("c2c"); c2c != json.end()) {
    device.c2c_links = c2c->at("links");
    device.c2c_speed = c2c->at("speed");
  }
  if (const auto mig = json.find("mig"); mig != json.end()) read_mig(*mig, device);
  if (const auto fabric = json.find("fabric"); fabric != json.end()) {
    device.fabric = true;
    device.fabric_state = value_in<unsigned char>(kStates, fabric->at("state"), "fabric state");
    device.cluster = parse_uuid(fabric->value("cluster", std::string(32, '0')));
    device.clique = fabric->value("clique", 0U);
    device.fabric_status = fabric->value("status", 0);
  }
  if (const auto health = json.find("health"); health != json.end()) {
    device.health = {health->value("busy", std::vector<unsigned>()), health->value("sm_clock", -1),
                     health->value("sm_clock_max", -1), health->value("temperature", -1),
                     health->value("reasons", -1)};
  }
  if (const auto fails = json.find("fails"); fails != json.end()) {
    for (const auto& [call, code] : fails->items()) device.failures[call] = code.get<int>();
  }
  return device;
}

}  // namespace

std::unique_ptr<Profile> read_profile(const char* path) {
  try {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("can't open it");
    const Json json = Json::parse(file);
    auto profile = std::make_unique<Profile>();
    profile->driver = json.value("driver", std::string());
    profile->init = json.value("init", 0);
    profile->fabric_struct = json.value("fabric_struct", 3U);
    for (const Json& gpu : json.value("gpus", Json::array())) profile->gpus.push_back(read_device(gpu));
    profile->p2p_default = json.value("p2p_default", 0);
    // [[0, 1, status], ...]
    for (const Json& entry : json.value("p2p", Json::array())) {
      profile->p2p[std::minmax(entry.at(0).get<std::size_t>(), entry.at(1).get<std::size_t>())] =
          entry.at(2);
    }
    return profile;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "nvml_replay: %s: %s\n", path, error.what());
    return nullptr;
  }
}

}  // namespace topolaunch::nvml_replay
