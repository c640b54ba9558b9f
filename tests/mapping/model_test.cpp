// SPDX-License-Identifier: Apache-2.0
#include "mapping/model.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

#include "mapping/model_shape.h"
#include "mapping/parallel.h"

namespace topolaunch::mapping {
namespace {

using ::testing::HasSubstr;

std::int64_t bytes_of(const RankGraph& graph, const std::string& dimension,
                      Collective collective = Collective::allreduce) {
  for (const auto& group : graph.groups)
    if (group.dimension == dimension && group.collective == collective) return group.bytes.count();
  return -1;
}

std::optional<std::string> shared(const std::string& path) {
  const char* root = std::getenv("TOPOLAUNCH_SHARED");
  std::ifstream file((root == nullptr ? std::string() : std::string(root)) + "/" + path);
  if (root == nullptr || !file) return std::nullopt;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

constexpr const char* kToml = R"(schema = "topolaunch.model/1"
[model]
layers = 8
hidden = 1024
ffn_hidden = 4096
heads = 16
kv_heads = 4
vocabulary = 1000
sequence = 512
[parallel]
tp = 2
pp = 2
cp = 2
dp = 4
[batch]
micro = 2
global = 64
)";

TEST(Model, TomlGivesGroupsAndBytes) {
  const auto graph = graph_from_model(kToml, "m.toml", {});
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_EQ(graph->ranks, 32);
  // 8 micro-batches of 2 x 512 x 1024 / cp 2 activations of 2 bytes = 1 MiB; 4 layers a stage.
  const std::int64_t mib = 1 << 20;
  EXPECT_EQ(bytes_of(*graph, "tp"), 5 * 4 * 8 * mib);
  EXPECT_EQ(bytes_of(*graph, "pp", Collective::path), 2 * 8 * mib / 2);
  EXPECT_EQ(bytes_of(*graph, "cp", Collective::ring), 6 * 4 * 8 * mib / 4 / 2);
  const std::int64_t parameters = 8 * (2 * mib + 2 * mib / 4 + 3 * 4 * mib) + 1000 * 1024;
  // Gradients of 4 bytes reduced, parameters of 2 gathered: their mean.
  EXPECT_EQ(bytes_of(*graph, "dp", Collective::reduce_scatter_allgather), 3 * parameters / 4);
}

TEST(Model, TheCommandLineWins) {
  const auto graph = graph_from_model(kToml, "m.toml", {"tp=4,dp=2", "", "dp=1GiB", 8});
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_EQ(graph->ranks, 8);
  EXPECT_EQ(bytes_of(*graph, "dp"), std::int64_t{1} << 30);
}

TEST(Model, EveryFaultIsNamedWithItsLine) {
  const struct {
    const char* text;
    int line;
    std::vector<std::string> says;
  } rows[] = {
      {"[model]\nlayers = 30\nhidden = 4096\nheads = 30\nkv_heads = 7\n[parallel]\npp = 4\ndp = "
       "0\norder = \"tp-pp-tp\"\n[bytes]\ntp = \"3 GiBs\"\n",
       2,
       {"layers", "no multiple of pp", "line 4", "line 5", "line 8",
        "line 9: parallel.order: tp is there twice", "line 11"}},
      {"[model]\nlayer = 3\n", 2, {"no key 'model.layer'"}},
      {"[model]\nlayers = three\n", 2, {}},
      {"[model]\nlayers = \"three\"\n", 2, {"'three' is not a whole number"}},
      {"{\"hidden_size\": 3}", 0, {"num_hidden_layers"}},
      {"{\"num_hidden_layers\": 3,\n\"hidden_size\": -3}", 2, {"hidden_size"}},
      {"pretrain.py \\\n --num-layers 4 \\\n --hidden-size \\\n --seq-length 8\n",
       3,
       {"--hidden-size has no value"}},
      {"", 0, {"empty"}},
  };
  for (const auto& row : rows) {
    const auto graph = graph_from_model(row.text, "m", {});
    ASSERT_FALSE(graph) << row.text;
    EXPECT_EQ(graph.error().code, Code::invalid_input) << row.text;
    EXPECT_EQ(graph.error().line, row.line) << row.text << graph.error().text();
    for (const auto& words : row.says)
      EXPECT_THAT(graph.error().text(), HasSubstr(words)) << row.text;
  }
}

TEST(Model, ConfigAndArgumentsSayTheSameAsToml) {
  const auto config = graph_from_model(
      R"({"text_config": {"num_hidden_layers": 8, "hidden_size": 1024, "intermediate_size": 4096, "num_attention_heads": 16,
          "num_key_value_heads": 4, "vocab_size": 1000, "max_position_embeddings": 512, "tie_word_embeddings": true}})",
      "config.json", {"tp=2,pp=2,cp=2,dp=4", "", "", 0});
  const auto arguments = graph_from_model(
      "ARGS=(\n  --num-layers 8 --hidden-size=1024 --ffn-hidden-size 4096 # shape\n "
      "--num-attention-heads 16 --num-query-groups 4\n"
      " --vocab-size 1000 --seq-length 512 --swiglu --tensor-model-parallel-size 2 "
      "--pipeline-model-parallel-size 2\n"
      " --context-parallel-size 2 --sequence-parallel --use-distributed-optimizer "
      "--micro-batch-size 2 --global-batch-size 64 --bf16 )\n",
      "run.sh", {"", "", "", 32});
  const auto toml = graph_from_model(kToml, "m.toml", {});
  ASSERT_TRUE(config && toml);
  ASSERT_TRUE(arguments) << arguments.error().text();
  EXPECT_EQ(bytes_of(*config, "dp"), bytes_of(*toml, "dp"));
  // Without a batch four micro-batches a stage, here of one sequence where the TOML has eight of two.
  EXPECT_EQ(bytes_of(*config, "tp") * 2, bytes_of(*toml, "tp"));
  EXPECT_THAT(config->origin, HasSubstr("8 micro-batches a step assumed"));
  EXPECT_THAT(toml->origin, ::testing::Not(HasSubstr("assumed")));
  for (const char* const group : {"tp", "dp"})
    EXPECT_EQ(bytes_of(*arguments, group), bytes_of(*toml, group)) << group;
  EXPECT_FALSE(
      graph_from_model(R"({"num_hidden_layers": 8, "hidden_size": 1024})", "config.json", {}));
}

