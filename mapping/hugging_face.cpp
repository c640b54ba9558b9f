// SPDX-License-Identifier: Apache-2.0
//
// Names and defaults: transformers 4.57, src/transformers/models/*/configuration_*.py.
#include "mapping/hugging_face.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "base/json.h"

namespace topolaunch::mapping {
namespace {

using Names = std::initializer_list<const char*>;

/// Types whose feed-forward layers have a gate: three matrices.
constexpr std::array kGated = {"llama",          "llama4",      "llama4_text",  "mllama_text_model",
                               "mistral",        "mistral3",    "ministral",    "mixtral",
                               "qwen2",          "qwen2_moe",   "qwen2_vl",     "qwen3",
                               "qwen3_moe",      "qwen3_next",  "gemma",        "gemma2",
                               "gemma3",         "gemma3_text", "phi3",         "phimoe",
                               "deepseek_v2",    "deepseek_v3", "olmo",         "olmo2",
                               "olmoe",          "cohere",      "cohere2",      "granite",
                               "granitemoe",     "internlm2",   "internlm3",    "baichuan",
                               "jamba",          "dbrx",        "chatglm",      "glm",
                               "glm4",           "glm4_moe",    "gpt_oss",      "stablelm",
                               "exaone",         "exaone4",     "minicpm",      "minicpm3",
                               "smollm3",        "ernie4_5",    "ernie4_5_moe", "hunyuan_v1_dense",
                               "hunyuan_v1_moe", "kimi_k2",     "grok-1",       "seed_oss",
                               "apertus",        "arcee",       "xverse",       "yi",
                               "aquila",         "modernbert"};
/// Types whose feed-forward layers have none: two.
constexpr std::array kPlain = {
    "gpt2",        "opt",     "falcon",   "gpt_neo",    "gpt_neox",    "gptj",
    "gpt_bigcode", "bloom",   "bert",     "roberta",    "xlm-roberta", "distilbert",
    "electra",     "albert",  "deberta",  "deberta-v2", "mpt",         "phi",
    "starcoder2",  "codegen", "nemotron", "vit",        "deit",        "dinov2",
    "bart",        "mbart",   "pegasus",  "marian",     "whisper",     "m2m_100",
    "blenderbot",  "xglm",    "biogpt",   "ctrl",       "gpt-sw3",     "persimmon"};

template <class List>
bool among(const List& list, std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

class Config {
 public:
  Config(const Json& config, const std::string& text) : config_(config), text_(text) {}

  ModelFields fields;

  /// The first name that is there and not null, from the config or an object in it (DBRX's
  /// ffn_config).
  const Json* find(Names names, const char** found = nullptr) const {
    for (const Json* where : {&config_, inner("ffn_config"), inner("attn_config")})
      for (const char* name : names) {
        if (where == nullptr) continue;
        const auto at = where->find(name);
        if (at == where->end() || at->is_null()) continue;
        if (found != nullptr) *found = name;
        return &*at;
      }
    return nullptr;
  }
  std::optional<double> number(Names names) const {
    const auto* at = find(names);
    return at != nullptr && at->is_number() ? std::optional(at->get<double>()) : std::nullopt;
  }
  double number(Names names, double otherwise) const { return number(names).value_or(otherwise); }
  bool truth(const char* name, bool otherwise = false) const {
    const auto* at = find({name});
    return at != nullptr && at->is_boolean() ? at->get<bool>() : otherwise;
  }
  std::string words(Names names) const {
    const auto* at = find(names);
    return at != nullptr && at->is_string() ? at->get<std::string>() : "";
  }
  const std::string type() const { return words({"model_type"}); }

  void take(const char* field, Names names) {
    const char* name = nullptr;
    const auto* at = find(names, &name);
    if (at != nullptr)
      fields[field] = {at->is_string() ? at->get<std::string>() : to_line(*at), line_of(name),
                       name};
  }
  void put(const char* field, double value, const char* from) {
    fields[field] = {fmt::format("{}", value), line_of(from), from};
  }
  void put(const char* field, bool value, const char* from) {
    fields[field] = {value ? "true" : "false", line_of(from), from};
  }

 private:
  const Json* inner(const char* name) const {
    const auto at = config_.find(name);
    return at != config_.end() && at->is_object() ? &*at : nullptr;
  }
  int line_of(const std::string& key) const {
    const auto at = text_.find("\"" + key + "\"");
    if (at == std::string::npos) return 0;
    return 1 + static_cast<int>(std::count(text_.begin(),
                                           text_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  }

  const Json& config_;
  const std::string& text_;
};

/// "gelu", "silu", "gated-gelu": the activation by whichever name it has.
bool gated(const Config& config, std::string& note) {
  const auto type = config.type();
  const auto projection = config.words({"feed_forward_proj"});
  if (!projection.empty()) return projection.starts_with("gated");
  if (among(kGated, type)) return true;
  if (among(kPlain, type)) return false;
  auto activation = config.words({"hidden_act", "hidden_activation", "activation_function",
                                  "activation", "hidden_activation_function"});
  const bool known = activation.empty() || activation.find("silu") != std::string::npos ||
                     activation.find("glu") != std::string::npos ||
                     activation.find("swish") != std::string::npos;
  if (!type.empty())
    note = fmt::format("model_type '{}' is not known: read by its names, {} FFN", type,
                       known ? "gated" : "plain");
  return known;
}

/// Heads of K and V.
void key_value_heads(Config& config) {
  const auto type = config.type();
  if (type == "falcon" && !config.truth("new_decoder_architecture")) {
    if (config.truth("multi_query", true)) config.put("model.kv_heads", 1.0, "multi_query");
    return;
  }
  if (config.truth("multi_query") && (type == "gpt_bigcode" || type.empty()))
    return config.put("model.kv_heads", 1.0, "multi_query");
  config.take("model.kv_heads", {"num_key_value_heads", "num_kv_heads", "n_head_kv", "kv_n_heads",
                                 "multi_query_group_num"});
}

/// DeepSeek's latent attention: K and V come from one compressed vector.
void latent_attention(Config& config, double hidden, double heads) {
  const auto rank = config.number({"kv_lora_rank"});
  if (!rank) return;
  const double nope = config.number({"qk_nope_head_dim"}, 128),
               rope = config.number({"qk_rope_head_dim"}, 64),
               value = config.number({"v_head_dim"}, 128);
  const double query_width = heads * (nope + rope);
  const auto query_rank = config.number({"q_lora_rank"});
  const double query = query_rank ? *query_rank * (hidden + query_width) : hidden * query_width;
  config.put(
      "model.attention_parameters",
      query + hidden * (*rank + rope) + *rank * heads * (nope + value) + heads * value * hidden,
      "kv_lora_rank");
  config.put("model.head_dim", value, "v_head_dim");
}

/// Jamba: one layer of a period is attention, the others are Mamba.
void mamba(Config& config, double layers, double hidden, double attention) {
  const auto period = config.number({"attn_layer_period"});
  if (!period) return;
  const double attention_layers = std::max(
      0.0, std::floor((layers - 1 - config.number({"attn_layer_offset"}, 0)) / *period) + 1);
  const double inner = hidden * config.number({"mamba_expand"}, 2),
               state = config.number({"mamba_d_state"}, 16),
               step = config.number({"mamba_dt_rank"}, std::ceil(hidden / 16));
  const double one = 2 * hidden * inner + inner * config.number({"mamba_d_conv"}, 4) +
                     inner * (step + 2 * state) + step * inner + inner * state + inner * hidden;
  config.put("model.attention_parameters",
             (attention_layers * attention + (layers - attention_layers) * one) / layers,
             "attn_layer_period");
}

void experts(Config& config, double layers) {
  config.take("model.moe.experts",
              {"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"});
  config.take("model.moe.top_k", {"num_experts_per_tok", "num_experts_per_token",
                                  "experts_per_token", "moe_top_k", "moe_k"});
  config.take("model.moe.expert_ffn_hidden", {"moe_intermediate_size"});
  if (!config.fields.count("model.moe.experts")) return;
  // 0 or 1 is a dense model whose type could have experts.
  if (config.number({"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"},
                    2) < 2) {
    for (const char* field :
         {"model.moe.experts", "model.moe.top_k", "model.moe.expert_ffn_hidden"})
      config.fields.erase(field);
    return;
  }
  if (config.type().starts_with("llama4")) {
    // A routed expert and the shared one are intermediate_size wide, layers without experts
    // intermediate_size_mlp.
    config.take("model.moe.expert_ffn_hidden", {"intermediate_size"});
    config.take("model.moe.shared_ffn_hidden", {"intermediate_size"});
    config.take("model.ffn_hidden", {"intermediate_size_mlp"});
  }
  config.take("model.moe.shared_ffn_hidden", {"shared_expert_intermediate_size"});
  if (const auto shared = config.number({"n_shared_experts", "num_shared_experts"});
      shared && *shared > 0)
    config.put("model.moe.shared_ffn_hidden",
               *shared * config.number({"moe_intermediate_size", "intermediate_size"}, 0),
               "n_shared_experts");

  const double first = config.number({"first_k_dense_replace"}, 0);
  const double every =
      std::max(1.0, config.number({"decoder_sparse_step", "interleave_moe_layer_step",
                                   "expert_layer_period", "moe_layer_freq"},
                                  1));
  double with = std::floor((layers - first) / every);
  if (const auto offset = config.number({"expert_layer_offset"}))
    with = std::max(0.0, std::floor((layers - 1 - *offset) / every) + 1);
  if (const auto* dense = config.find({"mlp_only_layers"}); dense != nullptr && dense->is_array())
    with -= static_cast<double>(dense->size());
  if (const auto* list = config.find({"moe_layers"});
      list != nullptr && list->is_array() && !list->empty())
    with = static_cast<double>(list->size());
  if (with > 0) config.put("model.moe.layers", with, "decoder_sparse_step");
}

/// T5, BART and the like: a decoder's layer has a second attention.
void encoder_decoder(Config& config) {
  auto encoder = config.number({"encoder_layers"}), decoder = config.number({"decoder_layers"});
  if (!encoder && !config.words({"feed_forward_proj"}).empty()) {
    encoder = config.number({"num_layers"});
    decoder = config.number({"num_decoder_layers"}, encoder.value_or(0));
  }
  if (!encoder || !decoder) return;
  const double hidden = config.number({"d_model", "hidden_size"}, 0);
  const double heads =
      config.number({"num_heads", "decoder_attention_heads", "encoder_attention_heads"}, 1);
  const double width = heads * config.number({"d_kv"}, hidden / heads);
  std::string note;
  const double matrices = gated(config, note) ? 3 : 2;
  const double encoder_ffn = config.number({"d_ff", "encoder_ffn_dim"}, 4 * hidden),
               decoder_ffn = config.number({"d_ff", "decoder_ffn_dim"}, 4 * hidden);
  const double embeddings = config.number({"vocab_size"}, 0) * hidden *
                            (config.truth("tie_word_embeddings", true) ? 1 : 2);
  config.put("model.layers", *encoder + *decoder, "decoder_layers");
  config.put("model.parameters",
             *encoder * (4 * hidden * width + matrices * hidden * encoder_ffn) +
                 *decoder * (8 * hidden * width + matrices * hidden * decoder_ffn) + embeddings,
             "decoder_layers");
}

}  // namespace

Result<ModelFields> hugging_face_fields(const std::string& text, const std::string& file) {
  auto json = parse_json(text, file);
  if (!json) return fail(json.error());
  const auto wrong = [&](std::string message, std::string next = {}) {
    return fail(Error{Code::invalid_input, std::move(message), std::move(next), file, 0});
  };
  if (!json->is_object()) return wrong("it is not an object");
  const Json* chosen = &*json;
  for (const char* name : {"text_config", "llm_config", "language_config", "thinker_config"})
    if (const auto inner = chosen->find(name); inner != chosen->end() && inner->is_object())
      chosen = &*inner;

  Config config(*chosen, text);
  config.take("model.layers", {"num_hidden_layers", "n_layer", "num_layers", "n_layers"});
  config.take("model.hidden", {"hidden_size", "n_embd", "d_model", "n_embed", "dim"});
  config.take("model.ffn_hidden",
              {"intermediate_size", "n_inner", "ffn_dim", "d_ff", "ffn_hidden_size", "hidden_dim"});
  config.take("model.heads",
              {"num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads"});
  config.take("model.head_dim", {"head_dim", "d_kv", "kv_channels"});
  config.take("model.vocabulary", {"vocab_size", "padded_vocab_size"});
  config.take("model.longest_sequence",
              {"max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "n_ctx"});
  config.take("model.tied_embeddings", {"tie_word_embeddings"});
  key_value_heads(config);
  encoder_decoder(config);
  if (!config.fields.count("model.layers") || !config.fields.count("model.hidden"))
    return wrong(
        "it says neither num_hidden_layers nor hidden_size",
        "a Hugging Face config.json has both, the one of several modalities in text_config");
  const double layers =
      config.number({"num_hidden_layers", "n_layer", "num_layers", "n_layers"}, 1);
  const double hidden = config.number({"hidden_size", "n_embd", "d_model", "n_embed", "dim"}, 1);
  const double heads = config.number({"num_attention_heads", "n_head", "n_heads", "num_heads"},
                                     std::max(1.0, hidden / 128));
  const double head = config.number({"head_dim"}, hidden / heads);
  experts(config, layers);
  latent_attention(config, hidden, heads);
  mamba(config, layers, hidden,
        2 * hidden * head * (heads + config.number({"num_key_value_heads"}, heads)));
  if (const auto patch = config.number({"patch_size"});
      patch && !config.fields.count("model.vocabulary")) {
    // A vision transformer's patches are projected by a matrix of three colours.
    config.put("model.vocabulary", 3 * *patch * *patch, "patch_size");
    const double side = std::floor(config.number({"image_size"}, 224) / *patch);
    config.put("model.longest_sequence", side * side + 1, "image_size");
  }
  std::string note;
  config.put("model.gated_ffn", gated(config, note), "hidden_act");
  if (!note.empty()) config.fields["note"] = {note, 0, "model_type"};
  if (const auto type = config.words({"torch_dtype", "dtype"}); !type.empty()) {
    config.take("types.parameters", {"torch_dtype", "dtype"});
    config.fields["types.parameters"].value = type == "float32"   ? "fp32"
                                              : type == "float16" ? "fp16"
                                                                  : "bf16";
  }
  return std::move(config.fields);
}

}  // namespace topolaunch::mapping
