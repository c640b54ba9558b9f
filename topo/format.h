// SPDX-License-Identifier: Apache-2.0
//
// The formats of topology files, as a table: what each is called, how it is told from the others by
// its content (never by the file's name), and who reads it. A new format is a line here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topo/fact.h"

namespace topolaunch::topo {

/// A file as its reader gets it.
struct GivenText {
  std::string_view text;  ///< all of it
  std::string_view body;  ///< from the first character that counts: no byte order mark, no blanks
  std::string file;       ///< its name, for origins and errors
  std::string host;  ///< the machine of a file that describes one without its name; may be empty
  std::string part;  ///< which one, of a file with several topologies; empty = its default
};

struct Format {
  std::string_view name;  ///< as in "topolaunch reads ..."
  bool (*fits)(std::string_view body);
  Result<std::vector<Fact>> (*read)(const GivenText& given);
};

/// In the order in which they are tried.
const std::vector<Format>& formats();

/// Name of the first format that fits; empty if none does.
std::string_view recognise(std::string_view text);

/// Recognises and reads `text`. invalid_input with file and line.
Result<std::vector<Fact>> facts_from_file(const std::string& text, const std::string& file,
                                          const std::string& host, const std::string& part = {});

/// Name of the first element of an XML text: skips the declaration, comments and the document type.
std::string_view first_element(std::string_view body);

}  // namespace topolaunch::topo
