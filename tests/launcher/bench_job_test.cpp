// SPDX-License-Identifier: Apache-2.0
#include "launcher/bench_job.h"

#include <gmock/gmock.h>

#include "tests/launcher/example_host.h"
#include "tests/launcher/example_plan.h"

namespace topolaunch::launcher {
namespace {

TEST(FindTopobench, RefusesANamedOneThatIsNotThere) {
  TemporaryWorld world;
  world.environment.set("TOPOLAUNCH_TOPOBENCH", "/nowhere/topobench");
  EXPECT_EQ(find_topobench(world.outside()).error().code, Code::unavailable);
}

TEST(BenchPlan, KeepsThePlacementAndTakesAnEngineWithMpi) {
  TemporaryWorld world;
  world.environment.set("TOPOLAUNCH_TOPOBENCH", "/bin/true");
  BenchWish wish;
  wish.arguments = {"-b", "8"};
  wish.json_file = "/tmp/m.json";
  const Plan plan = example_plan();
  const auto bench = bench_plan(plan, wish, world.outside());
  ASSERT_TRUE(bench) << bench.error().text();
  EXPECT_EQ(bench->engine, "mpirun");
  EXPECT_EQ(bench->ranks.size(), plan.ranks.size());
  EXPECT_EQ(bench->ranks[1].gpu_uuid, plan.ranks[1].gpu_uuid);
  EXPECT_EQ(bench->executable, "/bin/true");
  EXPECT_TRUE(bench->unheard) << "its output must not be the job's";
  EXPECT_THAT(bench->command, testing::Contains("--expect-ranks"));
  EXPECT_TRUE(bench->quiet) << "mpirun's words, where topobench has said why";
  wish.show_table = true;
  EXPECT_FALSE(bench_plan(plan, wish, world.outside())->unheard);
}

TEST(BenchPlan, LeavesTheJobsInputAlone) {
  TemporaryWorld world;
  world.environment.set("TOPOLAUNCH_TOPOBENCH", "/bin/true");
  BenchWish wish;
  EXPECT_EQ(bench_plan(example_plan(), wish, world.outside())->input, "");
  wish.input = "{}";
  EXPECT_EQ(bench_plan(example_plan(), wish, world.outside())->input, "{}");
}

TEST(ReachedBy, IsTheLastSizeOfATable) {
  EXPECT_EQ(reached_by(""), "");
  EXPECT_EQ(reached_by("# size count\n#  (B) (elements)\n"), "");
  EXPECT_EQ(reached_by("# size\n       8    2  float\n 1048576    262144     float\n     2097"),
            "up to 1 MiB");
}

TEST(BenchPlan, NcclWritesTheMachineThatItSeesUnlessTheUserWantsItElsewhere) {
  TemporaryWorld world;
  world.environment.set("TOPOLAUNCH_TOPOBENCH", "/bin/true");
  BenchWish wish;
  wish.nccl_topology = "/runs/1/nccl-topology.xml";
  const auto bench = bench_plan(example_plan(), wish, world.outside());
  ASSERT_TRUE(bench) << bench.error().text();
  EXPECT_EQ(bench->ranks.at(0).environment.at("NCCL_TOPO_DUMP_FILE"), "/runs/1/nccl-topology.xml");
  EXPECT_FALSE(bench->ranks.at(1).environment.contains("NCCL_TOPO_DUMP_FILE"));
  world.environment.set("NCCL_TOPO_DUMP_FILE", "/mine.xml");
  EXPECT_FALSE(bench_plan(example_plan(), wish, world.outside())
                   ->ranks.at(0)
                   .environment.contains("NCCL_TOPO_DUMP_FILE"));
}

}  // namespace
}  // namespace topolaunch::launcher
