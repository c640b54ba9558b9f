// SPDX-License-Identifier: Apache-2.0
#include "topo/slurm_fabric.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"
#include "topo/host_list.h"

namespace topolaunch::topo {

void SlurmFabric::finding(std::string code, int line, std::string message,
                          Warning::Severity severity) {
  facts_.push_back({{"slurm", file_, line},
                    {},
                    WarningFact{{std::move(code), severity, file_, line, std::move(message)}}});
}

std::optional<std::vector<std::string>> SlurmFabric::names(std::string_view list, int line) {
  auto expanded = expand_host_list(list);
  if (!expanded) {
    finding("slurm-host-list", line, expanded.error().message);
    return {};
  }
  total_ += expanded->size();
  return std::move(*expanded);
}

bool SlurmFabric::add(int line, const std::string& name, std::vector<std::string> hosts,
                      int level) {
  if (!index_.emplace(name, switches_.size()).second) {
    finding("switch-repeated", line,
            fmt::format("switch {} is described on line {} already", name,
                        switches_[index_[name]].first));
    return false;
  }
  SwitchFact box;
  box.name = name;
  box.level = level;
  box.hosts = std::move(hosts);
  switches_.emplace_back(line, std::move(box));
  return true;
}

void SlurmFabric::add_switch(int line, const std::string& name, std::vector<std::string> hosts,
                             const std::vector<std::string>& children, bool unread) {
  if (hosts.empty() && children.empty() && !unread) {
    finding("switch-empty", line, fmt::format("switch {} has neither Nodes nor Switches", name));
    return;
  }
  if (!add(line, name, std::move(hosts), 0)) return;
  for (const auto& child : children) {
    const auto [at, added] = parents_.try_emplace(child, Parent{name, line});
    if (!added) {
      finding("switch-two-parents", line,
              fmt::format("switch {} hangs below {} and {}; the first is used", child,
                          at->second.name, name));
    }
  }
}

void SlurmFabric::add_block(int line, const std::string& name, std::vector<std::string> hosts) {
  if (level_names_.empty()) level_names_ = {"block"};
  if (add(line, name, std::move(hosts), 0)) blocks_.push_back(switches_.size() - 1);
}

void SlurmFabric::set_block_sizes(int line, std::vector<int> sizes) {
  bool good = !sizes.empty() && sizes.front() > 0;
  for (std::size_t i = 1; i < sizes.size() && good; ++i) {
    const int factor = sizes[i] / sizes.front();
    good = sizes[i] > sizes[i - 1] && sizes[i] % sizes.front() == 0 &&
           (factor & (factor - 1)) == 0;  // slurm.conf(5): base block size times powers of two
  }
  if (!good) {
    finding("slurm-block-sizes", line,
            "BlockSizes are not a base and its multiples by powers of two");
    return;
  }
  block_sizes_ = std::move(sizes);
}

void SlurmFabric::add_aggregate(std::vector<std::string> blocks) {
  aggregates_.push_back(std::move(blocks));
}

void SlurmFabric::add_ring(int line, const std::string& name, std::vector<std::string> hosts) {
  if (level_names_.empty()) level_names_ = {"ring"};
  add(line, name, std::move(hosts), 0);
}

void SlurmFabric::add_torus(int line, const std::string& name, std::array<int, 3> dims,
                            std::vector<std::string> hosts) {
  if (level_names_.empty()) level_names_ = {"torus"};
  const auto places = static_cast<std::size_t>(dims[0]) * static_cast<std::size_t>(dims[1]) *
                      static_cast<std::size_t>(dims[2]);
  if (hosts.size() != places) {
    finding("slurm-torus-size", line,
            fmt::format("torus {} of {}x{}x{} has {} and {}", name, dims[0], dims[1], dims[2],
                        counted(places, "place"), counted(hosts.size(), "host")));
  }
  add(line, name, std::move(hosts), 0);
}

/// Switches over blocks, smallest aggregates first, so that each hangs below the next larger one.
void SlurmFabric::aggregate_blocks() {
  for (const auto at : blocks_) {
    const auto& [line, block] = switches_[at];
    if (!block_sizes_.empty() && static_cast<int>(block.hosts.size()) < block_sizes_.front()) {
      finding("slurm-block-small", line,
              fmt::format("block {} has {}, fewer than the base size {}", block.name,
                          counted(block.hosts.size(), "host"), block_sizes_.front()),
              Warning::Severity::warning);
    }
  }
  if (aggregates_.empty() && blocks_.size() > 1) {
    for (std::size_t i = 1; i < block_sizes_.size(); ++i) {
      const auto members = static_cast<std::size_t>(block_sizes_[i] / block_sizes_.front());
      for (std::size_t first = 0; first < blocks_.size(); first += members) {
        std::vector<std::string> names;
        for (auto b = first; b < std::min(first + members, blocks_.size()); ++b) {
          names.push_back(switches_[blocks_[b]].second.name);
        }
        aggregates_.push_back(std::move(names));
      }
    }
  }
  std::stable_sort(aggregates_.begin(), aggregates_.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  std::map<std::string, std::string> top;  // of each block, as yet
  for (const auto& members : aggregates_) {
    std::vector<std::string> below;
    for (const auto& block : members) {
      const auto& at = top.try_emplace(block, block).first->second;
      if (below.empty() || below.back() != at) below.push_back(at);
    }
    if (below.size() < 2) continue;  // the last one may hold a single block
    const std::string name = compress_host_list(members);
    int level = 0;
    for (const auto& child : below) {
      if (const auto at = index_.find(child); at != index_.end()) {
        level = std::max(level, switches_[at->second].second.level + 1);
      }
    }
    if (index_.contains(name)) continue;
    add(0, name, {}, level);
    for (const auto& child : below) parents_.try_emplace(child, Parent{name, 0});
    for (const auto& block : members) top[block] = name;
  }
}

Result<std::vector<Fact>> SlurmFabric::facts(std::string_view expected) && {
  aggregate_blocks();
  if (switches_.empty()) {
    Error error{Code::invalid_input, "the Slurm topology describes no switch",
                std::string(expected), file_, 1};
    for (const Fact& fact : facts_) {
      const auto* said = std::get_if<WarningFact>(&fact.what);
      if (said == nullptr) continue;
      error.message += ": " + said->warning.message;
      error.line = std::max(1, said->warning.line);
      break;
    }
    return fail(std::move(error));
  }
  for (const auto& [child, parent] : parents_) {
    const auto at = index_.find(child);
    if (at == index_.end()) {
      finding(
          "switch-unknown", parent.line,
          fmt::format("switch {} has {} below it, which no line describes", parent.name, child));
    } else {
      switches_[at->second].second.parent = parent.name;
    }
  }
  if (!level_names_.empty()) {
    int top = 0;
    for (const auto& [line, box] : switches_) top = std::max(top, box.level);
    for (int level = 1; level <= top; ++level) {
      level_names_.push_back(level == 1 ? "blocks" : fmt::format("blocks{}", level));
    }
    facts_.push_back({{"slurm", file_, 0}, {}, FabricFact{level_names_, {}, {}, {}, {}}});
  }
  for (auto& [line, box] : switches_) {
    facts_.push_back({{"slurm", file_, line}, {}, std::move(box)});
  }
  return std::move(facts_);
}

}  // namespace topolaunch::topo
