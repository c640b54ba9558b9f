// SPDX-License-Identifier: Apache-2.0
#include "topo/source/hwloc.h"

#include <gmock/gmock.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/memory_files.h"
#include "tests/topo/source/capture.h"

namespace topolaunch::topo {
namespace {

using test::all;

std::string machine(const std::string& name) {
  return std::string(MACHINE_SOURCE_DIR) + "/" + name + "/hwloc.xml";
}

Result<std::vector<Fact>> look(const Files& files, Environment environment) {
  const test::TestOutside outside(files, std::move(environment));
  return HwlocSource("here").look(outside.get());
}

// --- this machine

TEST(HwlocLive, SeesWhatTheKernelAllows) {
  const auto facts = look(RootedFiles(), {});
  ASSERT_TRUE(facts) << facts.error().text();
  const auto host = all<HostFact>(*facts).at(0);
  EXPECT_GE(host.cpus.size(), 1);
  EXPECT_TRUE(host.cpus.includes(host.allowed_cpus));
  EXPECT_FALSE(host.allowed_cpus.empty());
  EXPECT_FALSE(host.boot_id.empty());
  EXPECT_FALSE(host.arch.empty());
  EXPECT_GT(host.memory.count(), 0);
  EXPECT_GE(all<NumaFact>(*facts).size(), 1U);
  EXPECT_FALSE(test::warned(*facts, "not-this-machine"));
}

TEST(HwlocLive, KeepsWithinTheAffinityOfItsProcess) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &before)) cpus.push_back(cpu);
  }
  if (cpus.size() < 2) GTEST_SKIP() << "one CPU only";
  cpu_set_t last;
  CPU_ZERO(&last);
  CPU_SET(static_cast<std::size_t>(cpus.back()), &last);
  ASSERT_EQ(::sched_setaffinity(0, sizeof last, &last), 0);
  const auto facts = look(RootedFiles(), {});
  ::sched_setaffinity(0, sizeof before, &before);
  ASSERT_TRUE(facts);
  const auto host = all<HostFact>(*facts).at(0);
  EXPECT_EQ(host.allowed_cpus, CpuSet({cpus.back()}));
  EXPECT_GE(host.cpus.size(), static_cast<int>(cpus.size()));
}

