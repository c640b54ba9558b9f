// SPDX-License-Identifier: Apache-2.0
//
// JSON documents that describe hosts or a fabric, told apart by their members.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/json.h"
#include "topo/format.h"

namespace topolaunch::topo {

struct JsonFormat {
  std::string_view name;
  bool (*fits)(const Json& json);
  Result<std::vector<Fact>> (*read)(const Json& json, const GivenText& given);
};

const std::vector<JsonFormat>& json_formats();

/// True for a list of objects; other texts begin with a bracket, too.
bool looks_like_json_list(std::string_view body);

Result<std::vector<Fact>> facts_from_json(const GivenText& given);
/// The same of a document that is read already; `given` for its name, host and lines.
Result<std::vector<Fact>> facts_from_json(const Json& json, const GivenText& given);

}  // namespace topolaunch::topo
