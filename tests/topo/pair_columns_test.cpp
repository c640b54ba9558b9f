// SPDX-License-Identifier: Apache-2.0
#include "topo/pair_columns.h"

#include <gmock/gmock.h>

#include "topo/pair_csv.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

Error refused(const std::string& text) {
  const auto facts = facts_from_pair_csv(text, "p.csv");
  return facts ? Error{} : facts.error();
}

TEST(PairColumns, AreFoundByTheirHeadings) {
  const auto columns =
      pair_columns({"test", "dst", "bytes", "src", "peak_busbw_GBs", "avg_busbw_GBs"});
  EXPECT_TRUE(columns.ends());
  EXPECT_EQ(columns.from, 3);
  EXPECT_EQ(columns.to, 1);
  EXPECT_EQ(columns.value, 5);
  EXPECT_TRUE(pair_columns({"from", "to", "foo/s"}).ends());
  EXPECT_FALSE(pair_columns({"hosts", "a", "b"}).ends());
}

TEST(PairColumns, UnitsThatAreNoneAreRefusedWithTheLineAndThoseThatAre) {
  for (const char* corner : {"foo/s", "ticks", "furlongs", "kByte"}) {
    const auto error = refused("# c\n" + std::string(corner) + ",a,b\na,0,1\nb,1,0\n");
    EXPECT_EQ(error.code, Code::invalid_input);
    EXPECT_EQ(error.message, "'" + std::string(corner) + "' is no unit that is known");
    EXPECT_EQ(error.line, 2);
    EXPECT_THAT(error.next, HasSubstr("GB/s"));
  }
  const auto rows = refused("src,dst,foo/s\na,b,1\n");
  EXPECT_EQ(rows.message, "none of the columns src, dst, foo/s is in a unit that is known");
  EXPECT_EQ(rows.line, 1);
  EXPECT_THAT(rows.next, HasSubstr("GB/s"));
  EXPECT_TRUE(looks_like_pair_csv("src,dst,foo/s\na,b,1\n"));
}

TEST(PairColumns, AMatrixMayNameItsHostsInPlaceOfAUnit) {
  for (const char* corner : {"", "host", "from/to", "src \\ dst", "Node name", "-"}) {
    const auto unit = matrix_unit(corner);
    ASSERT_TRUE(unit) << corner;
    EXPECT_EQ(unit->of, PairFact::Of::distance) << corner;
  }
}

}  // namespace
}  // namespace topolaunch::topo
