// SPDX-License-Identifier: Apache-2.0
#include "topo/yaml_document.h"

#include <gmock/gmock.h>

namespace topolaunch::topo {
namespace {

std::string at(const YAML::Node& node, const char* key) {
  return node[key].as<std::string>("none");
}

TEST(YamlDocument, CountsMergedMembersAsTheMappingsOwn) {
  const auto root = load_yaml(
                        "base: &base {a: 1, b: 2}\nmore: &more {b: 3, c: 4}\n"
                        "one:\n  <<: *base\n  a: 5\nboth:\n  <<: [*more, *base]\n"
                        "nested: {<<: {<<: *more, d: 6}}\n")
                        .root;
  EXPECT_EQ(at(root["one"], "a"), "5");
  EXPECT_EQ(at(root["one"], "b"), "2");
  EXPECT_EQ(at(root["both"], "b"), "3");
  EXPECT_EQ(at(root["both"], "a"), "1");
  EXPECT_EQ(at(root["nested"], "c"), "4");
  EXPECT_EQ(at(root["nested"], "d"), "6");
  EXPECT_EQ(at(root["one"], "<<"), "none");
  EXPECT_EQ(root["both"].size(), 3U);
  EXPECT_EQ(root["base"].size(), 2U);
}

TEST(YamlDocument, NamesKeysThatStandTwiceInOneMapping) {
  const auto document = load_yaml("a: 1\nb:\n  c: 1\n  d: {c: 2}\n  c: 3\na: 2\n");
  ASSERT_EQ(document.repeated.size(), 2U);
  EXPECT_EQ(document.repeated[0].key, "c");
  EXPECT_EQ(document.repeated[0].first, 3);
  EXPECT_EQ(document.repeated[0].again, 5);
  EXPECT_EQ(document.repeated[1].key, "a");
  EXPECT_EQ(document.repeated[1].again, 6);
  // What is merged in stands there once, and a node behind two aliases is looked at once.
  EXPECT_TRUE(load_yaml("x: &x {a: 1}\ny: {<<: *x, a: 2}\nz: [*x, *x]\n").repeated.empty());
}

TEST(YamlDocument, RefusesMergesOfWhatIsNoMappingWithTheLine) {
  try {
    load_yaml("a: 1\nb:\n  <<: word\n");
    FAIL();
  } catch (const YAML::Exception& error) {
    EXPECT_EQ(error.mark.line, 2);
  }
  EXPECT_EQ(at(load_yaml("'<<': word\n").root, "<<"), "word");
}

TEST(YamlDocument, EndsOnMergesThatMultiplyAndOnThoseThatGoInCircles) {
  std::string text = "base: &b {";
  for (int i = 0; i < 2000; ++i) text += "k" + std::to_string(i) + ": 1, ";
  text += "}\n";
  for (int i = 0; i < 2000; ++i) text += "m" + std::to_string(i) + ": {<<: *b}\n";
  EXPECT_THROW(load_yaml(text), YAML::Exception);
  EXPECT_NO_THROW(load_yaml("a: &a\n  b: 1\n  <<: *a\n  c: [*a]\n"));
}

}  // namespace
}  // namespace topolaunch::topo
