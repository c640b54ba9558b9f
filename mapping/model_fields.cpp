// SPDX-License-Identifier: Apache-2.0
#include "mapping/model_fields.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "mapping/hugging_face.h"
#include "mapping/megatron_arguments.h"

namespace topolaunch::mapping {
namespace {

tl::unexpected<Error> wrong(const std::string& file, int line, std::string message,
                            std::string next = {}) {
  return fail(Error{Code::invalid_input, std::move(message), std::move(next), file, line});
}

constexpr std::array<std::string_view, 50> kToml = {"schema",
                                                    "name",
                                                    "model.layers",
                                                    "model.hidden",
                                                    "model.ffn_hidden",
                                                    "model.heads",
                                                    "model.kv_heads",
                                                    "model.head_dim",
                                                    "model.vocabulary",
                                                    "model.sequence",
                                                    "model.gated_ffn",
                                                    "model.tied_embeddings",
                                                    "model.parameters",
                                                    "model.moe.experts",
                                                    "model.moe.top_k",
                                                    "model.moe.expert_ffn_hidden",
                                                    "model.moe.shared_ffn_hidden",
                                                    "model.moe.every",
                                                    "model.moe.first_dense",
                                                    "model.moe.capacity_factor",
                                                    "parallel.tp",
                                                    "parallel.pp",
                                                    "parallel.dp",
                                                    "parallel.cp",
                                                    "parallel.ep",
                                                    "parallel.expert_tp",
                                                    "parallel.zero",
                                                    "parallel.shard",
                                                    "parallel.order",
                                                    "parallel.virtual_stages",
                                                    "parallel.sequence_parallel",
                                                    "batch.micro",
                                                    "batch.global",
                                                    "types.parameters",
                                                    "types.gradients",
                                                    "types.optimizer",
                                                    "types.activations",
                                                    "overlap.gradient_reduce",
                                                    "overlap.parameter_gather",
                                                    "overlap.tensor",
                                                    "overlap.distributed_optimizer",
                                                    "bytes.tp",
                                                    "bytes.cp",
                                                    "bytes.ep",
                                                    "bytes.dp",
                                                    "bytes.pp",
                                                    "bytes.etp",
                                                    "bytes.edp",
                                                    "bytes.fsdp"};

Status flatten(const toml::table& table, const std::string& prefix, const std::string& file,
               ModelFields& fields) {
  for (const auto& [key, node] : table) {
    const std::string name =
        prefix.empty() ? std::string(key.str()) : prefix + "." + std::string(key.str());
    const int line = static_cast<int>(node.source().begin.line);
    if (const auto* inner = node.as_table()) {
      if (auto status = flatten(*inner, name, file, fields); !status) return status;
      continue;
    }
    if (std::find(kToml.begin(), kToml.end(), name) == kToml.end())
      return wrong(file, line, fmt::format("no key '{}' in a model description", name),
                   "docs/mapping.md lists them");
    std::string value;
    if (const auto text = node.value_exact<std::string>())
      value = *text;
    else if (const auto whole = node.value_exact<std::int64_t>())
      value = std::to_string(*whole);
    else if (const auto number = node.value_exact<double>())
      value = fmt::format("{}", *number);
    else if (const auto truth = node.value_exact<bool>())
      value = *truth ? "true" : "false";
    else
      return wrong(file, line, fmt::format("{} is neither text, number nor truth value", name));
    fields[name] = {std::move(value), line, name};
  }
  return {};
}

/// "key: value" in its first line that says something.
bool is_yaml(std::string_view text) {
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.empty() || line.front() == '#' || line.front() == '\r' || line.starts_with("---"))
      continue;
    const auto colon = line.find(':');
    return colon != std::string_view::npos && colon > 0 &&
           line.substr(0, colon).find_first_of("=[\"' ") == std::string_view::npos &&
           (colon + 1 == line.size() || line[colon + 1] == ' ' || line[colon + 1] == '\r');
  }
  return false;
}

Result<ModelFields> from_toml(const std::string& text, const std::string& file) {
  toml::table table;
  try {
    table = toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    if (is_yaml(text))
      return wrong(file, 0, "it is YAML, and no model description",
                   "read are our TOML (docs/mapping.md), Hugging Face's config.json and "
                   "Megatron-LM's arguments");
    return wrong(file, static_cast<int>(error.source().begin.line),
                 std::string(error.description()));
  }
  ModelFields fields;
  if (auto status = flatten(table, {}, file, fields); !status) return fail(status.error());
  const auto schema = fields.find("schema");
  if (schema != fields.end() && schema->second.value != "topolaunch.model/1")
    return wrong(file, schema->second.line,
                 fmt::format("schema '{}' is not topolaunch.model/1", schema->second.value));
  return fields;
}

}  // namespace

Result<ModelFields> model_fields(const std::string& text, const std::string& file) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return wrong(file, 0, "the file is empty");
  if (text[first] == '{') return hugging_face_fields(text, file);
  if (text.find("--num-layers") != std::string::npos) return megatron_fields(text, file);
  return from_toml(text, file);
}

}  // namespace topolaunch::mapping
