// SPDX-License-Identifier: Apache-2.0
#include "topo/cloud_places.h"

#include <algorithm>

#include "topo/instance_types.h"

namespace topolaunch::topo {

void CloudPlaces::add(const Origin& origin, const std::string& host,
                      const std::vector<std::string>& chain) {
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const std::string parent = i + 1 < chain.size() ? chain[i + 1] : std::string();
    const auto [at, added] = index_.try_emplace(chain[i], facts_.size());
    if (added) {
      SwitchFact box;
      box.name = chain[i];
      box.parent = parent;
      box.level = static_cast<int>(std::min<std::size_t>(i, 64));
      facts_.push_back({origin, {}, std::move(box)});
    }
    const std::size_t place = at->second;
    auto& box = std::get<SwitchFact>(facts_[place].what);
    if (i == 0) box.hosts.push_back(host);
    if (!parent.empty() && box.parent.empty()) box.parent = parent;
    if (!parent.empty() && box.parent != parent) {  // merge_fabric() names both
      SwitchFact other;
      other.name = chain[i];
      other.parent = parent;
      other.level = box.level;
      facts_.push_back({origin, {}, std::move(other)});
    }
  }
}

std::vector<Fact> CloudPlaces::switches() {
  index_.clear();
  return std::move(facts_);
}

void add_instance_type(const Origin& origin, const std::string& host, const std::string& type,
                       std::vector<Fact>& facts) {
  const InstanceType* known = instance_type(type);
  if (known == nullptr) return;
  facts.push_back({origin, host, GpuCountFact{known->gpus, std::string(known->model)}});
}

}  // namespace topolaunch::topo