TEST(HwlocLive, KeepsWithinACpusetOfVersion1) {
  const std::string root = "/sys/fs/cgroup/cpuset", group = root + "/topolaunch-test-" + std::to_string(::getpid());
  if (::geteuid() != 0 || ::access((root + "/cpuset.cpus").c_str(), W_OK) != 0 ||
      ::mkdir(group.c_str(), 0755) != 0) {
    GTEST_SKIP() << "no cpuset hierarchy of version 1 that may be written";
  }
  const auto before = look(RootedFiles(), {});
  const int last = before ? all<HostFact>(*before).at(0).allowed_cpus.last() : 0;
  std::ofstream(group + "/cpuset.mems") << test::read_text(root + "/cpuset.mems");
  std::ofstream(group + "/cpuset.cpus") << last;
  const pid_t child = ::fork();
  if (child == 0) {
    std::ofstream(group + "/cgroup.procs") << ::getpid() << std::flush;
    const auto facts = look(RootedFiles(), {});
    const bool right = facts && all<HostFact>(*facts).at(0).allowed_cpus == CpuSet({last}) &&
                       all<HostFact>(*facts).at(0).cpus.size() >= 1;
    ::_exit(right ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  for (int i = 0; i < 50 && ::rmdir(group.c_str()) != 0; ++i) ::usleep(20000);
  EXPECT_EQ(status, 0);
}

TEST(HwlocLive, SaysThatItCouldNotLookWithoutSysfs) {
  const test::MemoryFiles nothing;
  const auto facts = look(nothing, {});
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().code, Code::unavailable);
  EXPECT_THAT(facts.error().message, testing::HasSubstr("/sys/devices/system/cpu"));
}

// --- another machine in place of this one

TEST(HwlocForeign, TakesASyntheticDescriptionAndLeavesThisProcessAside) {
  const auto facts = look(RootedFiles(), {{"HWLOC_SYNTHETIC", "pack:2 numa:1 core:4 pu:2"}});
  ASSERT_TRUE(facts) << facts.error().text();
  const auto host = all<HostFact>(*facts).at(0);
  EXPECT_EQ(host.packages, 2);
  EXPECT_EQ(host.cpus.size(), 16);
  EXPECT_EQ(host.allowed_cpus, host.cpus);
  EXPECT_EQ(all<NumaFact>(*facts).size(), 2U);
  EXPECT_TRUE(test::warned(*facts, "not-this-machine"));
}

TEST(HwlocForeign, TakesAFileWithItsNics) {
  const auto facts = look(RootedFiles(), {{"HWLOC_XMLFILE", machine("nvswitch-8")}});
  ASSERT_TRUE(facts) << facts.error().text();
  EXPECT_EQ(all<HostFact>(*facts).at(0).allowed_cpus.size(), 32);
  EXPECT_EQ(all<GpuFact>(*facts).size(), 8U);
  EXPECT_EQ(all<NicFact>(*facts).size(), 9U);
  EXPECT_EQ(facts->front().host, "here");
  EXPECT_EQ(facts->front().origin.source, "hwloc");
}

TEST(HwlocForeign, NamesTheVariableOfABrokenFile) {
  const auto facts = look(RootedFiles(), {{"HWLOC_XMLFILE", "/nonexistent/machine.xml"}});
  ASSERT_FALSE(facts);
  EXPECT_THAT(facts.error().text(), testing::HasSubstr("HWLOC_XMLFILE"));
  EXPECT_THAT(facts.error().text(), testing::HasSubstr("/nonexistent/machine.xml"));
}

/// A machine of four cores as /sys shows it, two packages 0-1 and 2-3, with the given nodes.
void write_machine(const std::string& root, const std::vector<CpuSet>& nodes) {
  const auto put = [&root](const std::string& path, const std::string& content) {
    std::filesystem::create_directories(std::filesystem::path(root + path).parent_path());
    std::ofstream(root + path) << content << "\n";
  };
  const std::string cpus = "/sys/devices/system/cpu/";
  for (const char* name : {"online", "possible", "present"}) put(cpus + name, "0-3");
  for (int cpu = 0; cpu < 4; ++cpu) {
    const std::string folder = cpus + "cpu" + std::to_string(cpu) + "/topology/";
    put(folder + "physical_package_id", std::to_string(cpu / 2));
    put(folder + "core_id", std::to_string(cpu % 2));
    for (const char* name : {"thread_siblings", "core_cpus"}) put(folder + name, CpuSet({cpu}).to_mask());
    for (const char* name : {"core_siblings", "package_cpus"}) {
      put(folder + name, cpu < 2 ? CpuSet({0, 1}).to_mask() : CpuSet({2, 3}).to_mask());
    }
  }
  const std::string online = nodes.size() == 1 ? "0" : "0-" + std::to_string(nodes.size() - 1);
  for (const char* name : {"online", "possible"}) put("/sys/devices/system/node/" + std::string(name), online);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string number = std::to_string(i);
    const std::string folder = "/sys/devices/system/node/node" + number + "/";
    put(folder + "cpumap", nodes[i].to_mask());
    put(folder + "cpulist", nodes[i].to_list());
    put(folder + "meminfo", "Node " + number + " MemTotal: 1048576 kB");
  }
  put("/proc/cpuinfo", "processor : 0\nvendor_id : Maker");
  put("/proc/meminfo", "MemTotal: 2097152 kB");
}

Result<std::vector<Fact>> look_at_folder(const std::string& root) {
  return look(RootedFiles(root), {{"TOPOLAUNCH_FSROOT", root}});
}

TEST(HwlocFolder, SurvivesNodesThatLieAcrossPackages) {
  const test::TemporaryFolder folder;
  write_machine(folder.path(), {CpuSet({0, 2}), CpuSet({1, 3})});
  const auto facts = look_at_folder(folder.path());
  ASSERT_TRUE(facts) << facts.error().text();
  const auto numa = all<NumaFact>(*facts);
  ASSERT_EQ(numa.size(), 2U);
  EXPECT_EQ(numa[0].node.cpus, CpuSet({0, 2}));
  EXPECT_EQ(numa[1].node.cpus, CpuSet({1, 3}));
  EXPECT_EQ(numa[0].node.package, -1);
  EXPECT_TRUE(test::warned(*facts, "numa-crosses-package"));
  EXPECT_EQ(all<HostFact>(*facts).at(0).allowed_cpus.size(), 4);
  EXPECT_EQ(all<HostFact>(*facts).at(0).cpu_vendor, "Maker");  // of the folder, not of this processor
}

