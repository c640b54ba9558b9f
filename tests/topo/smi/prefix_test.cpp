// SPDX-License-Identifier: Apache-2.0
#include "topo/smi/prefix.h"

#include <gmock/gmock.h>

#include "tests/topo/smi/texts.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

const std::string kMatrix =
    "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV4\t0-7\nGPU1\tNV4\t X \t0-7\n\nLegend:\n\n"
    "  X    = Self\n";

/// `prefix` before each line; blank lines lose their trailing blank in many a hand.
std::string behind(const std::string& prefix, const std::string& text = kMatrix) {
  std::string out;
  for (const auto& line : smi::lines_of(text)) {
    const std::string whole = prefix + line.text;
    out += whole.substr(0, whole.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

TEST(SmiPrefix, IsTakenOff) {
  for (const std::string prefix :
       {"node001: ", "gpu-a.site.org: ", "0: ", " 3: ", "> ", ">> ", "> > "}) {
    const std::string text = behind(prefix);
    EXPECT_TRUE(looks_like_smi(text)) << prefix;
    const auto topology = read_smi(text);
    ASSERT_EQ(topology.hosts.at(0).gpus.size(), 2U) << prefix;
    EXPECT_EQ(topology.hosts[0].cpus, cpus("0-7"));
    EXPECT_EQ(links_between(topology.hosts[0], 0, 1), 4);
    EXPECT_TRUE(topology.warnings.empty()) << prefix << topology.warnings[0].message;
  }
}

TEST(SmiPrefix, NamesTheHost) {
  const auto host_of = [](const std::string& text, const std::string& given) {
    return facts_from_smi(text, "smi.txt", given)->front().host;
  };
  EXPECT_EQ(host_of(behind("node001: "), ""), "node001");
  EXPECT_EQ(host_of(behind("node001: "), "n7"), "n7");
  EXPECT_EQ(host_of(behind("0: "), ""), "");
  EXPECT_EQ(host_of(behind("> "), ""), "");
}

TEST(SmiPrefix, OfTwoMachinesIsRefused) {
  const auto error = refused_smi(behind("node001: ") + behind("node002: "));
  EXPECT_EQ(error.code, Code::invalid_input);
  EXPECT_EQ(error.line, 8);
  EXPECT_THAT(error.message, HasSubstr("'node002:' behind lines of 'node001:'"));
}

TEST(SmiPrefix, IsOnEveryLineOrIsNone) {
  auto lines = smi::lines_of("node001: a\nb\n");
  EXPECT_EQ(smi::strip_prefix(lines).text, "");
  EXPECT_EQ(lines[0].text, "node001: a");
  lines =
      smi::lines_of("GPU 0: NVIDIA H100 (UUID: GPU-0a)\n  MIG 1g.10gb  Device  0: (UUID: MIG-1)\n");
  EXPECT_EQ(smi::strip_prefix(lines).text, "");
  lines = smi::lines_of("");
  EXPECT_EQ(smi::strip_prefix(lines).text, "");
}

}  // namespace
}  // namespace topolaunch::topo
