// SPDX-License-Identifier: Apache-2.0
#include "topo/lint/rank_command.h"

#include <gtest/gtest.h>

namespace topolaunch::topo {
namespace {

TEST(RankCommand, FindsTorchrunsRanks) {
  EXPECT_EQ(
      rank_command("srun /opt/bin/torchrun --nproc_per_node=8 --nnodes 2 a.py").ranks_per_host, 8);
  EXPECT_EQ(rank_command("python -m torch.distributed.run --nproc-per-node 4 a.py").ranks_per_host,
            4);
  EXPECT_EQ(rank_command("torchrun a.py").ranks_per_host, 1);
  EXPECT_FALSE(rank_command("torchrun --nproc-per-node=gpu a.py").ranks_per_host);
  EXPECT_FALSE(rank_command("torchrun --nproc-per-node=$N a.py").ranks_per_host);
  EXPECT_FALSE(rank_command("python torchrunner.py").torchrun);
}

TEST(RankCommand, FindsAnOptionInEitherForm) {
  EXPECT_EQ(option_of("a --x=1 --y \"2\"", "--y"), "2");
  EXPECT_EQ(option_of("a --x=1", "--x"), "1");
  EXPECT_FALSE(option_of("a --x", "--x"));
  EXPECT_FALSE(option_of("a --xx=1", "--x"));
}

}  // namespace
}  // namespace topolaunch::topo
