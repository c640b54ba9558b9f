// SPDX-License-Identifier: Apache-2.0
#include "base/rank_tag.h"

#include <gtest/gtest.h>

namespace topolaunch {
namespace {

TEST(RankTag, IsTakenAwayHoweverItIsWritten) {
  EXPECT_EQ(without_rank_tag("0: # nThread 1"), "# nThread 1");
  EXPECT_EQ(without_rank_tag(" 12:   8 2 float"), "  8 2 float");
  EXPECT_EQ(without_rank_tag("3:"), "");
  EXPECT_EQ(without_rank_tag("[1,0]<stdout>:# nThread"), "# nThread");
  EXPECT_EQ(without_rank_tag("[prterun-n1-77@1,10]<stderr>: n1: failure"), "n1: failure");
  EXPECT_EQ(without_rank_tag("[7] # nThread"), "# nThread");
  EXPECT_EQ(without_rank_tag("[rank12]: # nThread"), "# nThread");
  EXPECT_EQ(without_rank_tag("[default0]:   8 2"), "  8 2");
  EXPECT_EQ(without_rank_tag("launcher-0 | # nThread"), "# nThread");
  EXPECT_EQ(without_rank_tag("2026-01-05T09:31:02.123456Z # nThread"), "# nThread");
  EXPECT_EQ(without_rank_tag("2026-01-05T09:31:02+01:00 [rank0]: # nThread"), "# nThread");
  EXPECT_EQ(without_rank_tag("| 0 | 1 | 2 |"), "| 0 | 1 | 2 |");
  EXPECT_EQ(without_rank_tag("8 | 2"), "8 | 2");
}

TEST(RankTag, LinesWithoutOneStayAsTheyAre) {
  for (const char* const line : {"", "  1024   256   float", "n1:77:78 [0] NCCL INFO x", "[0", "[]",
                                 "[a] b", "7:8 c", "# Rank  0 on n1 [0000:18:00] H100"}) {
    EXPECT_EQ(without_rank_tag(line), line);
  }
}

}  // namespace
}  // namespace topolaunch
