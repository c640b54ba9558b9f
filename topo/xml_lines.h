// SPDX-License-Identifier: Apache-2.0
//
// Line numbers for an XML document that pugixml has parsed, and the errors it gives, in our form.
#pragma once

#include <cstddef>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace topolaunch::topo {

class XmlLines {
 public:
  explicit XmlLines(std::string_view text);
  /// 1-based line of a byte offset; 0 for an offset that is unknown (negative).
  int line(std::ptrdiff_t offset) const;
  int line(const pugi::xml_node& node) const { return line(node.offset_debug()); }

 private:
  std::vector<std::size_t> starts_;  ///< offset of the first byte of each line
};

/// Parses `text`; invalid_input with file and line if it isn't well-formed: empty, binary, cut off.
Status parse_xml(std::string_view text, const std::string& file, const XmlLines& lines,
                 pugi::xml_document& document);

}  // namespace topolaunch::topo
