// SPDX-License-Identifier: Apache-2.0
#include "topo/host_list.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace topolaunch::topo {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& name : names) out += (out.empty() ? "" : " ") + name;
  return out;
}

TEST(HostList, ExpandsInSlurmsOrder) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"n", "n"},
      {"n[1-3,7]", "n1 n2 n3 n7"},
      {"n[098-101]", "n098 n099 n100 n101"},
      {"n[00-1]", "n00 n01"},
      {"n[8-010]", "n8 n9 n10"},
      {"n3,n1,n[2-4]", "n3 n1 n2 n3 n4"},
      {"r[1-2]c[0-1]", "r1c0 r1c1 r2c0 r2c1"},
      {"r[1-2]c[0-1]n[0-1]", "r1c0n0 r1c0n1 r2c0n0 r2c0n1 r1c1n0 r1c1n1 r2c1n0 r2c1n1"},
      {"tux[0-1][0-1]", "tux00 tux01 tux10 tux11"},
      {"a b[1-2]  c", "a b1 b2 c"},
      {"n[1-2],,n3", "n1 n2 n3"},
      {"host[1-2].example", "host1.example host2.example"},
      {"fd00::1,fd00::2", "fd00::1 fd00::2"},
      {"", ""},
  };
  for (const auto& [text, expected] : cases) {
    const auto names = expand_host_list(text);
    ASSERT_TRUE(names) << text << ": " << names.error().text();
    EXPECT_EQ(joined(*names), expected) << text;
  }
}

TEST(HostList, RefusesWhatIsNotOne) {
  for (const std::string text :
       {"n[1-3", "n[]", "n[1,]", "p[3-1]", "gpu-[a-c]", "n[1--3]", "n[1-1000000]", "n[1-2];n3", "n[1-2]]",
        "n[[1-2]]", "n[0x1-0x3]", "n[-1]", "n[99999999999999999999]", "a[1-65536]b[1-65536]", "n\x01"}) {
    const auto names = expand_host_list(text);
    ASSERT_FALSE(names) << text << " gave " << joined(*names);
    EXPECT_EQ(names.error().code, Code::wrong_usage);
  }
}

TEST(HostList, CompressedExpandsToTheSame) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"n1", "n2", "n3", "n7"}, "n[1-3,7]"},
      {{"n08", "n09", "n10"}, "n[08-10]"},
      {{"n8", "n9", "n10"}, "n[8-10]"},
      {{"n1", "n1"}, "n[1,1]"},
      {{"a", "b1", "c"}, "a,b1,c"},
      {{"g1-ib", "g2-ib"}, "g[1-2]-ib"},
      {{"n3", "n1", "n2"}, "n[3,1-2]"},
      {{"n1", "n01"}, "n1,n01"},
      {{}, ""},
  };
  for (const auto& [names, expected] : cases) {
    EXPECT_EQ(compress_host_list(names), expected);
    EXPECT_EQ(joined(*expand_host_list(compress_host_list(names))), joined(names));
  }
}

/// The samples that others hand in: "list<tab>count<tab>expansion".
TEST(HostList, ReadsTheHandedSamples) {
  const char* const shared = std::getenv("TOPOLAUNCH_SHARED");
  int seen = 0;
  for (const std::string file : {"hostlists.tsv", "hostlists-suffix.tsv"}) {
    std::ifstream in(std::string(shared == nullptr ? "" : shared) + "/samples/slurm/" + file);
    for (std::string line; std::getline(in, line);) {
      if (line.empty() || line[0] == '#') continue;
      std::istringstream fields(line);
      std::string list, count, expansion;
      std::getline(fields, list, '\t');
      std::getline(fields, count, '\t');
      std::getline(fields, expansion, '\t');
      const auto names = expand_host_list(list);
      ASSERT_TRUE(names) << list;
      EXPECT_EQ(joined(*names), expansion) << list;
      EXPECT_EQ(joined(*expand_host_list(compress_host_list(*names))), joined(*names));
      ++seen;
    }
  }
  if (seen == 0) GTEST_SKIP() << "no samples: TOPOLAUNCH_SHARED is not set";
  EXPECT_GE(seen, 30);
}

}  // namespace
}  // namespace topolaunch::topo
