// SPDX-License-Identifier: Apache-2.0
#include "topo/lint/gres.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "tests/topo/facts.h"
#include "topo/lint/rules.h"
#include "topo/synthetic.h"

namespace topolaunch::topo {
namespace {

TEST(Gres, ReadsGpusCoresAndLinks) {
  const auto lines = *read_gres(
      "# two GPUs\nAutoDetect=off\nNodeName=n[1-2] Name=gpu Type=h100 "
      "File=/dev/nvidia[0-1],/dev/nvidia4 Cores=0-3,8\n"
      "name=gpu file=/dev/nvidia5 links=-1,2   # lower case\nName=shard Count=16\n",
      "gres.conf");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].line, 3);
  EXPECT_THAT(lines[0].hosts, ::testing::ElementsAre("n1", "n2"));
  EXPECT_THAT(lines[0].files,
              ::testing::ElementsAre("/dev/nvidia0", "/dev/nvidia1", "/dev/nvidia4"));
  EXPECT_EQ(lines[0].cores->to_list(), "0-3,8");
  EXPECT_THAT(lines[1].links, ::testing::ElementsAre(-1, 2));
}

TEST(Gres, RefusesAListThatCannotBeReadWithItsLine) {
  for (const std::string bad : {"Name=gpu File=/dev/nvidia[0-3", "Name=gpu Cores=0-x",
                                "Name=gpu Links=1,b", "NodeName=n[1- Name=gpu"}) {
    const auto lines = read_gres("\n" + bad + "\n", "gres.conf");
    ASSERT_FALSE(lines.has_value()) << bad;
    EXPECT_EQ(lines.error().line, 2);
  }
}

TEST(Gres, IsToldFromTopologyConf) {
  EXPECT_TRUE(looks_like_gres("# c\n\nNodeName=a Name=gpu Count=0\n"));
  EXPECT_TRUE(looks_like_gres("AutoDetect=nvml\n"));
  EXPECT_FALSE(looks_like_gres("SwitchName=a Nodes=b\n"));
  EXPECT_FALSE(looks_like_gres("NodeName=a CPUs=4\n"));
}

TEST(Gres, SaysSoWhereCoresCanNotBeHeldAgainstTheMachine) {
  const auto lines = *read_gres("Name=gpu File=/dev/nvidia0 Cores=0-3\n", "gres.conf");
  Host real;
  real.name = "n1";
  real.gpus.resize(1);
  auto found = check_gres(lines, "gres.conf", &real);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].code, "gres-cores-unchecked");
  EXPECT_EQ(found[0].message,
            "Cores= can't be checked: which CPUs of n1 make a core is not known");
  real.smt = {{0}, {1}, {2}, {3}};
  found = check_gres(lines, "gres.conf", &real);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].message,
            "Cores= can't be checked: on n1 the NUMA node of /dev/nvidia0 is not known");
  EXPECT_TRUE(check_gres(*read_gres("Name=gpu File=/dev/nvidia0\n", "g"), "g", &real).empty());
  EXPECT_TRUE(check_gres(lines, "gres.conf", nullptr).empty());
}

/// The samples, against a host of two sockets with 56 cores and GPUs 0-3 on the first.
TEST(Gres, FindsEachFaultOfTheSamples) {
  const char* shared = std::getenv("TOPOLAUNCH_SHARED");
  const std::string folder = shared == nullptr ? "" : std::string(shared) + "/samples/slurm";
  if (folder.empty() || !std::filesystem::exists(folder))
    GTEST_SKIP() << "TOPOLAUNCH_SHARED has no samples/slurm";
  Survey survey;
  survey.facts = synthetic_facts(*parse_synthetic("8 gpu h100, 2 socket, 112 core, 2 thread"));
  const auto real = *assemble(std::move(survey));
  ASSERT_EQ(real.hosts.at(0).smt.size(), 112U);
  const auto findings = [&](const std::string& file) {
    const auto path = std::filesystem::absolute(folder + "/" + file).lexically_normal();
    return check_gres(*read_gres(*RootedFiles("/").read(path.string(), 1 << 20), file), file,
                      &real.hosts[0]);
  };
  EXPECT_TRUE(findings("gres.conf").empty());
  std::map<int, std::string> codes;
  for (const auto& warning : findings("gres-wrong-cores.conf"))
    codes[warning.line] += warning.code + " ";
  EXPECT_EQ(codes[1], "gres-cores-far ");  // sockets swapped
  EXPECT_EQ(codes[2], "gres-cores-far ");
  EXPECT_EQ(codes[3], "gres-cores-beyond ");  // hardware threads in place of cores
  EXPECT_EQ(codes[4], "gres-cores-beyond ");
  EXPECT_EQ(codes[5], "gres-cores-far ");  // all GPUs on one socket's cores
  EXPECT_EQ(codes[6],
            "gres-cores-part ");  // half sockets; the second half is of the other GPUs' socket
  EXPECT_EQ(codes[7], "gres-cores-far ");
  EXPECT_THAT(codes[8],
              ::testing::HasSubstr("gres-cores-wide"));  // both sockets, and a GPU too few
  EXPECT_THAT(codes[8], ::testing::HasSubstr("gres-gpu-count"));
  EXPECT_EQ(codes[9], "gres-cores-missing ");
  EXPECT_FALSE(codes.contains(10)) << codes[10];
  EXPECT_TRUE(findings("gres-links-dgx1v.conf").size() == 8U)
      << "only the cores of another machine";
}

TEST(Gres, FindsTheFaultyLinksOfTheSamples) {
  const char* shared = std::getenv("TOPOLAUNCH_SHARED");
  const std::string folder = shared == nullptr ? "" : std::string(shared) + "/samples/slurm";
  if (folder.empty() || !std::filesystem::exists(folder))
    GTEST_SKIP() << "TOPOLAUNCH_SHARED has no samples/slurm";
  const auto findings = [&](const std::string& file) {
    const auto path = std::filesystem::absolute(folder + "/" + file).lexically_normal();
    return check_gres(*read_gres(*RootedFiles("/").read(path.string(), 1 << 20), file), file,
                      nullptr);
  };
  EXPECT_TRUE(findings("gres-links-dgx1v.conf").empty());
  EXPECT_TRUE(findings("gres-autodetect.conf").empty());
  const auto faulty = findings("gres-links-faulty.conf");
  ASSERT_EQ(faulty.size(), 2U);
  EXPECT_EQ(faulty[0].code, "gres-links-self");
  EXPECT_EQ(faulty[0].line, 1);
  EXPECT_EQ(faulty[1].code, "gres-links-asymmetric");
  EXPECT_EQ(faulty[1].line, 4);
}

}  // namespace
}  // namespace topolaunch::topo
