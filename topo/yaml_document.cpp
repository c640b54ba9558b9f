// SPDX-License-Identifier: Apache-2.0
#include "topo/yaml_document.h"

#include <map>
#include <set>
#include <utility>

#include "topo/smi/lines.h"

namespace topolaunch::topo {
namespace {

constexpr const char* kMergeKey = "<<";
constexpr int kMostMerged = 200'000;

using LineOfKey = std::map<std::string, int>;

/// A quoted "<<" is a key like any other.
bool is_merge_key(const YAML::Node& key) { return key.Scalar() == kMergeKey && key.Tag() != "!"; }

class Settler {
 public:
  void visit(const YAML::Node& node) {
    if (!node.IsMap() && !node.IsSequence()) return;
    // An alias is the very node that its anchor stands on; such a node is done once.
    if (!seen_.emplace(node.Mark().pos, node.IsMap()).second) return;
    if (node.IsMap()) return mapping(node);
    for (const auto& entry : node) visit(entry);
  }
  std::vector<RepeatedKey> take() { return std::move(repeated_); }

 private:
  void mapping(YAML::Node map) {
    LineOfKey own;
    std::vector<YAML::Node> merged;
    for (const auto& entry : map) {
      if (entry.first.IsScalar()) {
        const int line = entry.first.Mark().line + 1;
        const auto [first, added] = own.emplace(entry.first.Scalar(), line);
        if (!added) repeated_.push_back({first->first, first->second, line});
        if (is_merge_key(entry.first)) merged.push_back(entry.second);
      }
      visit(entry.second);
    }
    if (merged.empty()) return;
    while (map.remove(std::string(kMergeKey))) continue;
    for (const YAML::Node& source : merged) {
      if (source.IsSequence()) {
        for (const auto& one : source) merge(map, one, own);
      } else {
        merge(map, source, own);
      }
    }
  }

  void merge(YAML::Node& map, const YAML::Node& source, LineOfKey& own) {
    if (!source.IsMap()) {
      throw YAML::RepresentationException(source.Mark(),
                                          "'<<' takes a mapping or a list of mappings");
    }
    for (const auto& entry : source) {
      if (!entry.first.IsScalar() || !own.emplace(entry.first.Scalar(), 0).second) continue;
      if (++merged_ > kMostMerged) {
        throw YAML::RepresentationException(source.Mark(), "more than 200,000 merged members");
      }
      map.force_insert(entry.first, entry.second);
    }
  }

  std::set<std::pair<int, bool>> seen_;  ///< position in the text and whether a mapping
  std::vector<RepeatedKey> repeated_;
  int merged_ = 0;
};

}  // namespace

std::vector<YamlPart> yaml_documents(const std::string& text) {
  std::vector<YamlPart> out(1);
  for (const auto& line : smi::lines_of(text)) {
    if (line.text.starts_with("---")) out.push_back({{}, line.number - 1});
    out.back().text.append(line.text).push_back('\n');
  }
  return out;
}

YamlDocument load_yaml(const std::string& text) {
  YamlDocument document;
  document.root = YAML::Load(text);
  Settler settler;
  settler.visit(document.root);
  document.repeated = settler.take();
  return document;
}

}  // namespace topolaunch::topo
