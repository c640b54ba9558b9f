// SPDX-License-Identifier: Apache-2.0
#include "mapping/parallel.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "mapping/index.h"

namespace topolaunch::mapping {
namespace {

using Lists = std::vector<std::vector<int>>;

Lists groups_named(const RankGraph& graph, const std::string& name) {
  Lists lists;
  for (const auto& group : graph.groups)
    if (group.dimension == name) lists.push_back(group.members);
  return lists;
}

// The definition, written the slow way: a group is every set of ranks that agree on all coordinates that
// the token does not name; coordinates are digits of the rank, leftmost name of the order first.
Lists by_definition(const ParallelSizes& sizes, const std::string& order, const std::string& token) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= order.size();) {
    const auto end = std::min(order.find('-', at), order.size());
    names.push_back(order.substr(at, end - at));
    at = end + 1;
  }
  int world = 1;
  for (const auto& name : names) world *= sizes.size_of(name);
  const auto digit = [&](int rank, const std::string& name) {
    for (const auto& other : names) {
      if (other == name) return rank % sizes.size_of(name);
      rank /= sizes.size_of(other);
    }
    return 0;
  };
  const std::string padded = "-" + token + "-";
  // Outer coordinates, the leftmost fastest, give the order of the groups; ranks ascend inside one, which is
  // the leftmost-fastest order of the inner coordinates.
  std::map<std::vector<int>, std::vector<int>> found;
  for (int rank = 0; rank < world; ++rank) {
    std::vector<int> key;
    for (auto name = names.rbegin(); name != names.rend(); ++name)
      if (padded.find("-" + *name + "-") == std::string::npos) key.push_back(digit(rank, *name));
    found[key].push_back(rank);
  }
  Lists lists;
  for (auto& [key, members] : found) lists.push_back(members);
  return lists;
}

