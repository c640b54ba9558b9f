// SPDX-License-Identifier: Apache-2.0
#include "topo/slurm_yaml.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/counted.h"
#include "topo/slurm_fabric.h"
#include "topo/yaml_document.h"

namespace topolaunch::topo {
namespace {

constexpr int kMostPlaces = 1 << 20;  // of a torus

int line_of(const YAML::Node& node) { return node.Mark().line + 1; }

/// One topology of the file -> SlurmFabric. Members of the wrong shape throw YAML's exceptions,
/// which carry the line.
class Reader {
 public:
  explicit Reader(const std::string& file) : fabric_(file) {}

  Result<std::vector<Fact>> read(const YAML::Node& topology) {
    if (const auto tree = topology["tree"]) {
      for (const auto& entry : tree["switches"]) read_switch(entry);
    } else if (const auto block = topology["block"]) {
      for (const auto& entry : block["blocks"]) {
        fabric_.add_block(line_of(entry), text(entry, "block"), hosts(entry));
      }
      std::vector<int> sizes;
      for (const auto& size : block["block_sizes"]) sizes.push_back(size.as<int>());
      if (!sizes.empty()) fabric_.set_block_sizes(line_of(block["block_sizes"]), std::move(sizes));
    } else if (const auto ring = topology["ring"]) {
      for (const auto& entry : ring["rings"]) {
        fabric_.add_ring(line_of(entry), text(entry, "ring"), hosts(entry));
      }
    } else if (const auto torus = topology["torus3d"]) {
      for (const auto& entry : torus["toruses"]) read_torus(entry);
    } else if (topology["flat"]) {
      fabric_.finding("slurm-flat", line_of(topology),
                      fmt::format("topology {} is flat: it says nothing of where hosts are",
                                  text(topology, "topology")),
                      Warning::Severity::note);
    }
    return std::move(fabric_).facts(
        "topology.yaml(5): a tree is like "
        "tree: {switches: [{switch: leaf1, nodes: \"n[1-16]\"}]}");
  }

  SlurmFabric& fabric() { return fabric_; }

 private:
  static std::string text(const YAML::Node& node, const char* key) {
    return node[key] ? node[key].as<std::string>() : std::string();
  }
  std::vector<std::string> hosts(const YAML::Node& node, const char* key = "nodes") {
    return fabric_.names(text(node, key), line_of(node)).value_or(std::vector<std::string>());
  }

  void read_switch(const YAML::Node& entry) {
    auto below = fabric_.names(text(entry, "nodes"), line_of(entry));
    auto children = fabric_.names(text(entry, "children"), line_of(entry));
    const bool unread = !below || !children;
    fabric_.add_switch(line_of(entry), text(entry, "switch"),
                       below ? std::move(*below) : std::vector<std::string>(),
                       children ? *children : std::vector<std::string>(), unread);
  }

  static std::array<int, 3> triple(const YAML::Node& node) {
    std::array<int, 3> xyz{0, 0, 0};
    static constexpr std::array<const char*, 3> kAxes{"x", "y", "z"};
    for (std::size_t i = 0; i < 3; ++i) {
      const YAML::Node value = node[kAxes[i]];
      // A member that isn't there has no line of its own.
      if (!value) {
        throw YAML::RepresentationException(node.Mark(), fmt::format("it has no {}", kAxes[i]));
      }
      xyz[i] = value.as<int>();
    }
    return xyz;
  }
  static std::size_t places(const std::array<int, 3>& dims) {
    std::size_t product = 1;
    for (const int d : dims) {
      if (d < 1 || d > kMostPlaces) return 0;
      product *= static_cast<std::size_t>(d);
      if (product > static_cast<std::size_t>(kMostPlaces)) return 0;
    }
    return product;
  }

