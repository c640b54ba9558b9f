// SPDX-License-Identifier: Apache-2.0
#include "topo/nic_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "topo/claims.h"
#include "topo/cpu_merge.h"

namespace topolaunch::topo {
namespace {

struct NicClaims {
  std::string name, netdev;  ///< as first seen
  std::optional<PciAddress> first_pci;
  Claims<std::string> guid;
  Claims<PciAddress> pci;
  Claims<Bandwidth> rate;
  Claims<Nic::Layer> layer;
  Claims<bool> rdma, up;
  Claims<std::vector<PciAddress>> path;
  PlaceClaims place;
  std::vector<Origin> origins;

  bool means(const Nic& nic) const {
    const auto same = [](const std::string& a, const std::string& b) {
      return !a.empty() && a == b;
    };
    if (same(name, nic.name) || same(name, nic.netdev) || same(netdev, nic.name) ||
        same(netdev, nic.netdev)) {
      return true;
    }
    const bool nameless = (name.empty() && netdev.empty()) ||
                          (nic.name.empty() && nic.netdev.empty());
    return nameless && first_pci && nic.pci && *first_pci == *nic.pci;
  }

  void add(const Nic& nic, const Origin& origin) {
    if (name.empty() || (name == nic.netdev && !nic.name.empty())) name = nic.name;
    if (netdev.empty()) netdev = nic.netdev;
    if (!first_pci) first_pci = nic.pci;
    if (nic.pci) pci.add(*nic.pci, origin);
    if (nic.rate.known()) rate.add(nic.rate, origin);
    if (nic.layer != Nic::Layer::unknown) layer.add(nic.layer, origin);
    if (nic.rdma) rdma.add(true, origin);
    up.add(nic.up, origin);
    if (nic.numa) place.numa.add(*nic.numa, origin);
    if (!nic.pcie_path.empty()) path.add(nic.pcie_path, origin);
    if (!nic.guid.empty()) guid.add(nic.guid, origin);
    origins.push_back(origin);
  }

  void add(const PciFact& fact, const Origin& origin) {
    if (fact.numa) place.numa.add(*fact.numa, origin);
    if (!fact.affinity.empty()) place.affinity.add(fact.affinity, origin);
    if (!fact.pcie_path.empty()) path.add(fact.pcie_path, origin);
    origins.push_back(origin);
  }
};

Nic build(const NicClaims& claims, const Host& host, std::vector<Warning>& warnings) {
  Nic nic;
  nic.name = claims.name.empty() ? claims.netdev : claims.name;
  nic.netdev = claims.netdev;
  if (const auto* pci = claims.pci.best(Field::place)) nic.pci = pci->value;
  if (nic.name.empty() && nic.pci) nic.name = nic.pci->text();
  const std::string what = fmt::format("{} NIC {}", host.name, nic.name);
  if (const auto* other = claims.pci.dissent(Field::place)) {
    const auto* best = claims.pci.best(Field::place);
    warn(warnings, "pci-conflict", Warning::Severity::warning, other->origin,
         fmt::format("{} has PCI address {} by {}, {} by {}; the first is used", what,
                     best->value.text(), best->origin.text(), other->value.text(),
                     other->origin.text()));
  }
  nic.rate = claims.rate.value_or(Field::identity, {});
  const auto close = [](Bandwidth a, Bandwidth b) {
    return a.bytes_per_second() < 1.05 * b.bytes_per_second() &&
           b.bytes_per_second() < 1.05 * a.bytes_per_second();
  };
  if (const auto* other = claims.rate.dissent(Field::identity, close)) {
    const auto* best = claims.rate.best(Field::identity);
    warn(warnings, "nic-rate-conflict", Warning::Severity::warning, other->origin,
         fmt::format("{} runs at {} by {}, {} by {}; the first is used", what,
                     to_text(best->value), best->origin.text(), to_text(other->value),
                     other->origin.text()));
  }
  nic.layer = claims.layer.value_or(Field::identity, Nic::Layer::unknown);
  nic.rdma = !claims.rdma.empty();
  nic.up = claims.up.value_or(Field::identity, true);
  nic.guid = claims.guid.value_or(Field::identity, {});
  nic.pcie_path = claims.path.value_or(Field::place, {});
  nic.numa = place_device(host, what, claims.place, warnings).numa;
  for (const auto& origin : claims.origins) {
    if (std::find(nic.origins.begin(), nic.origins.end(), origin) == nic.origins.end()) {
      nic.origins.push_back(origin);
    }
  }
  return nic;
}

}  // namespace

void merge_nics(const std::vector<const Fact*>& facts, Host& host,
                std::vector<Warning>& warnings) {
  std::vector<NicClaims> all;
  std::map<std::string, std::size_t> by_name;  // spares comparing each with each on big hosts
  std::multimap<PciAddress, std::size_t> by_pci;
  const auto find = [&](const Nic& nic) -> std::optional<std::size_t> {
    for (const auto* name : {&nic.name, &nic.netdev}) {
      if (name->empty()) continue;
      if (const auto at = by_name.find(*name); at != by_name.end()) return at->second;
    }
    if (nic.pci) {
      const auto [first, last] = by_pci.equal_range(*nic.pci);
      for (auto at = first; at != last; ++at) {
        if (all[at->second].means(nic)) return at->second;
      }
    }
    return {};
  };
  for (const Fact* fact : facts) {
    const auto* said = std::get_if<NicFact>(&fact->what);
    if (said == nullptr) continue;
    const Nic& nic = said->nic;
    auto at = find(nic);
    if (!at) {
      at = all.size();
      all.emplace_back();
    }
    all[*at].add(nic, fact->origin);
    if (!nic.name.empty()) by_name.emplace(nic.name, *at);
    if (!nic.netdev.empty()) by_name.emplace(nic.netdev, *at);
    if (nic.pci) by_pci.emplace(*nic.pci, *at);
  }
  for (const Fact* fact : facts) {
    const auto* pci = std::get_if<PciFact>(&fact->what);
    if (pci == nullptr) continue;
    std::vector<std::size_t> told;
    const auto [first, last] = by_pci.equal_range(pci->pci);
    for (auto at = first; at != last; ++at) {
      if (std::find(told.begin(), told.end(), at->second) != told.end()) continue;
      told.push_back(at->second);
      all[at->second].add(*pci, fact->origin);
    }
  }
  const bool all_nodes = knows_all_nodes(facts);
  for (auto& claims : all) {
    claims.place.all_nodes = all_nodes;
    host.nics.push_back(build(claims, host, warnings));
  }
  std::stable_sort(host.nics.begin(), host.nics.end(), [](const Nic& a, const Nic& b) {
    if (a.pci.has_value() != b.pci.has_value()) return a.pci.has_value();
    if (a.pci && *a.pci != *b.pci) return *a.pci < *b.pci;
    // Ports of one card: mlx5_9 before mlx5_10.
    if (a.name.size() != b.name.size()) return a.name.size() < b.name.size();
    return a.name < b.name;
  });
}

}  // namespace topolaunch::topo
