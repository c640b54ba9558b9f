// SPDX-License-Identifier: Apache-2.0
#include "mapping/megatron_arguments.h"

#include <gmock/gmock.h>

#include "mapping/model.h"

namespace topolaunch::mapping {
namespace {

using ::testing::HasSubstr;

constexpr const char* kShape =
    "--num-layers 8 --hidden-size 1024 --num-attention-heads 16 --seq-length 512 --vocab-size 1000 "
    "--micro-batch-size 1 --global-batch-size 16 --bf16 ";

const Group* group_of(const Result<RankGraph>& graph, const std::string& dimension) {
  EXPECT_TRUE(graph) << graph.error().text();
  if (graph)
    for (const auto& group : graph->groups)
      if (group.dimension == dimension) return &group;
  return nullptr;
}

std::int64_t bytes(const std::string& arguments, const std::string& dimension, int ranks = 8) {
  const auto graph = graph_from_model(kShape + arguments, "run.sh", {"", "", "", ranks});
  const auto* group = group_of(graph, dimension);
  return group != nullptr ? group->bytes.count() : -1;
}

TEST(MegatronArguments, StagesSendWholeActivationsWithoutSequenceParallelism) {
  const std::string sizes = "--tensor-model-parallel-size 4 --pipeline-model-parallel-size 2 ";
  // 16 micro-batches of 512 x 1024 bf16, forward and backward.
  EXPECT_EQ(bytes(sizes, "pp"), 2 * 16 * 512 * 1024 * 2);
  EXPECT_EQ(bytes(sizes + "--sequence-parallel", "pp"), 2 * 16 * 512 * 1024 * 2 / 4);
}

TEST(MegatronArguments, ExpertTensorParallelismCutsTheExpertsGradients) {
  const std::string experts =
      "--tensor-model-parallel-size 2 --num-experts 4 --expert-model-parallel-size 2 ";
  EXPECT_EQ(bytes(experts + "--expert-tensor-parallel-size 1", "edp"), 2 * bytes(experts, "edp"));
}

TEST(MegatronArguments, LayersOfAVirtualStageMakeAnInterleavedPipeline) {
  const std::string sizes = "--pipeline-model-parallel-size 2 ";
  for (const char* virtual_stages :
       {"--num-layers-per-virtual-pipeline-stage 1", "--num-virtual-stages-per-pipeline-rank 4"}) {
    const auto graph = graph_from_model(kShape + sizes + virtual_stages, "run.sh", {"", "", "", 2});
    const auto* pp = group_of(graph, "pp");
    ASSERT_NE(pp, nullptr);
    EXPECT_EQ(pp->bytes.count(), 4 * bytes(sizes, "pp", 2)) << virtual_stages;
    EXPECT_EQ(pp->wrap.count(), 3 * bytes(sizes, "pp", 2)) << virtual_stages;
  }
}

TEST(MegatronArguments, GradientsHaveTheTypeThatIsReduced) {
  EXPECT_EQ(bytes("--grad-reduce-in-bf16", "dp") * 2, bytes("", "dp"));
  const std::string half =
      "--num-layers 8 --hidden-size 1024 --num-attention-heads 16 --seq-length 512 --vocab-size "
      "1000 --fp16 ";
  const auto dp = [&](const std::string& more) {
    return group_of(graph_from_model(half + more, "run.sh", {"", "", "", 8}), "dp")->bytes.count();
  };
  EXPECT_EQ(dp("") * 2, dp("--accumulate-allreduce-grads-in-fp32"));
}

TEST(MegatronArguments, FollowsTheScriptsOwnVariables) {
  const auto graph = graph_from_model(
      "TP=4; export PP=${PP:-2}\nLAYERS=\"8\"\n"
      "torchrun pretrain.py --num-layers ${LAYERS} --hidden-size 1024 --num-attention-heads 16 "
      "--seq-length 512 \\\n"
      "  --tensor-model-parallel-size $TP --pipeline-model-parallel-size=$PP --sequence-parallel\n",
      "run.sh", {"", "", "", 16});
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_EQ(group_of(graph, "tp")->members.size(), 4U);
  EXPECT_EQ(group_of(graph, "pp")->members.size(), 2U);
  const auto unset =
      graph_from_model("\n--num-layers 8 --hidden-size $HIDDEN\n", "run.sh", {"tp=2", "", "", 0});
  ASSERT_FALSE(unset);
  EXPECT_THAT(unset.error().text(),
              HasSubstr("--hidden-size is $HIDDEN, which the file does not set"));
  EXPECT_EQ(unset.error().line, 2);
}

TEST(MegatronArguments, AListSaysWhichLayersHaveExperts) {
  const std::string experts = "--num-experts 4 --expert-model-parallel-size 2 ";
  EXPECT_EQ(bytes(experts + "--moe-layer-freq 2", "edp"),
            bytes(experts + "--moe-layer-freq ([0]*4+[1]*4)", "edp"));
  EXPECT_EQ(bytes(experts, "edp"),
            8 * bytes(experts + "--moe-layer-freq '[0,0,0,1,0,0,0,0]'", "edp"));
  EXPECT_FALSE(
      graph_from_model(kShape + experts + "--moe-layer-freq [0]x4", "run.sh", {"", "", "", 8}));
}

}  // namespace
}  // namespace topolaunch::mapping
