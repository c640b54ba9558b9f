// SPDX-License-Identifier: Apache-2.0
#include "topo/given.h"

#include <fmt/format.h>

#include <cctype>
#include <nlohmann/json.hpp>

#include "base/input_file.h"
#include "topo/assemble.h"
#include "topo/nccl_xml.h"
#include "topo/slurm_tree.h"
#include "topo/source/hwloc.h"
#include "topo/synthetic.h"
#include "topo/topology_json.h"
#include "topo/tree_spec.h"
#include "topo/xml_lines.h"

namespace topolaunch::topo {
namespace {

constexpr std::string_view kRead =
    "topolaunch reads hwloc XML (lstopo topo.xml), NCCL topology XML (NCCL_TOPO_DUMP_FILE), "
    "topolaunch JSON (topolaunch topo --format json), Slurm's topology.conf (tree), and the specs "
    "synthetic:... and tree:...";

std::string_view without_lead(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) {
    text.remove_prefix(1);
  }
  return text;
}

/// Name of the first element: skips the declaration, comments and the document type.
std::string_view first_element(std::string_view text) {
  while (true) {
    const auto open = text.find('<');
    if (open == std::string_view::npos) return {};
    text.remove_prefix(open);
    if (text.starts_with("<!--")) {
      const auto end = text.find("-->");
      if (end == std::string_view::npos) return {};
      text.remove_prefix(end + 3);
    } else if (text.starts_with("<?") || text.starts_with("<!")) {
      const auto end = text.find('>');
      if (end == std::string_view::npos) return {};
      text.remove_prefix(end + 1);
    } else {
      text.remove_prefix(1);
      return text.substr(0, text.find_first_of(" \t\r\n/>"));
    }
  }
}

/// Facts that were read when the argument was looked at; look() hands them out.
class GivenSource final : public Source {
 public:
  GivenSource(std::string name, std::vector<Fact> facts)
      : name_(std::move(name)), facts_(std::move(facts)) {}
  std::string name() const override { return name_; }
  Result<std::vector<Fact>> look(const Outside&) const override { return facts_; }

 private:
  std::string name_;
  std::vector<Fact> facts_;
};

Result<std::vector<Fact>> facts_from_json(const std::string& text, const std::string& file) {
  auto json = parse_json(text, file);
  if (!json) return tl::unexpected(std::move(json.error()));
  auto topology = topology_from_json(*json, file);
  if (!topology) return tl::unexpected(std::move(topology.error()));
  return facts_of(*topology, Origin{"topolaunch-json", file, 0});
}

Result<std::vector<Fact>> facts_from_hwloc(const std::string& text, const std::string& file,
                                           const std::string& host) {
  // pugixml first: it knows the line of a fault, hwloc doesn't.
  const XmlLines lines(text);
  pugi::xml_document document;
  if (auto parsed = parse_xml(text, file, lines, document); !parsed) {
    return tl::unexpected(std::move(parsed.error()));
  }
  document.reset();
  auto facts = facts_from_hwloc_xml(text, file);
  if (facts && !host.empty()) {
    for (auto& fact : *facts) {
      if (fact.host.empty()) fact.host = host;
    }
  }
  return facts;
}

Result<std::unique_ptr<Source>> given_source(const std::string& argument,
                                             const std::vector<double>& distance,
                                             const Outside& outside, const std::string& host) {
  const auto source = [](std::string name, std::vector<Fact> facts) -> std::unique_ptr<Source> {
    return std::make_unique<GivenSource>(std::move(name), std::move(facts));
  };
  constexpr std::string_view synthetic = "synthetic:";
  constexpr std::string_view tree = "tree:";
  if (argument.starts_with(synthetic)) {
    const auto spec = parse_synthetic(std::string_view(argument).substr(synthetic.size()));
    if (!spec) return tl::unexpected(spec.error());
    return source("synthetic", synthetic_facts(*spec));
  }
  if (argument.starts_with(tree)) {
    const auto spec = parse_tree(std::string_view(argument).substr(tree.size()), distance);
    if (!spec) return tl::unexpected(spec.error());
    return source("tree", tree_facts(*spec));
  }
  const auto text = read_input(outside.files, argument);
  if (!text) return fail(Error(text.error()).try_next("a spec begins with synthetic: or tree:"));
  auto facts = facts_from_file(*text, argument, host);
  if (!facts) return tl::unexpected(std::move(facts.error()));
  const std::string kind = facts->empty() ? "file" : facts->front().origin.source;
  return source(kind + " " + argument, std::move(*facts));
}

}  // namespace

TopologyFormat recognise(std::string_view text) {
  const std::string_view body = without_lead(text);
  if (body.empty() || text.find('\0') != std::string_view::npos) return TopologyFormat::unknown;
  if (body.front() == '{') return TopologyFormat::topolaunch_json;
  if (body.front() == '<') {
    const auto name = first_element(body);
    if (name == "topology") return TopologyFormat::hwloc_xml;
    if (name == "system") return TopologyFormat::nccl_xml;
    if (name == "graphs" || name == "graph") return TopologyFormat::nccl_graph;
    return TopologyFormat::unknown;
  }
  return looks_like_topology_conf(body) ? TopologyFormat::slurm_topology : TopologyFormat::unknown;
}

Result<std::vector<Fact>> facts_from_file(const std::string& text, const std::string& file,
                                          const std::string& host) {
  const auto refuse = [&file](std::string message, std::string next) {
    return fail(Error{Code::invalid_input, std::move(message), std::move(next), file, 0});
  };
  switch (recognise(text)) {
    case TopologyFormat::hwloc_xml: return facts_from_hwloc(text, file, host);
    case TopologyFormat::nccl_xml:
    case TopologyFormat::nccl_graph: return facts_from_nccl_xml(text, file, host);
    case TopologyFormat::topolaunch_json: return facts_from_json(text, file);
    case TopologyFormat::slurm_topology: return facts_from_topology_conf(text, file);
    case TopologyFormat::unknown: break;
  }
  const std::string_view body = without_lead(text);
  if (body.empty()) return refuse("the topology file is empty", {});
  if (text.find('\0') != std::string::npos) {
    return refuse("the topology file holds binary data", std::string(kRead));
  }
  if (body.front() == '<') {
    const auto name = first_element(body);
    if (name.empty()) {
      const XmlLines lines(text);
      return fail(Error{Code::invalid_input, "the XML is cut off before its first element", {},
                        file, lines.line(static_cast<std::ptrdiff_t>(text.size()) - 1)});
    }
    return refuse(fmt::format("XML that begins with <{}> is no topology that topolaunch knows",
                              name.substr(0, 40)),
                  std::string(kRead));
  }
  return refuse("the topology file is of no kind that topolaunch knows", std::string(kRead));
}

Result<Sources> given_sources(const std::vector<std::string>& topologies,
                              const std::vector<double>& distance, const Outside& outside,
                              const std::string& host) {
  Sources sources;
  for (const auto& argument : topologies) {
    auto source = given_source(argument, distance, outside, host);
    if (!source) return tl::unexpected(std::move(source.error()));
    sources.push_back(std::move(*source));
  }
  return sources;
}

}  // namespace topolaunch::topo
