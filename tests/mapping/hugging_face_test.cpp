// SPDX-License-Identifier: Apache-2.0
#include "mapping/hugging_face.h"

#include <gmock/gmock.h>

#include "mapping/model.h"

namespace topolaunch::mapping {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// All parameters: with plain data parallelism each replica reduces as many gradients of four
/// bytes.
double parameters(const std::string& config) {
  const auto graph = graph_from_model(config, "config.json", {"dp=2,zero=0", "", "", 2});
  EXPECT_TRUE(graph) << graph.error().text();
  return graph ? static_cast<double>(graph->groups.front().bytes.count()) / 4 : 0;
}

// Each model's own count, of its card or its paper.
TEST(HuggingFace, CountsTheParametersOfPublishedModels) {
  const struct {
    const char* name;
    double billions;
    const char* config;
  } rows[] = {
      {"Llama 3.1 8B", 8.03,
       R"({"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "intermediate_size": 14336,
        "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256, "tie_word_embeddings": false, "hidden_act": "silu"})"},
      {"Llama 3.2 1B", 1.236,
       R"({"model_type": "llama", "num_hidden_layers": 16, "hidden_size": 2048, "intermediate_size": 8192,
        "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 64, "vocab_size": 128256, "tie_word_embeddings": true})"},
      {"Qwen3 8B", 8.19,
       R"({"model_type": "qwen3", "num_hidden_layers": 36, "hidden_size": 4096, "intermediate_size": 12288,
        "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151936, "tie_word_embeddings": false})"},
      {"Qwen3 30B-A3B", 30.5,
       R"({"model_type": "qwen3_moe", "num_hidden_layers": 48, "hidden_size": 2048, "intermediate_size": 6144,
        "moe_intermediate_size": 768, "num_experts": 128, "num_experts_per_tok": 8, "decoder_sparse_step": 1, "mlp_only_layers": [],
        "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128, "vocab_size": 151936, "tie_word_embeddings": false})"},
      {"Mixtral 8x7B", 46.7,
       R"({"model_type": "mixtral", "num_hidden_layers": 32, "hidden_size": 4096, "intermediate_size": 14336,
        "num_attention_heads": 32, "num_key_value_heads": 8, "num_local_experts": 8, "num_experts_per_tok": 2, "vocab_size": 32000,
        "tie_word_embeddings": false})"},
      {"Gemma 2 9B", 9.24,
       R"({"model_type": "gemma2", "num_hidden_layers": 42, "hidden_size": 3584, "intermediate_size": 14336,
        "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 256, "vocab_size": 256000, "hidden_activation": "gelu_pytorch_tanh"})"},
      {"DeepSeek V3", 671,
       R"({"model_type": "deepseek_v3", "num_hidden_layers": 61, "hidden_size": 7168, "intermediate_size": 18432,
        "moe_intermediate_size": 2048, "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8, "first_k_dense_replace": 3,
        "moe_layer_freq": 1, "num_attention_heads": 128, "num_key_value_heads": 128, "q_lora_rank": 1536, "kv_lora_rank": 512,
        "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "vocab_size": 129280, "tie_word_embeddings": false})"},
      {"GPT-2", 0.124,
       R"({"model_type": "gpt2", "n_layer": 12, "n_embd": 768, "n_head": 12, "n_inner": null, "n_positions": 1024,
        "vocab_size": 50257, "activation_function": "gelu_new"})"},
      {"OPT 6.7B", 6.66,
       R"({"model_type": "opt", "num_hidden_layers": 32, "hidden_size": 4096, "ffn_dim": 16384, "num_attention_heads": 32,
        "vocab_size": 50272, "activation_function": "relu", "max_position_embeddings": 2048})"},
      {"Falcon 7B", 6.92,
       R"({"model_type": "falcon", "num_hidden_layers": 32, "hidden_size": 4544, "num_attention_heads": 71,
        "multi_query": true, "new_decoder_architecture": false, "vocab_size": 65024})"},
      {"Falcon 40B", 41.3,
       R"({"model_type": "falcon", "num_hidden_layers": 60, "hidden_size": 8192, "num_attention_heads": 128,
        "num_kv_heads": 8, "new_decoder_architecture": true, "vocab_size": 65024})"},
      {"T5 11B", 11.3,
       R"({"model_type": "t5", "num_layers": 24, "num_decoder_layers": 24, "d_model": 1024, "d_ff": 65536, "num_heads": 128,
        "d_kv": 128, "vocab_size": 32128, "feed_forward_proj": "relu"})"},
      {"Flan-T5 XL", 2.85,
       R"({"model_type": "t5", "num_layers": 24, "d_model": 2048, "d_ff": 5120, "num_heads": 32, "d_kv": 64,
        "vocab_size": 32128, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": false})"},
      {"BART large", 0.406,
       R"({"model_type": "bart", "encoder_layers": 12, "decoder_layers": 12, "num_hidden_layers": 12, "d_model": 1024,
        "encoder_ffn_dim": 4096, "decoder_ffn_dim": 4096, "encoder_attention_heads": 16, "decoder_attention_heads": 16, "vocab_size": 50265,
        "activation_function": "gelu"})"},
      {"Llama 4 Scout, text", 107.8,
       R"({"model_type": "llama4", "text_config": {"model_type": "llama4_text", "num_hidden_layers": 48,
        "hidden_size": 5120, "intermediate_size": 8192, "intermediate_size_mlp": 16384, "num_attention_heads": 40, "num_key_value_heads": 8,
        "head_dim": 128, "num_local_experts": 16, "num_experts_per_tok": 1, "interleave_moe_layer_step": 1, "vocab_size": 202048,
        "tie_word_embeddings": false}})"},
      {"Llama 4 Maverick, text", 400.7,
       R"({"model_type": "llama4_text", "num_hidden_layers": 48, "hidden_size": 5120,
        "intermediate_size": 8192, "intermediate_size_mlp": 16384, "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128,
        "num_local_experts": 128, "num_experts_per_tok": 1, "interleave_moe_layer_step": 2, "vocab_size": 202048, "tie_word_embeddings": false})"},
      {"Jamba v0.1", 51.6,
       R"({"model_type": "jamba", "num_hidden_layers": 32, "hidden_size": 4096, "intermediate_size": 14336,
        "num_attention_heads": 32, "num_key_value_heads": 8, "num_experts": 16, "num_experts_per_tok": 2, "expert_layer_period": 2,
        "expert_layer_offset": 1, "attn_layer_period": 8, "attn_layer_offset": 4, "mamba_d_state": 16, "mamba_d_conv": 4, "mamba_expand": 2,
        "mamba_dt_rank": 256, "vocab_size": 65536, "tie_word_embeddings": false})"},
      {"DBRX", 131.6,
       R"({"model_type": "dbrx", "d_model": 6144, "n_layers": 40, "n_heads": 48, "max_seq_len": 32768, "vocab_size": 100352,
        "tie_word_embeddings": false, "attn_config": {"kv_n_heads": 8}, "ffn_config": {"ffn_hidden_size": 10752, "moe_num_experts": 16,
        "moe_top_k": 4}})"},
      {"gpt-oss 20B", 20.9,
       R"({"model_type": "gpt_oss", "num_hidden_layers": 24, "hidden_size": 2880, "intermediate_size": 2880,
        "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 64, "num_local_experts": 32, "experts_per_token": 4,
        "vocab_size": 201088, "tie_word_embeddings": false})"},
      {"BLOOM 7.1B", 7.07,
       R"({"model_type": "bloom", "n_layer": 30, "hidden_size": 4096, "n_head": 32, "vocab_size": 250880})"},
      {"BERT large", 0.335,
       R"({"model_type": "bert", "num_hidden_layers": 24, "hidden_size": 1024, "intermediate_size": 4096,
        "num_attention_heads": 16, "vocab_size": 30522, "hidden_act": "gelu"})"},
      {"ViT L/16", 0.304,
       R"({"model_type": "vit", "num_hidden_layers": 24, "hidden_size": 1024, "intermediate_size": 4096,
        "num_attention_heads": 16, "image_size": 224, "patch_size": 16, "hidden_act": "gelu"})"},
  };
  for (const auto& row : rows)
    EXPECT_NEAR(parameters(row.config) / 1e9, row.billions, 0.015 * row.billions) << row.name;
}