TEST(Model, ShardingPresets) {
  const auto fsdp = graph_from_parallel("dp=16,zero=3", "", "");
  const auto hsdp = graph_from_parallel("dp=16,zero=3,shard=8", "", "");
  const auto plain = graph_from_parallel("dp=16,zero=0", "", "");
  ASSERT_TRUE(fsdp && hsdp && plain);
  EXPECT_EQ(fsdp->groups.size(), 2U);   // a gather and a scatter of all
  EXPECT_EQ(hsdp->groups.size(), 12U);  // 2 x 2 groups of 8, 8 replicas of 2
  EXPECT_EQ(hsdp->groups.back().members, (std::vector<int>{7, 15}));
  EXPECT_EQ(bytes_of(*hsdp, "dp"), bytes_of(*plain, "dp") / 8);
  EXPECT_FALSE(graph_from_parallel("dp=16,zero=3,shard=5", "", ""));
  EXPECT_FALSE(graph_from_parallel("dp=16,shard=8", "", ""));
  EXPECT_FALSE(graph_from_parallel("dp=16,zero=4", "", ""));
}

TEST(Model, SamplesLoad) {
  const auto dense = shared("samples/comm/model-dense-7b.toml");
  if (!dense) GTEST_SKIP() << "no shared samples: set TOPOLAUNCH_SHARED";
  const auto graph = graph_from_model(*dense, "dense", {});
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_EQ(graph->ranks, 512);
  const auto moe = graph_from_model(*shared("samples/comm/model-moe-given-bytes.toml"), "moe", {});
  ASSERT_TRUE(moe) << moe.error().text();
  EXPECT_EQ(moe->ranks, 64);
  EXPECT_EQ(bytes_of(*moe, "tp"), std::int64_t{25} << 29);
  const auto faulty = graph_from_model(*shared("samples/comm/model-faulty.toml"), "faulty", {});
  ASSERT_FALSE(faulty);
  for (const char* const name : {"layers", "heads", "kv_heads", "dp", "order", "GiBs"})
    EXPECT_THAT(faulty.error().text(), HasSubstr(name));
  for (const char* const file :
       {"hf-config-dense.json", "hf-config-moe.json", "hf-config-nested.json"})
    EXPECT_TRUE(graph_from_model(*shared(std::string("samples/comm/") + file), file,
                                 {"tp=4,ep=2,dp=4", "", "", 0}))
        << file;
}

}  // namespace
}  // namespace topolaunch::mapping
