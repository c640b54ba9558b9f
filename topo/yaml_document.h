// SPDX-License-Identifier: Apache-2.0
//
// A YAML document as its readers take it: members that a merge key ("<<: *defaults") brings in
// count as the mapping's own, and keys that stand twice in one mapping are named with both lines.
// (yaml-cpp 0.7 knows no merge keys and silently finds the first of two equal keys.)
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

namespace topolaunch::topo {

struct RepeatedKey {
  std::string key;
  int first = 0, again = 0;  ///< lines from 1
};

struct YamlDocument {
  YAML::Node root;
  std::vector<RepeatedKey> repeated;  ///< in the order of the text
};

/// One document of a file, as text.
struct YamlPart {
  std::string text;
  int lines_before = 0;
};

/// The documents of a file. Not by YAML::LoadAll, which on some texts (a comma at the start of a line)
/// finds the same empty document for ever. A line that begins with "---" ends one wherever it stands,
/// also within a block of text.
std::vector<YamlPart> yaml_documents(const std::string& text);

/// The first document of `text`. A mapping's own key wins over a merged one, an earlier mapping of
/// a list of merged ones over a later one (yaml.org/type/merge). Throws YAML::Exception with its
/// mark for text that is no YAML, for a merge of what is no mapping, and where merges multiply a
/// small text beyond 200,000 members.
YamlDocument load_yaml(const std::string& text);

}  // namespace topolaunch::topo