  void read_torus(const YAML::Node& entry) {
    const auto dims = triple(entry["dims"]);
    const std::string name = text(entry, "name");
    const std::size_t total = places(dims);
    if (total == 0) {
      fabric_.finding("slurm-torus-size", line_of(entry),
                      fmt::format("torus {} has impossible dimensions", name));
      return;
    }
    if (!entry["regions"]) {
      fabric_.add_torus(line_of(entry), name, dims, hosts(entry));
      return;
    }
    // Regions fill parts of the torus, each x first from its anchor.
    std::vector<std::string> at(total);
    for (const auto& region : entry["regions"]) {
      const auto anchor = triple(region["anchor"]);
      const auto size = triple(region["dims"]);
      const auto names = hosts(region);
      if (places(size) != names.size()) {
        fabric_.finding("slurm-torus-size", line_of(region),
                        fmt::format("a region of torus {} has {} and {}", name,
                                    counted(places(size), "place"), counted(names.size(), "host")));
        continue;
      }
      for (std::size_t i = 0; i < names.size(); ++i) {
        std::size_t rest = i;
        std::size_t place = 0, stride = 1;
        bool inside = true;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const auto along =
              static_cast<long>(rest % static_cast<std::size_t>(size[axis])) + anchor[axis];
          rest /= static_cast<std::size_t>(size[axis]);
          inside = inside && along >= 0 && along < dims[axis];
          place += inside ? static_cast<std::size_t>(along) * stride : 0;
          stride *= static_cast<std::size_t>(dims[axis]);
        }
        if (inside) at[place] = names[i];
      }
    }
    std::erase(at, std::string());
    fabric_.add_torus(line_of(entry), name, dims, std::move(at));
  }

  SlurmFabric fabric_;
};

Result<std::vector<Fact>> choose_and_read(const YAML::Node& document, const std::string& file,
                                          const std::string& name) {
  if (!document.IsSequence()) {
    return fail(Error{Code::invalid_input,
                      "a topology.yaml is a list of topologies",
                      {},
                      file,
                      line_of(document)});
  }
  YAML::Node chosen(YAML::NodeType::Undefined);
  std::vector<std::string> others;
  for (const auto& entry : document) {
    const auto own = entry["topology"] ? entry["topology"].as<std::string>() : std::string();
    const bool by_default = entry["cluster_default"] && entry["cluster_default"].as<bool>();
    others.push_back(own);
    if (name.empty() ? by_default : own == name) chosen.reset(entry);
  }
  if (!chosen.IsDefined() && name.empty() && document.size() > 0) chosen.reset(document[0]);
  if (!chosen.IsDefined()) {
    return fail(Error{Code::invalid_input, fmt::format("there is no topology '{}' in it", name),
                      fmt::format("it has {}", fmt::join(others, ", ")), file, 1});
  }
  Reader reader(file);
  const auto own = chosen["topology"].as<std::string>();
  std::erase(others, own);
  if (name.empty() && !others.empty()) {
    reader.fabric().finding(
        "slurm-other-topologies", line_of(chosen),
        fmt::format("topology {} is read; FILE#NAME reads one of {}", own, fmt::join(others, ", ")),
        Warning::Severity::note);
  }
  return reader.read(chosen);
}

}  // namespace

bool looks_like_topology_yaml(std::string_view text) {
  text = text.substr(0, 1 << 16);
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const auto first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || line[first] == '#' || line.starts_with("---")) continue;
    line.remove_prefix(first);
    if (!line.starts_with('-')) return false;
    line.remove_prefix(1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t{\"'"), line.size()));
    return line.starts_with("topology");
  }
  return false;
}

Result<std::vector<Fact>> facts_from_topology_yaml(std::string_view text, const std::string& file,
                                                   const std::string& name) {
  try {
    const auto document = load_yaml(std::string(text));
    if (!document.repeated.empty()) {
      const auto& [key, first, again] = document.repeated.front();
      return fail(
          Error{Code::invalid_input,
                fmt::format("'{}' stands in one mapping on lines {} and {}", key, first, again),
                "keep one of the two", file, again});
    }
    return choose_and_read(document.root, file, name);
  } catch (const YAML::Exception& error) {
    return fail(Error{Code::invalid_input,
                      fmt::format("the topology.yaml can't be read: {}",
                                  error.msg.empty() ? std::string(error.what()) : error.msg),
                      {},
                      file,
                      std::max(1, error.mark.line + 1)});
  }
}

}  // namespace topolaunch::topo
