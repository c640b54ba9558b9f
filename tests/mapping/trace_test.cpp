// SPDX-License-Identifier: Apache-2.0
#include "mapping/trace.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "mapping/trace_files.h"

namespace topolaunch::mapping {
namespace {

using ::testing::HasSubstr;

Result<RankGraph> read(const std::string& text) {
  return graph_from_traces(trace_kind(text), {{"t", text}});
}

const std::string kProf =
    "# POINT TO POINT\n"
    "E\t0\t1\t100 bytes\t2 msgs sent\t0,1,1\n"
    "I\t0\t2\t50 bytes\t1 msgs sent\n"
    "# COLLECTIVES\n"
    "C\t0\t1\t999 bytes\t1 msgs sent\n"
    "D\tMPI_COMM_WORLD\tprocs: 0,1,2,3\n"
    "O2A\t0\t7 bytes\t1 msgs sent\n";

TEST(Trace, MonitoringAddsUpMessagesOfAllRanks) {
  ASSERT_EQ(trace_kind(kProf), TraceKind::monitoring);
  const auto graph =
      graph_from_traces(TraceKind::monitoring,
                        {{"a.0.prof", kProf}, {"a.1.prof", "E\t1\t0\t11 bytes\t1 msgs sent\n"}});
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_EQ(graph->ranks, 4);
  ASSERT_EQ(graph->edges.size(), 2U);
  EXPECT_EQ(graph->edges[0].bytes, 111);
  EXPECT_EQ(graph->edges[1].bytes, 50);
  EXPECT_THAT(graph->origin, HasSubstr("2 of 4 ranks"));
}

TEST(Trace, MalformedMonitoringIsRefusedByLine) {
  for (const char* const bad :
       {"E\t0\t1\tmany bytes\t2 msgs sent", "E\t0\t-1\t3 bytes\t2 msgs sent",
        "X\t0\t1\t3 bytes\t2 msgs sent", "E\t0\t1\t3 bytes",
        "E\t0\t1\t9223372036854775807 bytes\t1 msgs sent", "D\tWORLD", "D\tW\tprocs: 0,x"}) {
    const auto graph = graph_from_monitoring({{"a.prof", "# c\n" + std::string(bad) + "\n"}});
    ASSERT_FALSE(graph) << bad;
    EXPECT_EQ(graph.error().code, Code::invalid_input);
    EXPECT_EQ(graph.error().line, 2) << bad;
    EXPECT_EQ(graph.error().file, "a.prof");
  }
}

std::string kineto(const std::string& groups, const std::string& events) {
  return R"({"distributedInfo": {"backend": "nccl", "rank": 1, "world_size": 8, "pg_config": [)" +
         groups + R"(]}, "traceEvents": [)" + events + "]}";
}

TEST(Trace, KinetoOfOneRankHoldsForGroupsThatLieAlike) {
  const auto graph = read(kineto(
      R"({"pg_name": "1", "pg_desc": "TENSOR_MODEL_PARALLEL_GROUP", "pg_size": 2, "ranks": [0, 1]},
         {"pg_name": "2", "pg_desc": "DATA_PARALLEL_GROUP", "pg_size": 4, "ranks": [1, 3, 5, 7]})",
      R"({"cat": "kernel", "args": {"Collective name": "allreduce", "In msg nelems": 10, "Out msg nelems": 10, "dtype": "BFloat16", "Process Group Name": "1"}},
         {"cat": "kernel", "args": {"Collective name": "_allgather_base", "In msg nelems": 10, "Out msg nelems": 40, "dtype": "Float", "Process Group Name": "2"}},
         {"cat": "kernel", "args": {"Collective name": "barrier", "In msg nelems": 1, "Out msg nelems": 1, "dtype": "Byte", "Process Group Name": "2"}},
         {"cat": "kernel", "args": {"grid": 3}})"));
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_EQ(graph->ranks, 8);
  int tp = 0, dp = 0;
  for (const auto& group : graph->groups) {
    if (group.dimension == "tp") {
      ++tp;
      EXPECT_EQ(group.bytes.count(), 20);
    }
    if (group.dimension == "dp") {
      ++dp;
      EXPECT_EQ(group.bytes.count(), 160);
    }
  }
  EXPECT_EQ(tp, 4);
  EXPECT_EQ(dp, 2);
  EXPECT_THAT(graph->origin, HasSubstr("lie alike"));
}

TEST(Trace, ChakraNodesOneBehindTheOther) {
  const std::string text =
      "{\"version\": \"0.0.4\", \"attr\": [{\"name\": \"schema\", \"stringVal\": \"1.1.0\"}]}{\n"
      "\"id\": \"1\", \"type\": \"COMM_SEND_NODE\", \"attr\": [{\"name\": \"comm_size\", "
      "\"int64Val\": \"2097152\"},"
      " {\"name\": \"comm_dst\", \"int32Val\": 4}]}\n"
      "{\"id\": \"2\", \"type\": \"COMM_COLL_NODE\", \"attr\": [{\"name\": \"comm_type\", "
      "\"int64Val\": \"0\"},"
      " {\"name\": \"comm_size\", \"int64Val\": \"8\"}, {\"name\": \"pg_name\", \"stringVal\": "
      "\"7\"}]}\n";
  const auto graph = read(text);
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_EQ(graph->ranks, 5);
  ASSERT_EQ(graph->edges.size(), 1U);
  EXPECT_EQ(graph->edges[0].bytes, 2097152);
  EXPECT_THAT(graph->origin, HasSubstr("1 collectives left out"));
  const auto cut = read(text.substr(0, text.size() - 5));
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().line, 3);
}

TEST(Trace, MalformedJsonTracesAreRefused) {
  for (const std::string& bad :
       {std::string("{\"nodes\": 3}"),
        std::string("{\"distributedInfo\": {\"rank\": 9, \"world_size\": 8}, \"traceEvents\": []}"),
        kineto(R"({"pg_name": "1", "pg_size": 3, "ranks": [0, 1]})", ""),
        kineto("",
               R"({"cat": "kernel", "args": {"Collective name": "allreduce", "dtype": "Float"}})"),
        kineto("", ""), std::string("{\"traceEvents\": [}")}) {
    const auto graph = read(bad);
    ASSERT_FALSE(graph) << bad;
    EXPECT_EQ(graph.error().code, Code::invalid_input) << bad;
  }
}

TEST(Trace, SamplesLoad) {
  const char* root = std::getenv("TOPOLAUNCH_SHARED");
  if (root == nullptr || !std::filesystem::exists(std::string(root) + "/samples/comm"))
    GTEST_SKIP() << "no shared samples: set TOPOLAUNCH_SHARED";
  const RootedFiles disk("/");
  const auto load = [&](const std::string& name) {
    const std::string path = std::string(root) + "/samples/comm/" + name;
    std::vector<TraceFile> files;
    for (const auto& one : sibling_files(path, disk))
      files.push_back({one, *disk.read(one, std::size_t{64} << 20)});
    return graph_from_traces(trace_kind(files.front().text), files);
  };
  const auto ring = load("ompi-monitoring/ring4.0.prof");
  ASSERT_TRUE(ring) << ring.error().text();
  EXPECT_EQ(ring->ranks, 4);
  EXPECT_EQ(ring->edges.front().bytes, 10536020 + 49268);  // ring4-all-bytes.mat, both ways
  const auto kineto = load("kineto-rank9-of-64.json");
  ASSERT_TRUE(kineto) << kineto.error().text();
  EXPECT_EQ(kineto->ranks, 64);
  const auto pytorch = load("pytorch-et-rank0.json");
  ASSERT_TRUE(pytorch) << pytorch.error().text();
  EXPECT_EQ(pytorch->ranks, 8);
  for (const auto& group : pytorch->groups) {
    if (group.dimension == "tp") {
      EXPECT_EQ(group.bytes.count(), 4 << 20);
    }
  }
  for (const char* const name : {"chakra-et-jsonizer.0.json", "chakra-et-workload-graph.0.json"})
    EXPECT_TRUE(load(name)) << name;
}

}  // namespace
}  // namespace topolaunch::mapping
