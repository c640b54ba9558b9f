// SPDX-License-Identifier: Apache-2.0
#include "topo/xml_lines.h"

#include <fmt/format.h>

#include <algorithm>

namespace topolaunch::topo {

XmlLines::XmlLines(std::string_view text) : starts_{0} {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') starts_.push_back(i + 1);
  }
}

int XmlLines::line(std::ptrdiff_t offset) const {
  if (offset < 0) return 0;
  const auto after =
      std::upper_bound(starts_.begin(), starts_.end(), static_cast<std::size_t>(offset));
  return static_cast<int>(after - starts_.begin());
}

Status parse_xml(std::string_view text, const std::string& file, const XmlLines& lines,
                 pugi::xml_document& document) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return fail(Error{Code::invalid_input, "the file is empty", {}, file, 0});
  }
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
    return fail(Error{Code::invalid_input, "the file holds binary data, not XML", {}, file,
                      lines.line(static_cast<std::ptrdiff_t>(nul))});
  }
  // pugixml expands no entities beyond the five of XML and reads no other file.
  const auto result = document.load_buffer(text.data(), text.size(), pugi::parse_default,
                                           pugi::encoding_utf8);
  if (result) return {};
  // A fault that stands at the end of the text is a file that was cut off.
  const auto last = text.find_last_not_of(" \t\r\n");
  const bool at_end = result.status == pugi::status_end_element_mismatch
                          ? text.find('>', static_cast<std::size_t>(result.offset)) ==
                                std::string_view::npos
                          : static_cast<std::size_t>(result.offset) + 1 >= last ||
                                text.find('>', static_cast<std::size_t>(result.offset)) ==
                                    std::string_view::npos;
  const int line = lines.line(at_end ? static_cast<std::ptrdiff_t>(last) : result.offset);
  return fail(Error{Code::invalid_input,
                    at_end ? std::string("the file is cut off: it ends inside an XML element")
                           : fmt::format("not well-formed XML: {}", result.description()),
                    at_end ? "copy the file again" : "", file, line});
}

}  // namespace topolaunch::topo