TEST(Parallel, MakesMegatronsGroupsOfEightRanks) {
  const auto graph = graph_from_parallel("tp=2,pp=2,dp=2", "", "");
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_EQ(graph->ranks, 8);
  EXPECT_EQ(groups_named(*graph, "tp"), (Lists{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(groups_named(*graph, "dp"), (Lists{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(groups_named(*graph, "pp"), (Lists{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
}

// The example in the comment of megatron/core/parallel_state.py: 16 GPUs, tensor 2, pipeline 4, with the
// older order tp-pp-dp's counterpart tp-cp-ep-dp-pp: data groups {0,2} {1,3} ..., pipeline {0,4,8,12} ...
TEST(Parallel, MakesTheSixteenRankExampleOfMegatron) {
  const auto graph = graph_from_parallel("tp=2,pp=4,dp=2", "", "");
  ASSERT_TRUE(graph);
  EXPECT_EQ(groups_named(*graph, "dp"),
            (Lists{{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {12, 14}, {13, 15}}));
  EXPECT_EQ(groups_named(*graph, "pp"), (Lists{{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}}));
}

TEST(Parallel, AgreesWithTheDefinitionForEveryOrderAndToken) {
  ParallelSizes sizes;
  sizes.tp = 2, sizes.cp = 3, sizes.dp = 2, sizes.pp = 3;
  std::vector<std::string> names = {"cp", "dp", "ep", "pp", "tp"};
  do {
    std::string order = names[0];
    for (std::size_t i = 1; i < names.size(); ++i) order += "-" + names[i];
    for (const std::string token : {"tp", "cp", "dp", "pp", "dp-cp", "tp-pp", "tp-dp-cp", "tp-cp"})
      ASSERT_EQ(rank_groups(sizes, order, token), by_definition(sizes, order, token)) << order << " " << token;
  } while (std::next_permutation(names.begin(), names.end()));
}

TEST(Parallel, TheLeftmostNameOfTheOrderVariesFastest) {
  const auto graph = graph_from_parallel("tp=2,pp=2,dp=2", "tp-cp-ep-pp-dp", "");
  ASSERT_TRUE(graph);
  EXPECT_EQ(groups_named(*graph, "pp"), (Lists{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(groups_named(*graph, "dp"), (Lists{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
}

TEST(Parallel, ReducesGradientsOverDataAndContextTogether) {
  const auto graph = graph_from_parallel("tp=2,cp=2,dp=2", "", "");
  ASSERT_TRUE(graph);
  EXPECT_EQ(groups_named(*graph, "cp"), (Lists{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(groups_named(*graph, "dp"), (Lists{{0, 2, 4, 6}, {1, 3, 5, 7}}));
}

TEST(Parallel, ExpertsHaveTheirOwnDataGroups) {
  const auto graph = graph_from_parallel("ep=4,dp=8,pp=2", "", "");
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_EQ(graph->ranks, 16);
  EXPECT_EQ(groups_named(*graph, "ep"), (Lists{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}}));
  EXPECT_EQ(groups_named(*graph, "edp"),
            (Lists{{0, 4}, {1, 5}, {2, 6}, {3, 7}, {8, 12}, {9, 13}, {10, 14}, {11, 15}}));
  EXPECT_EQ(groups_named(*graph, "pp"),
            (Lists{{0, 8}, {1, 9}, {2, 10}, {3, 11}, {4, 12}, {5, 13}, {6, 14}, {7, 15}}));
}

TEST(Parallel, CoordinatesRebuildTheRank) {
  const auto graph = graph_from_parallel("tp=2,cp=2,dp=3,pp=2", "tp-dp-cp-ep-pp", "");
  ASSERT_TRUE(graph);
  for (int rank = 0; rank < graph->ranks; ++rank) {
    int sum = 0;
    for (const auto& dimension : graph->dimensions) sum += coordinate(dimension, rank) * dimension.stride;
    EXPECT_EQ(sum, rank);
  }
}

TEST(Parallel, FindsDataParallelFromTheNumberOfRanks) {
  const auto graph = graph_from_parallel("tp=4,pp=2", "", "", 64);
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->ranks, 64);
  EXPECT_EQ(groups_named(*graph, "dp").front().size(), 8U);
}

TEST(Parallel, DefaultBytesAreThoseOfTheStatedModel) {
  const auto graph = graph_from_parallel("tp=8,pp=8,dp=64", "", "");
  ASSERT_TRUE(graph);
  std::map<std::string, double> sent;  // MiB a rank sends per step
  for (const auto& group : graph->groups) {
    const double n = count_of(group.members);
    const double bytes = static_cast<double>(group.bytes.count());
    sent[group.dimension] = (group.collective == Collective::path ? bytes : 2 * (n - 1) / n * bytes) / (1 << 20);
  }
  EXPECT_NEAR(sent["tp"], 120960, 1);
  EXPECT_NEAR(sent["dp"], 15402, 1);
  EXPECT_NEAR(sent["pp"], 288, 1);
}

TEST(Parallel, TakesBytesAsGiven) {
  const auto graph = graph_from_parallel("tp=2,dp=2", "", "tp=1GiB");
  ASSERT_TRUE(graph);
  for (const auto& group : graph->groups) {
    EXPECT_EQ(group.bytes == Bytes::gib(1), group.dimension == "tp");
  }
}

TEST(Parallel, RefusesWhatIsNoLayout) {
  const struct {
    const char *spec, *order, *bytes;
    int ranks;
    const char* says;
  } rows[] = {
      {"tp=0", "", "", 0, "tp=0"},
      {"tp=2,tp=2", "", "", 0, "twice"},
      {"xp=2", "", "", 0, "no dimension 'xp'"},
      {"tp", "", "", 0, "NAME=VALUE"},
      {"tp=2,dp=2", "tp-dp-tp", "", 0, "twice"},
      {"tp=2,pp=2", "tp-dp", "", 0, "lacks pp"},
      {"tp=3", "", "", 8, "no multiple"},
      {"tp=2,dp=2", "", "", 8, "4 ranks, not 8"},
      {"ep=3,dp=4", "", "", 0, "does not divide"},
      {"ep=2,dp=4,pp=2", "tp-cp-ep-pp-dp", "", 0, "must equal dp"},
      {"tp=2,dp=2", "", "zp=4", 0, "no dimension 'zp'"},
      {"tp=2,dp=2", "", "tp=much", 0, "--bytes"},
      {"tp=16777216,dp=2", "", "", 0, "more than"},
      {"tp=99999999999999999999", "", "", 0, "not a size"},
      {"tp=16777216,cp=16777216,pp=16777216", "", "", 0, "more than"},
  };
  for (const auto& row : rows) {
    const auto graph = graph_from_parallel(row.spec, row.order, row.bytes, row.ranks);
    ASSERT_FALSE(graph) << row.spec;
    EXPECT_EQ(graph.error().code, Code::wrong_usage) << row.spec;
    EXPECT_THAT(graph.error().message, ::testing::HasSubstr(row.says)) << row.spec;
  }
}

TEST(Parallel, NamesOfTheFieldAreToldOurs) {
  const std::pair<const char*, const char*> rows[] = {
      {"fsdp=16", "dp=N,zero=3"}, {"hsdp=16", "shard=K"}, {"tp=2,sp=2", "leave it out"}, {"vpp=2", "virtual_stages"},
      {"tensor=2", "tp=N"},       {"DDP=2", "dp=N"},      {"xp=2", "known: tp cp ep dp pp"}};
  for (const auto& [spec, next] : rows) {
    const auto graph = graph_from_parallel(spec, "", "");
    ASSERT_FALSE(graph) << spec;
    EXPECT_THAT(graph.error().next, ::testing::HasSubstr(next)) << spec;
  }
  EXPECT_TRUE(graph_from_parallel("tp2pp2dp2", "TP,PP,DP", "tp=1M dp=2M"));
}

TEST(Parallel, EveryRankIsInOneGroupOfEachDimension) {
  for (const char* spec : {"tp=4,cp=2,dp=6,pp=3", "tp=2,ep=6,dp=12,pp=2", "tp=4,etp=1,ep=8,dp=8"}) {
    const auto graph = graph_from_parallel(spec, "", "");
    ASSERT_TRUE(graph) << spec << graph.error().text();
    std::map<std::string, std::multiset<int>> seen;
    for (const auto& group : graph->groups) seen[group.dimension].insert(group.members.begin(), group.members.end());
    for (const auto& [name, ranks] : seen) {
      EXPECT_EQ(count_of(ranks), graph->ranks) << spec << " " << name;
      EXPECT_EQ(count_of(std::set<int>(ranks.begin(), ranks.end())), graph->ranks) << spec << " " << name;
    }
  }
}

}  // namespace
}  // namespace topolaunch::mapping