TEST(HuggingFace, ALongestSequenceIsNotWhatIsTrainedWith) {
  const auto origin = [](const std::string& longest, const std::string& parallel) {
    const auto graph = graph_from_model(
        R"({"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "max_position_embeddings": )" +
            longest + "}",
        "config.json", {parallel, "", "", 0});
    return graph ? graph->origin : graph.error().text();
  };
  EXPECT_THAT(origin("131072", "tp=2"), HasSubstr("sequence 4096 assumed, seq= says it"));
  EXPECT_THAT(origin("1024", "tp=2"), HasSubstr("sequence 1024 assumed"));
  EXPECT_THAT(origin("131072", "tp=2,seq=8192,gbs=64"), Not(HasSubstr("assumed")));
}

TEST(HuggingFace, SequenceAndBatchOfTheCommandLineScaleWhatTheyShould) {
  const auto bytes = [](const std::string& parallel) {
    const auto graph =
        graph_from_model(R"({"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096})",
                         "config.json", {parallel, "", "", 0});
    EXPECT_TRUE(graph);
    return graph->groups.front().bytes.count();
  };
  const auto once = bytes("tp=2,seq=1024,mbs=1,gbs=8");
  EXPECT_EQ(bytes("tp=2,seq=2048,mbs=1,gbs=8"), 2 * once);
  EXPECT_EQ(bytes("tp=2,seq=1024,mbs=1,gbs=16"), 2 * once);
  EXPECT_EQ(bytes("tp=2,seq=1024,mbs=2,gbs=8"), once);
}

TEST(HuggingFace, ATypeThatIsNotKnownIsSaid) {
  const auto origin = [](const std::string& config) {
    const auto graph = graph_from_model(config, "config.json", {"tp=2", "", "", 0});
    return graph ? graph->origin : graph.error().text();
  };
  EXPECT_THAT(
      origin(
          R"({"model_type": "nova9", "num_hidden_layers": 2, "hidden_size": 64, "hidden_act": "gelu"})"),
      HasSubstr("model_type 'nova9' is not known: read by its names, plain FFN"));
  EXPECT_THAT(
      origin(
          R"({"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 64, "hidden_act": "gelu"})"),
      Not(HasSubstr("not known")));
}

}  // namespace
}  // namespace topolaunch::mapping
