// SPDX-License-Identifier: Apache-2.0
#include "launcher/rank_environment.h"

#include <gmock/gmock.h>

namespace topolaunch::launcher {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::Pair;

RankPlan rank_one() {
  RankPlan rank;
  rank.rank = 5;
  rank.local_rank = 1;
  rank.group_rank = 1;
  rank.host = "box";
  rank.gpu_index = 3;
  rank.gpu_pci = "0000:13:00.0";
  rank.gpu_uuid = "GPU-3";
  rank.numa = 1;
  rank.cpus = CpuSet{4, 5};
  rank.nics = {"mlx5_0", "mlx5_1"};
  return rank;
}

RankSurroundings around() {
  RankSurroundings s;
  s.run_id = "id";
  s.world_size = 8;
  s.local_world_size = 4;
  s.group_world_size = 2;
  s.master_address = "10.0.0.1";
  s.master_port = 29500;
  return s;
}

TEST(RankEnvironment, IsWhatTorchrunSets) {
  const auto env = rank_environment(rank_one(), around(), {});
  const std::map<std::string, std::string> torchrun{
      {"RANK", "5"},
      {"LOCAL_RANK", "1"},
      {"WORLD_SIZE", "8"},
      {"LOCAL_WORLD_SIZE", "4"},
      {"GROUP_RANK", "1"},
      {"GROUP_WORLD_SIZE", "2"},
      {"ROLE_NAME", "default"},
      {"ROLE_RANK", "5"},
      {"ROLE_WORLD_SIZE", "8"},
      {"MASTER_ADDR", "10.0.0.1"},
      {"MASTER_PORT", "29500"},
      {"TORCHELASTIC_RESTART_COUNT", "0"},
      {"TORCHELASTIC_MAX_RESTARTS", "0"},
      {"TORCHELASTIC_RUN_ID", "id"},
      {"TORCHELASTIC_USE_AGENT_STORE", "False"},
      {"TORCH_NCCL_ASYNC_ERROR_HANDLING", "1"},
      {"NODE_RANK", "1"}};
  for (const auto& pair : torchrun) EXPECT_THAT(env, Contains(pair));
  for (const auto& [name, value] : env) {
    EXPECT_TRUE(torchrun.contains(name) || name.starts_with("TOPOLAUNCH_")) << name;
  }
}

TEST(RankEnvironment, TellsTheRankItsPlace) {
  RankSurroundings s = around();
  s.leaf = "leaf2";
  s.coordinates = {{"tp_rank", 1}, {"dp_size", 4}};
  const auto env = rank_environment(rank_one(), s, {});
  EXPECT_THAT(env, Contains(Pair("TOPOLAUNCH_HOST", "box")));
  EXPECT_THAT(env, Contains(Pair("TOPOLAUNCH_GPU", "0000:13:00.0")));
  EXPECT_THAT(env, Contains(Pair("TOPOLAUNCH_GPU_UUID", "GPU-3")));
  EXPECT_THAT(env, Contains(Pair("TOPOLAUNCH_NUMA", "1")));
  EXPECT_THAT(env, Contains(Pair("TOPOLAUNCH_CPUS", "4-5")));
  EXPECT_THAT(env, Contains(Pair("TOPOLAUNCH_NICS", "mlx5_0,mlx5_1")));
  EXPECT_THAT(env, Contains(Pair("TOPOLAUNCH_LEAF", "leaf2")));
  EXPECT_THAT(env, Contains(Pair("TOPOLAUNCH_TP_RANK", "1")));
  EXPECT_THAT(env, Contains(Pair("TOPOLAUNCH_DP_SIZE", "4")));
}

TEST(RankEnvironment, LeavesThreadsToTheUserWhoSetThem) {
  RankSurroundings s = around();
  s.threads = 4;
  EXPECT_THAT(rank_environment(rank_one(), s, {}), Contains(Pair("OMP_NUM_THREADS", "4")));
  EXPECT_THAT(rank_environment(rank_one(), s, {{"OMP_NUM_THREADS", "2"}}),
              Not(Contains(Key("OMP_NUM_THREADS"))));
}

TEST(RankEnvironment, SetsTheDeviceOrderOnlyForNumbers) {
  RankSurroundings s = around();
  s.has_devices = true;
  s.visible_devices = "GPU-3,GPU-1";
  EXPECT_THAT(rank_environment(rank_one(), s, {}), Not(Contains(Key("CUDA_DEVICE_ORDER"))));
  s.visible_devices = "3,1";
  s.pci_order = true;
  const auto env = rank_environment(rank_one(), s, {});
  EXPECT_THAT(env, Contains(Pair("CUDA_DEVICE_ORDER", "PCI_BUS_ID")));
  EXPECT_THAT(env, Contains(Pair("CUDA_VISIBLE_DEVICES", "3,1")));
}

TEST(ReplacedVariables, NameWhatAStaleLauncherLeft) {
  EXPECT_THAT(replaced_variables({{"RANK", "1"}, {"WORLD_SIZE", "2"}},
                                 {{"RANK", "7"}, {"WORLD_SIZE", "2"}}),
              ElementsAre("RANK=7"));
}

TEST(WithheldVariables, AreSecretsAndStalePlaces) {
  EXPECT_THAT(withheld_variables({{"TOPOLAUNCH_QUOTA_TOKEN_FILE", "/t"},
                                  {"TOPOLAUNCH_LEDGER", "postgresql://u:p@h/"},
                                  {"TOPOLAUNCH_TP_RANK", "1"},
                                  {"TOPOLAUNCH_STATE_DIR", "/s"},
                                  {"PATH", "/bin"}}),
              ElementsAre("TOPOLAUNCH_LEDGER", "TOPOLAUNCH_QUOTA_TOKEN_FILE",
                          "TOPOLAUNCH_TP_RANK"));
  EXPECT_THAT(withheld_variables({}), IsEmpty());
}

}  // namespace
}  // namespace topolaunch::launcher
