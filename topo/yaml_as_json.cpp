// SPDX-License-Identifier: Apache-2.0
#include "topo/yaml_as_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "topo/json_format.h"
#include "topo/yaml_document.h"

namespace topolaunch::topo {
namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20;
constexpr int kDeepest = 100, kMostValues = 4'000'000;

/// Members with which the documents begin; kubectl sorts them.
constexpr std::array<std::string_view, 8> kFirstMembers = {
    "apiVersion", "items", "kind", "metadata", "Instances", "Reservations", "NextToken", "schema"};

template <class Number>
bool reads_as(const std::string& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

/// YAML 1.2's core schema; what is quoted is a string whatever it looks like.
Json scalar(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return text;
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") return nullptr;
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  std::int64_t whole = 0;
  if (reads_as(text, whole)) return whole;
  double number = 0;
  if (reads_as(text, number) && std::isfinite(number)) return number;
  return text;
}

class Converter {
 public:
  Json convert(const YAML::Node& node, int depth = 0) {
    if (depth > kDeepest) throw YAML::RepresentationException(node.Mark(), "deeper than 100 levels");
    if (++values_ > kMostValues) throw YAML::RepresentationException(node.Mark(), "more than 4,000,000 values");
    if (node.IsSequence()) {
      Json list = Json::array();
      for (const auto& entry : node) list.push_back(convert(entry, depth + 1));
      return list;
    }
    if (node.IsMap()) {
      Json object = Json::object();
      for (const auto& entry : node) {
        if (!entry.first.IsScalar())
          throw YAML::RepresentationException(entry.first.Mark(), "a member's name is no text");
        object[entry.first.Scalar()] = convert(entry.second, depth + 1);
      }
      return object;
    }
    return node.IsScalar() ? scalar(node) : Json(nullptr);
  }

 private:
  int values_ = 0;
};

}  // namespace

bool looks_like_json_in_yaml(std::string_view body) {
  while (!body.empty()) {
    const auto end = body.find('\n');
    std::string_view line = body.substr(0, end);
    body.remove_prefix(end == std::string_view::npos ? body.size() : end + 1);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos || line.starts_with('#') || line.starts_with("---")) continue;
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return false;
    return std::find(kFirstMembers.begin(), kFirstMembers.end(), line.substr(0, colon)) != kFirstMembers.end();
  }
  return false;
}

Result<std::vector<Fact>> facts_from_json_in_yaml(const GivenText& given) {
  if (given.text.size() > kMostBytes)
    return fail(Error{Code::invalid_input, fmt::format("{} MiB of YAML are too many", given.text.size() >> 20),
                      "give it as JSON: kubectl get nodes -o json, aws ... --output json", given.file, 1});
  int lines_before = 0;
  const auto refuse = [&](std::string message, std::string next, int line) {
    return fail(Error{Code::invalid_input, std::move(message), std::move(next), given.file, lines_before + line});
  };
  try {
    Converter converter;
    Json documents = Json::array();
    for (const YamlPart& part : yaml_documents(std::string(given.text))) {
      lines_before = part.lines_before;
      const YamlDocument document = load_yaml(part.text);
      if (!document.repeated.empty()) {
        const auto& [key, first, again] = document.repeated.front();
        return refuse(fmt::format("'{}' stands in one mapping on lines {} and {}", key, lines_before + first,
                                  lines_before + again),
                      "keep one of the two", again);
      }
      if (!document.root.IsNull()) documents.push_back(converter.convert(document.root));
    }
    if (documents.size() == 1) return facts_from_json(documents.front(), given);
    return facts_from_json({{"kind", "List"}, {"items", std::move(documents)}}, given);
  } catch (const YAML::Exception& error) {
    return refuse(fmt::format("the YAML can't be read: {}", error.msg.empty() ? std::string(error.what()) : error.msg),
                  {}, std::max(0, error.mark.line) + 1);
  }
}

}  // namespace topolaunch::topo
