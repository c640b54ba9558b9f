// SPDX-License-Identifier: Apache-2.0
#include "topo/source/hwloc.h"

#include <gmock/gmock.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tests/support/memory_files.h"
#include "tests/topo/source/capture.h"
#include "topo/source/hwloc_xml.h"

namespace topolaunch::topo {
namespace {

using test::all;

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string machine(const std::string& name) {
  return std::string(MACHINE_SOURCE_DIR) + "/" + name + "/hwloc.xml";
}

Result<std::vector<Fact>> facts_of_file(const std::string& path) {
  return facts_from_hwloc_xml(read(path), path);
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
  std::ofstream(group + "/cpuset.mems") << read(root + "/cpuset.mems");
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

// --- files

TEST(HwlocXml, GivesPlacesPathsAndNames) {
  const auto facts = facts_of_file(machine("pcie-4-bridge"));
  ASSERT_TRUE(facts) << facts.error().text();
  const auto gpus = all<GpuFact>(*facts);
  ASSERT_EQ(gpus.size(), 4U);  // the BMC's screen is none
  EXPECT_EQ(gpus[0].pci->text(), "0000:01:00.0");
  EXPECT_EQ(gpus[0].uuid, "GPU-00000003-7a11-4b0c-9d2e-000000000000");
  EXPECT_EQ(gpus[0].model, "NVIDIA RTX A6000");
  EXPECT_EQ(gpus[0].index, 0);
  EXPECT_EQ(gpus[0].numa, 0);
  EXPECT_EQ(gpus[3].numa, 1);
  ASSERT_EQ(gpus[0].pcie_path.size(), 1U);
  EXPECT_EQ(gpus[0].pcie_path[0].text(), "0000:00:01.1");
  const auto nics = all<NicFact>(*facts);
  ASSERT_EQ(nics.size(), 1U);
  EXPECT_EQ(nics[0].nic.name, "rocep65s0");
  EXPECT_EQ(nics[0].nic.netdev, "enp65s0np0");
  EXPECT_EQ(facts->front().host, "pcie-4-bridge");
  EXPECT_EQ(facts->front().origin.source, "hwloc-xml");
}

TEST(HwlocXml, NeedsMoreThanAClassOfADisplayToCallItAGpu) {
  std::string text = read(machine("pcie-4-bridge"));
  for (std::size_t at; (at = text.find("name=\"nvml")) != std::string::npos;) {
    text.replace(at, 10, "name=\"card");  // what the kernel alone shows, also for a screen
  }
  const auto facts = facts_from_hwloc_xml(text, "x.xml");
  ASSERT_TRUE(facts);
  EXPECT_TRUE(all<GpuFact>(*facts).empty());
}

TEST(HwlocXml, KeepsDomainsOfMoreThan16Bits) {
  const auto facts = facts_of_file(machine("domains"));
  ASSERT_TRUE(facts) << facts.error().text();
  std::vector<std::string> found;
  for (const auto& gpu : all<GpuFact>(*facts)) found.push_back(gpu.pci->text());
  EXPECT_THAT(found, testing::UnorderedElementsAre("0000:02:00.0", "0001:02:00.0", "10000:02:00.0",
                                                   "10001:02:00.0"));
  for (const auto& gpu : all<GpuFact>(*facts)) {
    ASSERT_EQ(gpu.pcie_path.size(), 1U);
    EXPECT_EQ(gpu.pcie_path[0].domain, gpu.pci->domain);
  }
}

TEST(HwlocXml, KeepsNodesWithoutCpusAndWhoseMemoryTheyAre) {
  const auto facts = facts_of_file(machine("gb200-4"));
  ASSERT_TRUE(facts) << facts.error().text();
  std::map<int, NumaNode> nodes;
  for (const auto& numa : all<NumaFact>(*facts)) nodes[numa.node.id] = numa.node;
  ASSERT_EQ(nodes.size(), 6U);
  EXPECT_EQ(nodes.at(0).cpus.to_list(), "0-7");
  EXPECT_EQ(nodes.at(1).cpus.to_list(), "8-15");
  for (const int id : {2, 10, 18, 26}) EXPECT_TRUE(nodes.at(id).cpus.empty()) << id;
  for (const auto& gpu : all<GpuFact>(*facts)) {
    EXPECT_TRUE(gpu.memory_numa);
    EXPECT_TRUE(gpu.numa == 0 || gpu.numa == 1);
  }
  EXPECT_EQ(all<HostFact>(*facts).at(0).memory, Bytes::gib(960));  // without the GPUs'
}

TEST(HwlocXml, SaysWhatIsWrongAndWhere) {
  const auto error_of = [](const std::string& text) {
    const auto facts = facts_from_hwloc_xml(text, "m.xml");
    EXPECT_FALSE(facts) << text.substr(0, 80);
    return facts ? Error{} : facts.error();
  };
  EXPECT_EQ(error_of("").code, Code::invalid_input);
  EXPECT_EQ(error_of("<system version=\"1\"/>").code, Code::invalid_input);
  EXPECT_EQ(error_of("<topology version=\"2.0\"/>").code, Code::invalid_input);
  const std::string whole = read(machine("none"));
  const auto cut = error_of(whole.substr(0, whole.size() / 2));
  EXPECT_EQ(cut.code, Code::invalid_input);
  EXPECT_EQ(cut.file, "m.xml");
  EXPECT_GT(cut.line, 10);
  EXPECT_FALSE(cut.next.empty());
  EXPECT_EQ(error_of("<topology version=\"2.0\"><object type=\"Machine\"/></topology>").code,
            Code::invalid_input);
}

TEST(HwlocXml, IsNotHeldUpByHostileText) {
  std::string deep = "<topology version=\"2.0\">";
  for (int i = 0; i < 100000; ++i) deep += "<object type=\"Group\">";
  EXPECT_FALSE(facts_from_hwloc_xml(deep, "deep.xml"));
  for (int i = 0; i < 100000; ++i) deep += "</object>";
  EXPECT_FALSE(facts_from_hwloc_xml(deep + "</topology>", "deep.xml"));
  std::string bomb = "<!DOCTYPE t [<!ENTITY a \"aaaaaaaaaa\">";
  for (char c = 'b'; c < 'j'; ++c) {
    bomb += std::string("<!ENTITY ") + c + " \"";
    for (int i = 0; i < 10; ++i) bomb += std::string("&") + static_cast<char>(c - 1) + ";";
    bomb += "\">";
  }
  bomb += "]>";
  std::string text = read(machine("none"));
  text.replace(text.find("<!DOCTYPE"), text.find('>', text.find("<!DOCTYPE")) + 1 - text.find("<!DOCTYPE"), bomb);
  text.replace(text.find("GenuineIntel"), 12, "&i;");
  const auto facts = facts_from_hwloc_xml(text, "bomb.xml");  // the entity stays a word
  if (facts) {
    EXPECT_LT(all<HostFact>(*facts).at(0).cpu_vendor.size(), 100U);
  }
}

// A bit of everything broken, in a child: hwloc may end the process, we may not.
TEST(HwlocXml, SurvivesChangesInAnyByte) {
  const std::string whole = read(machine("domains"));
  unsigned seed = 1;
  const auto random = [&seed](std::size_t limit) {
    seed = seed * 1664525U + 1013904223U;
    return static_cast<std::size_t>(seed >> 8) % limit;
  };
  const char* const kPieces[] = {"0", "-1", "\"", "<", "99999999", "0x0", "PU", "0xf...f", " "};
  int read_well = 0;
  for (int round = 0; round < 60; ++round) {
    std::string text = whole;
    for (int change = 0; change < 3; ++change) {
      const std::string piece = kPieces[random(std::size(kPieces))];
      text.replace(random(text.size() - 20), random(6), piece);
    }
    read_well += facts_from_hwloc_xml(text, "fuzz.xml") ? 1 : 0;
  }
  EXPECT_LT(read_well, 60);
}

// --- files of others

class SharedXml : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = test::shared_folder() + "/fixtures/hwloc-xml";
    if (test::shared_folder().empty() || !std::filesystem::exists(folder_)) {
      GTEST_SKIP() << "no hwloc files of others here (TOPOLAUNCH_SHARED)";
    }
  }
  std::string folder_;
};

TEST_F(SharedXml, NvswitchesOfAFileOfVersion3) {
  const auto facts = facts_of_file(folder_ + "/hwloc-tests/xml__nvidiaDGX2.xml");
  ASSERT_TRUE(facts) << facts.error().text();
  EXPECT_EQ(all<GpuFact>(*facts).size(), 16U);
  EXPECT_TRUE(test::warned(*facts, "hwloc-xml-version"));
  const auto links = all<GpuLinkFact>(*facts);
  ASSERT_EQ(links.size(), 16U);
  for (const auto& link : links) {
    EXPECT_EQ(link.to, GpuLink::To::nvswitch);
    EXPECT_EQ(link.count, 6);
    EXPECT_EQ(link.bandwidth, Bandwidth::gigabytes_per_second(150));
  }
  EXPECT_EQ(all<HostFact>(*facts).at(0).arch, "x86_64");  // stands behind the objects in version 3
}

TEST_F(SharedXml, LinksBetweenGpusAndIntoTheCpu) {
  const auto facts = facts_of_file(folder_ + "/hwloc-tests/xml__power8gpudistances.xml");
  ASSERT_TRUE(facts) << facts.error().text();
  EXPECT_EQ(all<GpuFact>(*facts).size(), 4U);
  int to_gpu = 0, to_cpu = 0;
  for (const auto& link : all<GpuLinkFact>(*facts)) {
    EXPECT_EQ(link.count, 2);  // 40000 MB/s by NVLink 1
    to_gpu += link.to == GpuLink::To::gpu ? 1 : 0;
    to_cpu += link.to == GpuLink::To::cpu ? 1 : 0;
  }
  EXPECT_EQ(to_gpu, 4);
  EXPECT_EQ(to_cpu, 4);
}

TEST_F(SharedXml, GpusThatShareBusNumbers) {
  const auto facts = facts_of_file(folder_ + "/mpibind/coral-lassen.xml");
  ASSERT_TRUE(facts) << facts.error().text();
  std::set<std::string> gpus;
  for (const auto& gpu : all<GpuFact>(*facts)) gpus.insert(gpu.pci->text());
  EXPECT_EQ(gpus, (std::set<std::string>{"0004:04:00.0", "0004:05:00.0", "0035:03:00.0", "0035:04:00.0"}));
}

TEST_F(SharedXml, OneGpuForAllNamesOfACard) {
  const auto aws = facts_of_file(folder_ + "/mpibind/g4dnmetal.xml");
  ASSERT_TRUE(aws) << aws.error().text();
  EXPECT_EQ(all<GpuFact>(*aws).size(), 8U);
  const auto amd = facts_of_file(folder_ + "/mpibind/eas-tioga.xml");
  ASSERT_TRUE(amd) << amd.error().text();
  EXPECT_EQ(all<GpuFact>(*amd).size(), 8U);
  EXPECT_EQ(all<GpuFact>(*amd)[0].uuid.substr(0, 4), "GPU-");
  int xgmi = 0;
  for (const auto& link : all<GpuLinkFact>(*amd)) xgmi += link.type == LinkType::xgmi ? 1 : 0;
  EXPECT_EQ(xgmi, 8 * 7);
  const auto turin = facts_of_file(folder_ + "/prrte/turin-4gpu.xml");
  ASSERT_TRUE(turin) << turin.error().text();
  EXPECT_EQ(all<GpuFact>(*turin).size(), 4U);
}

TEST_F(SharedXml, EveryFileIsReadOrRefused) {
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
    if (entry.path().extension() != ".xml") continue;
    SCOPED_TRACE(entry.path().string());
    const auto facts = facts_of_file(entry.path().string());
    ++count;
    EXPECT_TRUE(facts) << facts.error().text();
    if (facts) {
      EXPECT_FALSE(all<HostFact>(*facts).at(0).cpus.empty());
    }
  }
  EXPECT_GT(count, 40);
}

}  // namespace
}  // namespace topolaunch::topo
