// SPDX-License-Identifier: Apache-2.0
#include "mapping/model_fields.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "base/json.h"

namespace topolaunch::mapping {
namespace {

tl::unexpected<Error> wrong(const std::string& file, int line, std::string message,
                            std::string next = {}) {
  return fail(Error{Code::invalid_input, std::move(message), std::move(next), file, line});
}

constexpr std::array<std::string_view, 43> kToml = {"schema",
                                                    "name",
                                                    "model.layers",
                                                    "model.hidden",
                                                    "model.ffn_hidden",
                                                    "model.heads",
                                                    "model.kv_heads",
                                                    "model.vocabulary",
                                                    "model.sequence",
                                                    "model.gated_ffn",
                                                    "model.tied_embeddings",
                                                    "model.parameters",
                                                    "model.moe.experts",
                                                    "model.moe.top_k",
                                                    "model.moe.expert_ffn_hidden",
                                                    "model.moe.every",
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
                                                    "bytes.pp"};

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
    if (std::find(kToml.begin(), kToml.end(), name) == kToml.end() && name != "bytes.edp" &&
        name != "bytes.etp" && name != "bytes.fsdp")
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

Result<ModelFields> from_toml(const std::string& text, const std::string& file) {
  toml::table table;
  try {
    table = toml::parse(text, file);
  } catch (const toml::parse_error& error) {
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

/// transformers 4.46, configuration_llama.py, _mixtral.py, _qwen2_moe.py, _deepseek_v3.py: first
/// name found.
Result<ModelFields> from_config(const std::string& text, const std::string& file) {
  auto json = parse_json(text, file);
  if (!json) return fail(json.error());
  if (!json->is_object()) return wrong(file, 0, "it is not an object");
  const Json* config = &*json;
  if (const auto inner = json->find("text_config"); inner != json->end() && inner->is_object())
    config = &*inner;
  const auto line_of = [&](const std::string& key) {
    const auto at = text.find("\"" + key + "\"");
    return at == std::string::npos
               ? 0
               : 1 + static_cast<int>(std::count(
                         text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  };
  ModelFields fields;
  const auto take = [&](const char* name, std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
      const auto at = config->find(key);
      if (at == config->end() || at->is_null()) continue;
      fields[name] = {at->is_string() ? at->get<std::string>() : to_line(*at), line_of(key), key};
      return;
    }
  };
  take("model.layers", {"num_hidden_layers", "n_layer", "num_layers"});
  take("model.hidden", {"hidden_size", "n_embd", "d_model"});
  take("model.ffn_hidden", {"intermediate_size", "n_inner", "ffn_dim"});
  take("model.heads", {"num_attention_heads", "n_head"});
  take("model.kv_heads", {"num_key_value_heads"});
  take("model.vocabulary", {"vocab_size"});
  take("model.sequence", {"max_position_embeddings", "n_positions"});
  take("model.tied_embeddings", {"tie_word_embeddings"});
  take("model.moe.experts", {"num_local_experts", "num_experts", "n_routed_experts"});
  take("model.moe.top_k", {"num_experts_per_tok", "num_experts_per_token"});
  take("model.moe.expert_ffn_hidden", {"moe_intermediate_size"});
  if (!fields.count("model.layers") || !fields.count("model.hidden"))
    return wrong(
        file, 0, "it says neither num_hidden_layers nor hidden_size",
        "a Hugging Face config.json has both, the one of several modalities in text_config");
  const auto activation = config->find("hidden_act");
  const bool gated = activation == config->end() || !activation->is_string() ||
                     activation->get_ref<const std::string&>().find("silu") != std::string::npos ||
                     activation->get_ref<const std::string&>().find("swiglu") != std::string::npos;
  fields["model.gated_ffn"] = {gated ? "true" : "false", 0, "hidden_act"};
  if (const auto type = config->find("torch_dtype"); type != config->end() && type->is_string()) {
    const auto& name = type->get_ref<const std::string&>();
    fields["types.parameters"] = {name == "float32"   ? "fp32"
                                  : name == "float16" ? "fp16"
                                                      : "bf16",
                                  line_of("torch_dtype"), "torch_dtype"};
  }
  return fields;
}

/// Megatron-LM core 0.14, megatron/training/arguments.py. A name without a value is a switch.
Result<ModelFields> from_arguments(const std::string& text, const std::string& file) {
  static const std::map<std::string, std::string> kValued = {
      {"--num-layers", "model.layers"},
      {"--hidden-size", "model.hidden"},
      {"--ffn-hidden-size", "model.ffn_hidden"},
      {"--num-attention-heads", "model.heads"},
      {"--num-query-groups", "model.kv_heads"},
      {"--seq-length", "model.sequence"},
      {"--padded-vocab-size", "model.vocabulary"},
      {"--vocab-size", "model.vocabulary"},
      {"--num-experts", "model.moe.experts"},
      {"--moe-router-topk", "model.moe.top_k"},
      {"--moe-ffn-hidden-size", "model.moe.expert_ffn_hidden"},
      {"--moe-layer-freq", "model.moe.every"},
      {"--moe-expert-capacity-factor", "model.moe.capacity_factor"},
      {"--tensor-model-parallel-size", "parallel.tp"},
      {"--pipeline-model-parallel-size", "parallel.pp"},
      {"--context-parallel-size", "parallel.cp"},
      {"--expert-model-parallel-size", "parallel.ep"},
      {"--expert-tensor-parallel-size", "parallel.expert_tp"},
      {"--num-virtual-stages-per-pipeline-rank", "parallel.virtual_stages"},
      {"--micro-batch-size", "batch.micro"},
      {"--global-batch-size", "batch.global"}};
  static const std::map<std::string, std::pair<std::string, std::string>> kSwitches = {
      {"--sequence-parallel", {"parallel.sequence_parallel", "true"}},
      {"--use-distributed-optimizer", {"overlap.distributed_optimizer", "true"}},
      {"--overlap-grad-reduce", {"overlap.gradient_reduce", "true"}},
      {"--overlap-param-gather", {"overlap.parameter_gather", "true"}},
      {"--tp-comm-overlap", {"overlap.tensor", "true"}},
      {"--swiglu", {"model.gated_ffn", "true"}},
      {"--untie-embeddings-and-output-weights", {"model.tied_embeddings", "false"}},
      {"--use-tp-pp-dp-mapping", {"parallel.order", "tp-cp-ep-pp-dp"}},
      {"--bf16", {"types.parameters", "bf16"}},
      {"--fp16", {"types.parameters", "fp16"}},
      {"--use-torch-fsdp2", {"parallel.zero", "3"}}};
  // What Megatron does where nothing is said.
  ModelFields fields;
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, const char*>>{
           {"parallel.sequence_parallel", "false"},
           {"overlap.distributed_optimizer", "false"},
           {"model.gated_ffn", "false"},
           {"parallel.tp", "1"},
           {"parallel.pp", "1"},
           {"parallel.cp", "1"},
           {"parallel.ep", "1"}})
    fields[name] = {value, 0, "Megatron's default"};
  std::istringstream lines(text);
  int number = 0;
  std::string pending;  // an argument whose value is the next word
  int pending_line = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto comment = line.find('#');
    std::istringstream words(comment == std::string::npos ? line : line.substr(0, comment));
    for (std::string word; words >> word;) {
      if (word == "\\") continue;
      std::erase_if(word, [](char c) { return c == '"' || c == '\'' || c == ')' || c == '('; });
      if (!pending.empty()) {
        if (word.starts_with("--") || word.empty())
          return wrong(file, pending_line, fmt::format("{} has no value", pending));
        fields[kValued.at(pending)] = {word, number, pending};
        pending.clear();
        continue;
      }
      const auto equals = word.find('=');
      const auto name = word.substr(0, equals);
      if (const auto at = kSwitches.find(word); at != kSwitches.end()) {
        fields[at->second.first] = {at->second.second, number, word};
      } else if (const auto valued = kValued.find(name); valued != kValued.end()) {
        if (equals != std::string::npos)
          fields[valued->second] = {word.substr(equals + 1), number, name};
        else
          pending = name, pending_line = number;
      }
    }
  }
  if (!pending.empty()) return wrong(file, pending_line, fmt::format("{} has no value", pending));
  return fields;
}

}  // namespace

Result<ModelFields> model_fields(const std::string& text, const std::string& file) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return wrong(file, 0, "the file is empty");
  if (text[first] == '{') return from_config(text, file);
  if (text.find("--num-layers") != std::string::npos) return from_arguments(text, file);
  return from_toml(text, file);
}

}  // namespace topolaunch::mapping
