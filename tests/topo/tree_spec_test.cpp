// SPDX-License-Identifier: Apache-2.0
#include "topo/tree_spec.h"

#include <gmock/gmock.h>

#include "tests/topo/facts.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

Topology built(std::string_view text, const std::vector<double>& distances = {}) {
  Survey survey;
  survey.facts = tree_facts(*parse_tree(text, distances));
  return *assemble(std::move(survey));
}

TEST(TreeSpec, MakesSeatsSlotsOfHostsBelowLeaves) {
  const auto topology = built("8:32:16", {1, 10, 100});
  EXPECT_EQ(topology.hosts.size(), 512U);
  EXPECT_EQ(topology.hosts[511].slots, 8);
  EXPECT_EQ(topology.fabric.switches.size(), 17U);
  EXPECT_EQ(topology.fabric.distances, (std::vector<double>{1, 10, 100}));
  EXPECT_EQ(topology.fabric.leaf_of_host[31], topology.fabric.leaf_of_host[0]);
  EXPECT_NE(topology.fabric.leaf_of_host[32], topology.fabric.leaf_of_host[0]);
  EXPECT_TRUE(topology.warnings.empty());
}

TEST(TreeSpec, TakesOneLevelAndFour) {
  EXPECT_EQ(built("8").hosts.size(), 1U);
  EXPECT_EQ(built("8").fabric.distances.size(), 1U);
  const auto four = built("2:3:4:5");
  EXPECT_EQ(four.hosts.size(), 60U);
  EXPECT_EQ(four.fabric.switches.size(), 20U + 5U + 1U);
  EXPECT_EQ(four.fabric.distances, (std::vector<double>{1, 10, 100, 1000}));
}

TEST(TreeSpec, Holds131072Seats) {
  const auto topology = built("8:128:128");
  EXPECT_EQ(topology.hosts.size(), 16384U);
  EXPECT_EQ(topology.fabric.leaf_of_host.back(), 127);
}

TEST(TreeSpec, RefusesWhatIsNoTree) {
  const std::vector<std::pair<const char*, const char*>> cases{
      {"", "not a number"}, {"8:x", "'x' (character 3)"}, {"8::4", "not a number"},
      {"0:4", "not a number"}, {"8:-1", "not a number"}, {"8:4:", "not a number"},
      {"1000000:1000000", "at most"}, {"99999999999", "not a number"},
      {"1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1", "more than 16 levels"}};
  for (const auto& [text, says] : cases) {
    const auto spec = parse_tree(text, {});
    ASSERT_FALSE(spec.has_value()) << text;
    EXPECT_THAT(spec.error().message, HasSubstr(says)) << text;
  }
  EXPECT_THAT(parse_tree("8:4", {1, 2, 3}).error().message, HasSubstr("3 values for a tree of 2"));
  EXPECT_THAT(parse_tree("8:4", {10, 1}).error().message, HasSubstr("fall outwards"));
}

}  // namespace
}  // namespace topolaunch::topo
