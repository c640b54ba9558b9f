// SPDX-License-Identifier: Apache-2.0
#include "topo/render.h"

#include <gmock/gmock.h>

#include <sstream>

#include "tests/topo/facts.h"
#include "topo/synthetic.h"
#include "topo/tree_spec.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string rendered(const std::string& spec) {
  Survey survey;
  survey.facts = synthetic_facts(*parse_synthetic(spec));
  return render_tree(*assemble(std::move(survey)));
}

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t width = 0;
  for (std::string line; std::getline(lines, line);) width = std::max(width, line.size());
  return width;
}

TEST(Render, StaysWithin80ColumnsOfAscii) {
  for (const char* spec :
       {"16 host, 8 h100, 8 ndr, 4 host/leaf, 4:1", "8 v100, 4 nic", "64 t4, 64 efa", "gb200 4 ndr",
        "1024 host, 8 h200, 8 ndr, 32 host/leaf", "16 v100 nvswitch", "64 host, 4 host/leaf, 4 leaf/spine"}) {
    const auto text = rendered(spec);
    EXPECT_LE(widest(text), 80U) << spec << "\n" << text;
    for (const char c : text) EXPECT_TRUE(c == '\n' || (c >= 0x20 && c <= 0x7e));
  }
}

TEST(Render, ShowsHostsThatAreAlikeOnce) {
  const auto text = rendered("16 host, 8 h100, 8 ndr, 4 host/leaf, 4:1");
  EXPECT_THAT(text, HasSubstr("host[0-15]: 16 hosts, all like this"));
  EXPECT_THAT(text, HasSubstr("NV18 = 18 NVLinks, 450 GB/s through NVSwitch"));
  EXPECT_THAT(text, HasSubstr("PIX gpu0"));
  EXPECT_THAT(text, HasSubstr("400 GB/s up (4:1)   host[0-3]"));
  EXPECT_EQ(text.find("numa 1"), text.rfind("numa 1"));
}

TEST(Render, DrawsTheMatrixOfACubeMesh) {
  const auto text = rendered("8 v100");
  EXPECT_THAT(text, HasSubstr("    gpu0     X   NV1   NV1   NV2   NV2   SYS   SYS   SYS\n"));
  EXPECT_THAT(text, HasSubstr("NV2 = 2 NVLinks, 50 GB/s"));
  EXPECT_THAT(text, HasSubstr("SYS = between NUMA nodes"));
}

TEST(Render, TellsSawNothingFromCouldNotLook) {
  Topology topology;
  topology.survey = {{"nvml", "", SurveyEntry::Status::unavailable, "libnvidia-ml.so.1: no such file"},
                     {"sysfs", "", SurveyEntry::Status::nothing, ""}};
  const auto text = render_tree(topology);
  EXPECT_THAT(text, HasSubstr("could not look: libnvidia-ml.so.1"));
  EXPECT_THAT(text, HasSubstr("saw nothing"));
  EXPECT_THAT(text, HasSubstr("no host is known"));
}

TEST(Render, PutsErrorsFirstAndCountsRepeats) {
  Topology topology;
  for (int i = 0; i < 9; ++i) {
    topology.warnings.push_back({"many", Warning::Severity::warning, "", 0, "w" + std::to_string(i)});
  }
  topology.warnings.push_back({"bad", Warning::Severity::error, "t.conf", 7, "wrong"});
  const auto text = render_tree(topology);
  EXPECT_LT(text.find("error: wrong [bad] t.conf:7"), text.find("warning: w0"));
  EXPECT_THAT(text, HasSubstr("and 7 more of [many]"));
}

TEST(Render, PrintsNoEscapeCodesFromFiles) {
  Topology topology;
  Host host;
  host.name = "evil\x1b[31m\xc3\xa4";
  topology.hosts.push_back(host);
  const auto text = render_tree(topology);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("evil?[31m??"));
}

TEST(Render, SaysWhatIsAllowed) {
  HostFact host;
  host.cpus = cpus("0-7");
  host.allowed_cpus = cpus("1-2");
  host.cpu_quota = 1.5;
  const auto text =
      render_tree(assembled({fact(kHwloc, host), fact(kHwloc, numa_node(0, "0-3")),
                             fact(kHwloc, numa_node(1, "4-7"))}));
  EXPECT_THAT(text, HasSubstr("allowed: CPUs 1-2"));
  EXPECT_THAT(text, HasSubstr("CPU quota: 1.5 CPUs"));
  EXPECT_THAT(text, HasSubstr("numa 0   CPUs 0-3   2 allowed"));
  EXPECT_THAT(text, HasSubstr("numa 1   CPUs 4-7   none allowed"));
}

TEST(Render, ShowsTheDistancesOfATree) {
  Survey survey;
  survey.facts = tree_facts(*parse_tree("8:32:16", {1, 10, 100}));
  const auto text = render_tree(*assemble(std::move(survey)));
  EXPECT_THAT(text, HasSubstr("512 hosts, all like this"));
  EXPECT_THAT(text, HasSubstr("distances: 1 in a host, 10 in a leaf, 100 in a spine"));
  EXPECT_THAT(text, HasSubstr("... and 10 more"));
}

TEST(Render, WritesOddCpusAsAStride) {
  const auto text = render_tree(assembled({fact(kHwloc, numa_node(0, "0,2,4,6"))}));
  EXPECT_THAT(text, HasSubstr("CPUs 0-6:2"));
}

}  // namespace
}  // namespace topolaunch::topo
