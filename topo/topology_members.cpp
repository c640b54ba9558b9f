// SPDX-License-Identifier: Apache-2.0
#include "topo/topology_members.h"

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace topolaunch::topo {

void TopologyMembers::refuse(const std::string& where, std::string_view why) {
  if (failed_) return;
  failed_ = true;
  error_ = Error{Code::invalid_input, fmt::format("{} {}", where, why), {}, file_, 0};
}

const Json* TopologyMembers::member(const Json& object, const char* key) const {
  if (!object.is_object()) return nullptr;
  const auto at = object.find(key);
  return at == object.end() || at->is_null() ? nullptr : &*at;
}

const Json& TopologyMembers::list(const Json& object, const char* key, const std::string& where) {
  static const Json none = Json::array();
  const Json* value = member(object, key);
  if (value == nullptr) return none;
  if (!value->is_array()) refuse(join(where, key), "is not an array");
  return value->is_array() ? *value : none;
}

std::string TopologyMembers::text(const Json& object, const char* key, const std::string& where) {
  const Json* value = member(object, key);
  if (value == nullptr) return {};
  if (!value->is_string()) refuse(join(where, key), "is not a string");
  return value->is_string() ? value->get<std::string>() : std::string();
}

double TopologyMembers::number(const Json& object, const char* key, const std::string& where) {
  const Json* value = member(object, key);
  if (value == nullptr) return 0;
  if (!value->is_number() || !std::isfinite(value->get<double>()) || value->get<double>() < 0) {
    refuse(join(where, key), "is not a number of zero or more");
    return 0;
  }
  return value->get<double>();
}

std::optional<int> TopologyMembers::integer_or_none(const Json& object, const char* key,
                                                    const std::string& where, int least, int most) {
  const Json* value = member(object, key);
  if (value == nullptr) return {};
  if (value->is_number_integer()) {
    const bool huge = value->is_number_unsigned() &&
                      value->get<std::uint64_t>() > static_cast<std::uint64_t>(most);
    if (!huge && value->get<std::int64_t>() >= least && value->get<std::int64_t>() <= most) {
      return value->get<int>();
    }
  }
  refuse(join(where, key), fmt::format("is not an integer from {} to {}", least, most));
  return {};
}

int TopologyMembers::integer(const Json& object, const char* key, const std::string& where,
                             int least, int most) {
  return integer_or_none(object, key, where, least, most).value_or(0);
}

bool TopologyMembers::flag(const Json& object, const char* key, const std::string& where,
                           bool fallback) {
  const Json* value = member(object, key);
  if (value == nullptr) return fallback;
  if (!value->is_boolean()) refuse(join(where, key), "is not true or false");
  return value->is_boolean() ? value->get<bool>() : fallback;
}

Bytes TopologyMembers::bytes(const Json& object, const char* key, const std::string& where) {
  const double value = number(object, key, where);
  if (value > 9e18) refuse(join(where, key), "is too large");
  if (failed_) return {};
  const Json* exact = member(object, key);
  return Bytes(exact != nullptr && exact->is_number_integer() ? exact->get<std::int64_t>()
                                                              : std::llround(value));
}

Bandwidth TopologyMembers::rate(const Json& object, const char* key, const std::string& where) {
  return Bandwidth::bytes_per_second(number(object, key, where));
}

CpuSet TopologyMembers::cpus(const Json& object, const char* key, const std::string& where) {
  return cpu_list(text(object, key, where), join(where, key));
}

CpuSet TopologyMembers::cpu_list(const std::string& list_text, const std::string& where) {
  auto set = CpuSet::from_list(list_text);
  if (!set) refuse(where, fmt::format("'{}' is not a CPU list", list_text.substr(0, 60)));
  return set ? *set : CpuSet();
}

std::optional<PciAddress> TopologyMembers::pci(const Json& object, const char* key,
                                               const std::string& where) {
  const std::string address = text(object, key, where);
  return address.empty() ? std::nullopt : pci_text(address, join(where, key));
}

std::optional<PciAddress> TopologyMembers::pci_text(const std::string& address,
                                                    const std::string& where) {
  auto parsed = PciAddress::parse(address);
  if (!parsed) {
    refuse(where, fmt::format("'{}' is not a PCI address", address.substr(0, 60)));
    return {};
  }
  return *parsed;
}

std::vector<PciAddress> TopologyMembers::path(const Json& object, const std::string& where) {
  std::vector<PciAddress> found;
  for (const auto& entry : list(object, "pcie_path", where)) {
    const auto address = pci_text(entry.is_string() ? entry.get<std::string>() : std::string("?"),
                                  join(where, "pcie_path"));
    if (address) found.push_back(*address);
  }
  return found;
}

std::vector<Origin> TopologyMembers::origins(const Json& object, const std::string& where) {
  std::vector<Origin> found;
  for (const auto& entry : list(object, "origins", where)) {
    const std::string at = join(where, "origins");
    found.push_back(
        {text(entry, "source", at), text(entry, "file", at), integer(entry, "line", at)});
  }
  return found;
}

std::string TopologyMembers::required(const Json& object, const char* key,
                                      const std::string& where) {
  std::string value = text(object, key, where);
  if (value.empty()) refuse(join(where, key), "is missing");
  return value;
}

}  // namespace topolaunch::topo
