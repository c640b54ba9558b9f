// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/order_trial.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/bench/topobench/mpirun.h"

namespace topolaunch::bench {
namespace {

using testing::HasSubstr;

std::string fault(const std::string& text, int processes = 4) {
  const auto trial = order_trial_from_json(*parse_json(text, "t"), processes);
  return trial ? "taken" : trial.error().message;
}

TEST(OrderTrial, RefusesOrdersAndGroupsThatAreNone) {
  const std::string phases = R"(, "phases": [{"collective": "allreduce", "groups": [[0, 1]]}]})";
  EXPECT_EQ(fault(R"({"orders": [[0, 1], [2, 3]])" + phases), "taken");
  const std::string not_once = "does not name each of its processes once";
  EXPECT_THAT(fault(R"({"orders": [[0, 1], [2, 2]])" + phases), HasSubstr(not_once));
  EXPECT_THAT(fault(R"({"orders": [[0, 4]])" + phases), HasSubstr(not_once));
  EXPECT_THAT(fault(R"({"orders": [[0, 1], [0, 1, 2]])" + phases), HasSubstr(not_once));
  EXPECT_THAT(fault(R"({"orders": []})"), HasSubstr("phases"));
  EXPECT_THAT(fault(R"({"orders": [[0, 1]], "phases": [{"collective": "dance"}]})"),
              HasSubstr("no collective 'dance'"));
  EXPECT_THAT(fault(R"({"orders": [[0, 1]], "phases": [{"collective": "ring", "groups": [[0, 2]]}]})"),
              HasSubstr("in two groups of a phase, or is none"));
  EXPECT_THAT(fault(R"({"orders": [[0, 1]], "phases": [{"collective": "pairs", "pairs": [[0, 0, 8]]}]})"),
              HasSubstr("a pair that is none"));
  EXPECT_THAT(fault(R"({"orders": [[0, 1]], "phases": [{"collective": "ring", "bytes": 1073741825}]})"),
              HasSubstr("more than 1 GiB"));
  EXPECT_THAT(fault(R"({"orders": [[0, 1]], "phases": [{"collective": "pairs",
                        "pairs": [[0, 1, 1073741824], [1, 0, 1]]}]})"),
              HasSubstr("more than 1 GiB"));
}

TEST(OrderTrial, TimesEveryCollectiveInEveryOrder) {
  NEEDS_MPIRUN();
  std::string phases;
  for (const char* const name : {"allreduce", "allgather", "reduce_scatter", "alltoall", "broadcast",
                                 "path", "ring"}) {
    phases += std::string(R"({"collective": ")") + name +
              R"(", "bytes": 4096, "groups": [[0, 1], [2]]}, )";
  }
  phases += R"({"collective": "pairs", "pairs": [[0, 2, 4096], [1, 2, 64]]})";
  // Four processes for three ranks: one sits out of each order.
  const auto run = mpirun(4, "bench/topobench",
                          {"__orders", R"({"orders": [[0, 1, 2], [3, 2, 1]], "seconds": 0.2, )"
                                       R"("most_rounds": 5, "phases": [)" + phases + "]}"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = parse_json(run.out, "out");
  ASSERT_TRUE(json) << run.out;
  EXPECT_EQ((*json)["schema"], "topobench.orders/1");
  const auto seconds = (*json)["seconds"].get<std::vector<std::vector<double>>>();
  ASSERT_EQ(seconds.size(), 2U);
  EXPECT_GE(seconds[0].size(), 1U);
  EXPECT_LE(seconds[0].size(), 5U);
  EXPECT_EQ(seconds[0].size(), seconds[1].size());
  for (const auto& order : seconds) EXPECT_THAT(order, testing::Each(testing::Gt(0)));
}

TEST(OrderTrial, EndsWithTheReasonForABadOne) {
  NEEDS_MPIRUN();
  const auto run = mpirun(1, "bench/topobench", {"__orders", R"({"orders": [[0, 1]], "phases": []})"});
  EXPECT_EQ(run.status, 64);
  EXPECT_THAT(run.err, HasSubstr("order trial: an order that does not name"));
}

}  // namespace
}  // namespace topolaunch::bench
