// SPDX-License-Identifier: Apache-2.0
#include "bench/nccl_row.h"

#include <gtest/gtest.h>

#include <tuple>

namespace topolaunch::bench {
namespace {

std::optional<SizeResult> row(const std::string& line) { return row_of(words_of(line)); }

TEST(NcclRow, HasAsManyColumnsAsItsReleaseAndCollective) {
  const std::string figures = " 9.0 2.0 3.0 0 9.5 4.0 5.0 N/A";
  for (const auto& [front, redop, root] :
       {std::tuple("32 1 float", "none", -1), std::tuple("32 1 float sum", "sum", -1),
        std::tuple("32 1 float 3", "none", 3), std::tuple("32 1 float sum 3", "sum", 3),
        std::tuple("32 1 float none -1", "none", -1)}) {
    const auto r = row(front + figures);
    ASSERT_TRUE(r) << front;
    EXPECT_EQ(r->redop, redop) << front;
    EXPECT_EQ(r->root, root) << front;
    EXPECT_DOUBLE_EQ(r->out_of_place.busbw, 3e9) << front;
    EXPECT_DOUBLE_EQ(r->in_place.busbw, 5e9) << front;
    EXPECT_EQ(r->in_place.wrong, -1) << front;
  }
  // The time of day behind it, where that was asked for.
  EXPECT_DOUBLE_EQ(row("32 1 float sum -1" + figures + " 2026-11-30 23:59:59")->in_place.busbw,
                   5e9);
}

TEST(NcclRow, IsRefusedWhereAColumnIsMissingOrAWord) {
  EXPECT_FALSE(row("32 1 float 9.0 2.0 3.0 0 9.5 4.0 5.0"));
  EXPECT_FALSE(row("32 1 float sum -1 fast 2.0 3.0 0 9.5 4.0 5.0 0"));
  EXPECT_FALSE(row("float 32 1 9.0 2.0 3.0 0 9.5 4.0 5.0 0"));
  EXPECT_FALSE(begins_row(words_of("32 1")));
  EXPECT_TRUE(continues_row(words_of("9.0 2.0 N/A")));
  EXPECT_FALSE(continues_row(words_of("9.0 two")));
}

TEST(NcclRow, EndsWhereAProcessOfTheRunWroteAMessage) {
  Device device;
  device.host = "3f";
  device.pid = 77;
  EXPECT_EQ(before_message("  -13f:77:78 [0] NCCL INFO x", {device}), "  -1");
  EXPECT_EQ(before_message("3f:77:78 [0] NCCL INFO x", {device}), "");
  EXPECT_EQ(before_message("  1 2 float", {device}), "  1 2 float");
  EXPECT_EQ(before_message("other:7:8 [0] NCCL INFO x", {device}), "other:7:8 [0] NCCL INFO x");
}

}  // namespace
}  // namespace topolaunch::bench