TEST(HwlocFolder, KeepsANodeOfMemoryAlone) {
  const test::TemporaryFolder folder;
  write_machine(folder.path(), {CpuSet({0, 1}), CpuSet({2, 3}), CpuSet()});
  const auto facts = look_at_folder(folder.path());
  ASSERT_TRUE(facts) << facts.error().text();
  const auto numa = all<NumaFact>(*facts);
  ASSERT_EQ(numa.size(), 3U);
  EXPECT_EQ(numa[1].node.cpus, CpuSet({2, 3}));
  EXPECT_EQ(numa[1].node.package, 1);
  EXPECT_TRUE(numa[2].node.cpus.empty());
  EXPECT_FALSE(test::warned(*facts, "numa-crosses-package"));
}

TEST(HwlocFolder, NeverAllowsTheEmptySet) {
  const test::TemporaryFolder folder;
  write_machine(folder.path(), {CpuSet({0, 1, 2, 3})});
  std::filesystem::create_directories(folder.path() + "/proc/self");
  std::ofstream(folder.path() + "/proc/self/status") << "Cpus_allowed_list:\t8-9\nMems_allowed_list:\t0\n";
  const auto facts = look_at_folder(folder.path());
  ASSERT_TRUE(facts) << facts.error().text();
  EXPECT_EQ(all<HostFact>(*facts).at(0).allowed_cpus.size(), 4);
  EXPECT_TRUE(test::warned(*facts, "allowed-conflict"));
}

// --- captures

using CapturedCpus = test::Capture;

TEST_P(CapturedCpus, GivesTheCpusThatTheJobMayUse) {
  const auto facts = HwlocSource("g07").look(outside_->get());
  ASSERT_TRUE(facts) << facts.error().text();
  const auto host = all<HostFact>(*facts).at(0);
  EXPECT_EQ(host.packages, 2);
  EXPECT_EQ(host.cpus.to_list(), "0-15");
  EXPECT_EQ(host.smt.size(), 8U);
  EXPECT_EQ(host.cpu_vendor, "GenuineIntel");
  EXPECT_EQ(host.cpu_family, 6);
  EXPECT_EQ(host.cpu_model, 143);
  const auto numa = all<NumaFact>(*facts);
  ASSERT_EQ(numa.size(), 2U);
  EXPECT_EQ(numa[0].node.cpus.to_list(), "0-3,8-11");
  EXPECT_EQ(numa[1].node.cpus.to_list(), "4-7,12-15");
  if (GetParam() == 2) {
    EXPECT_EQ(host.allowed_cpus.to_list(), "0-1,8-9");
    EXPECT_EQ(host.allowed_memory.to_list(), "0");
    ASSERT_TRUE(host.cpu_quota);
    EXPECT_DOUBLE_EQ(*host.cpu_quota, 3.0);
    EXPECT_EQ(host.memory_limit, Bytes::gib(64));
  } else {
    EXPECT_EQ(host.allowed_cpus.to_list(), "5-6,13-14");
    EXPECT_EQ(host.allowed_memory.to_list(), "1");
    EXPECT_FALSE(host.cpu_quota);
    EXPECT_EQ(host.memory_limit, Bytes::gib(32));
  }
}

TEST_P(CapturedCpus, IsSaidToBeNoneOfThisMachine) {
  const auto facts = HwlocSource("g07").look(outside_->get());
  ASSERT_TRUE(facts);
  EXPECT_TRUE(test::warned(*facts, "not-this-machine"));
}

INSTANTIATE_TEST_SUITE_P(OfVersion, CapturedCpus, testing::Values(1, 2),
                         [](const auto& version) { return std::to_string(version.param); });

}  // namespace
}  // namespace topolaunch::topo
