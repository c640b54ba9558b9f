// SPDX-License-Identifier: Apache-2.0
#include "mapping/placement_text.h"

#include <gmock/gmock.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/commands.h"
#include "tests/mapping/machines.h"
#include "mapping/parallel.h"
#include "mapping/patterns.h"
#include "mapping/solver.h"

namespace topolaunch::mapping {
namespace {

using namespace testing;
using ::testing::HasSubstr;

struct Solved {
  topo::Topology topology;
  RankGraph graph;
  Solution solution;
};

Solved solved(topo::Topology topology, RankGraph graph) {
  Constraints constraints;
  constraints.ranks = graph.ranks;
  auto solution = solve(topology, graph, constraints);
  EXPECT_TRUE(solution) << solution.error().text();
  return {std::move(topology), std::move(graph), std::move(*solution)};
}

Solved parallel_on_two_hosts() {
  return solved(leaf_spine(nvswitch_host("h", 2), 1, 2, 1), *graph_from_parallel("tp=2,dp=2", "", ""));
}

std::string text_of(const Solved& s, const std::string& format) {
  const auto text = map_text(format, s.topology, s.graph, s.solution);
  EXPECT_TRUE(text) << text.error().text();
  return text ? *text : "";
}

TEST(PlacementText, JsonHasTheContractsNames) {
  const auto s = parallel_on_two_hosts();
  const auto json = map_json(s.topology, s.graph, s.solution);
  EXPECT_EQ(json["schema"], "topolaunch.map/1");
  const auto& rank = json["placement"][3];
  EXPECT_EQ(rank["rank"], 3);
  EXPECT_EQ(rank["host"], "host1");
  EXPECT_EQ(rank["gpu"], "0000:14:00.0");
  EXPECT_EQ(rank["gpu_index"], 1);
  EXPECT_EQ(rank["local_rank"], 1);
  EXPECT_EQ(rank["numa"], 1);
  EXPECT_EQ(rank["cpus"], "16-31,48-63");
  EXPECT_EQ(rank["nics"][0], "mlx5_1");
  EXPECT_EQ(rank["coordinates"]["dp"], 1);
  for (const char* side : {"given", "solution"})
    for (const char* name : {"seconds", "hop_bytes", "bytes_by_level", "max_link"}) EXPECT_TRUE(json[side].contains(name));
  for (const char* name : {"name", "bytes", "seconds"}) EXPECT_TRUE(json["solution"]["max_link"].contains(name));
  for (const char* name : {"possible", "seconds", "why"}) EXPECT_TRUE(json["gain"].contains(name));
  EXPECT_TRUE(json["changes"].is_array());
}

TEST(PlacementText, JsonTextIsTheWholeObjectALineARank) {
  auto s = parallel_on_two_hosts();
  s.graph.origin = "odd \"placement\": [] \n name";
  Json more = Json::object();
  more["workload_options"]["parallel"] = "tp=2,dp=2";
  auto whole = map_json(s.topology, s.graph, s.solution);
  whole.update(more);
  const auto text = map_json_text(s.topology, s.graph, s.solution, more);
  EXPECT_EQ(*parse_json(text, "text"), whole);
  EXPECT_EQ(text.substr(0, 2), "{\n");
  EXPECT_THAT(text, HasSubstr("\n    {\"rank\":1,\"host\":\"host0\","));
  s.solution.placement.clear();
  EXPECT_EQ(map_json_text(s.topology, s.graph, s.solution, Json::object()), to_pretty(map_json(s.topology, s.graph, s.solution)));
}

TEST(PlacementText, JsonTextTellsSeatsOfUnequalHostsApart) {
  auto s = parallel_on_two_hosts();
  s.topology.hosts[1].name = "ho\"st";
  for (int change = 0; change < 6; ++change) {
    auto& last = s.solution.placement.back();
    auto& gpu = s.topology.hosts[1].gpus[ix(last.seat.gpu)];
    if (change == 1) gpu.uuid = "GPU-other";
    if (change == 2) gpu.pci.reset();
    if (change == 3) last.affinity.nics = {"mlx5_9", "mlx5_8"};
    if (change == 4) last.affinity.note = "no \"node\"";
    if (change == 5) last.affinity.numa.reset();
    EXPECT_EQ(*parse_json(map_json_text(s.topology, s.graph, s.solution, Json::object()), "text"), map_json(s.topology, s.graph, s.solution)) << change;
  }
}

TEST(PlacementText, FormatsSayThePlacement) {
  const auto s = parallel_on_two_hosts();
  EXPECT_EQ(text_of(s, "hostfile"), "host0\nhost0\nhost1\nhost1\n");
  EXPECT_EQ(text_of(s, "slurm"), "host0\nhost0\nhost1\nhost1\n");
  EXPECT_EQ(text_of(s, "mpich"), "0,1,\n2,3\n");
  EXPECT_THAT(text_of(s, "env"), HasSubstr("RANK=3 LOCAL_RANK=1 WORLD_SIZE=4 TOPOLAUNCH_HOST=host1"));
  EXPECT_THAT(text_of(s, "env"), HasSubstr("TOPOLAUNCH_DP_RANK=1"));
  EXPECT_THAT(text_of(s, "rankfile"), HasSubstr("rank 2=host1 slot=0-15\n"));
  EXPECT_THAT(text_of(s, "table"), HasSubstr("0000:14:00.0"));
  EXPECT_FALSE(map_text("xml", s.topology, s.graph, s.solution));
}

TEST(PlacementText, TableAndExplanationFitEightyColumns) {
  auto topology = leaf_spine(nvswitch_host("h"), 2, 4, 8);
  topology.fabric.leaf_of_host = {0, 1, 0, 1, 0, 1, 0, 1};
  const auto s = solved(topology, *graph_from_parallel("tp=8,dp=8", "", ""));
  for (const auto& text : {map_table(s.topology, s.solution), map_explanation(s.topology, s.graph, s.solution)}) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  }
  const auto explanation = map_explanation(s.topology, s.graph, s.solution);
  for (const char* part : {"given order", "solved", "time a step", "hop-bytes", "busiest link", "changed", "gain", "nccl 2.28.9"})
    EXPECT_THAT(explanation, HasSubstr(part));
}

TEST(PlacementText, RankfileNumbersAreLogicalAmongAllowedCores) {
  // Cores {0,4} {1,5} {2,6} {3,7}; core 0 is not allowed, so core 1 has number 0.
  auto host = cpu_host("c", 4);
  host.allowed_cpus = CpuSet{1, 2, 3, 5, 6, 7};
  const auto s = solved(single(host), world_allreduce(3));
  const auto text = text_of(s, "rankfile");
  EXPECT_THAT(text, HasSubstr("rank 0=c slot=0\nrank 1=c slot=1\nrank 2=c slot=2\n"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("hwthread")));
}

TEST(PlacementText, RankfileOfHalfCoresSaysTheOptionItNeeds) {
  const auto s = solved(single(cpu_host("c", 2)), world_allreduce(4));
  EXPECT_THAT(text_of(s, "rankfile"), HasSubstr("--use-hwthread-cpus"));
}

// Read back by the real mpirun: two ranks, each asked where it may run.
TEST(PlacementText, MpirunBindsAsTheRankfileSays) {
  const SystemCommands commands;
  const auto version = commands.run({"mpirun.openmpi", "--version"}, Seconds(10));
  if (!version || (version->out.find("Open MPI) 4.") == std::string::npos &&
                   version->out.find("OpenRTE) 4.") == std::string::npos)) GTEST_SKIP() << "no Open MPI 4 here";
  // This machine's allowed CPUs and cores, as the kernel tells them.
  cpu_set_t mask;
  CPU_ZERO(&mask);
  sched_getaffinity(0, sizeof mask, &mask);
  topo::Host host;
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  host.name = name;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &mask)) host.cpus.add(cpu);
  host.allowed_cpus = host.cpus;
  CpuSet seen;
  for (const int cpu : host.cpus.to_vector()) {
    if (seen.contains(cpu)) continue;
    std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
    std::string list;
    std::getline(file, list);
    const auto siblings = CpuSet::from_list(list);
    host.smt.push_back(siblings && !siblings->empty() ? siblings->to_vector() : std::vector<int>{cpu});
    for (const int sibling : host.smt.back()) seen.add(sibling);
  }
  if (host.cpus.size() < 2) GTEST_SKIP() << "one CPU only";
  // Ranks in the reverse order of the cores, so that the file and not the default decides.
  auto s = solved(single(host), world_allreduce(2));
  std::swap(s.solution.placement[0].affinity, s.solution.placement[1].affinity);
  const auto path = std::filesystem::temp_directory_path() / fmt::format("topolaunch-rankfile-{}", getpid());
  std::ofstream(path) << text_of(s, "rankfile");
  std::vector<std::string> argv = {"mpirun.openmpi", "--mca", "orte_tmpdir_base", path.string() + ".session", "--allow-run-as-root", "--oversubscribe", "-n", "2", "--rankfile", path.string()};
  if (text_of(s, "rankfile").find("hwthread-cpus") != std::string::npos) argv.insert(argv.begin() + 1, "--use-hwthread-cpus");
  for (const char* word : {"sh", "-c", "echo $OMPI_COMM_WORLD_RANK $(taskset -cp $$ | sed 's/.*: //')"}) argv.push_back(word);
  const auto run = commands.run(argv, Seconds(60));
  std::filesystem::remove(path);
  std::filesystem::remove_all(path.string() + ".session");
  ASSERT_TRUE(run) << run.error().text();
  ASSERT_EQ(run->status, 0) << run->err;
  for (int r = 0; r < 2; ++r)
    EXPECT_THAT(run->out, HasSubstr(fmt::format("{} {}\n", r, s.solution.placement[ix(r)].affinity.cpus.to_list())));
}

}  // namespace
}  // namespace topolaunch::mapping
