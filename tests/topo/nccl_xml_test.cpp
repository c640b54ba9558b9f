// SPDX-License-Identifier: Apache-2.0
#include "topo/nccl_xml.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/topo/facts.h"
#include "topo/synthetic.h"
#include "topo/topology_json.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

Topology read(const std::string& text) {
  auto facts = facts_from_nccl_xml(text, "t.xml", "n1");
  EXPECT_TRUE(facts.has_value()) << facts.error().text();
  return facts ? assembled(*facts) : Topology();
}
Error refused(const std::string& text) {
  const auto facts = facts_from_nccl_xml(text, "t.xml", "n1");
  return facts ? Error{Code::internal, "was not refused", "", "", 0} : facts.error();
}

const std::string kGpu = R"(<system version="1">
 <cpu numaid="1" affinity="0000ffff" arch="x86_64" vendor="AuthenticAMD" familyid="25" modelid="17">
  <pci busid="0000:16:00.0" class="0x060400" link_speed="16.0 GT/s PCIe" link_width="16">
   <pci busid="0000:18:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16">
    <gpu dev="0" sm="90" rank="0" gdr="1">
     <nvlink target="fffffff:ff:ff.0" count="18" tclass="0x068000"/>
     <c2c bw="25000" count="4"/>
    </gpu>
   </pci>
   <pci busid="0000:19:00.0" class="0x020700" link_speed="16.0 GT/s PCIe" link_width="16">
    <nic><net name="mlx5_0" dev="0" speed="400000" port="1" guid="123456" gdr="1"/></nic>
   </pci>
  </pci>
 </cpu>
</system>)";

TEST(NcclXml, ReadsAGpuItsLinksAndItsNic) {
  const auto topology = read(kGpu);
  const Host& host = topology.hosts.at(0);
  EXPECT_EQ(host.arch, "x86_64");
  EXPECT_EQ(host.cpu_family, 25);
  EXPECT_EQ(host.numa.at(0).id, 1);
  EXPECT_EQ(host.cpus, cpus("0-15"));
  const Gpu& gpu = host.gpus.at(0);
  EXPECT_EQ(gpu.compute_capability, 90);
  EXPECT_EQ(gpu.numa, 1);
  EXPECT_EQ(gpu.pcie_generation, 4);
  EXPECT_EQ(gpu.origins.at(0).text(), "nccl-xml t.xml:5");
  ASSERT_EQ(gpu.links.size(), 2U);
  EXPECT_EQ(gpu.links[0].to, GpuLink::To::nvswitch);
  EXPECT_DOUBLE_EQ(gpu.links[1].bandwidth.gigabytes_per_second(), 100);
  const Nic& nic = host.nics.at(0);
  EXPECT_DOUBLE_EQ(nic.rate.gigabytes_per_second(), 50);
  EXPECT_EQ(nic.guid, "123456");
  EXPECT_EQ(host.relation(gpu, nic), PciRelation::pix);
}

TEST(NcclXml, TellsAGraphFileApart) {
  const auto error = refused("<graphs version=\"1\">\n<graph id=\"0\"/></graphs>");
  EXPECT_EQ(error.code, Code::invalid_input);
  EXPECT_THAT(error.message, HasSubstr("graph file"));
  EXPECT_THAT(error.next, HasSubstr("NCCL_TOPO_DUMP_FILE"));
}

TEST(NcclXml, SaysTheLineWhereAFileIsCutOff) {
  const auto error = refused(kGpu.substr(0, kGpu.find("<nvlink") + 20));
  EXPECT_EQ(error.line, 6);
  EXPECT_THAT(error.message, HasSubstr("cut off"));
}

TEST(NcclXml, RefusesNeverHalfAFile) {
  for (std::size_t length = 0; length < kGpu.size() - 1; length += 7) {
    EXPECT_FALSE(facts_from_nccl_xml(kGpu.substr(0, length), "t.xml", "").has_value()) << length;
  }
}

TEST(NcclXml, RefusesWhatHasNoMeaning) {
  EXPECT_THAT(refused("<topology/>").message, HasSubstr("begins with <topology>"));
  EXPECT_THAT(refused("<system version=\"1\"/>").message, HasSubstr("no <cpu>"));
  EXPECT_EQ(refused("<system>\n<cpu numaid=\"0\">\n<pci busid=\"18\"/></cpu></system>").line, 3);
  EXPECT_THAT(refused("<system><cpu affinity=\"xyz\"/></system>").message, HasSubstr("CPU mask"));
  std::string deep = "<system><cpu>";
  for (int i = 0; i < 5000; ++i) deep += "<pci busid=\"0000:18:00.0\">";
  for (int i = 0; i < 5000; ++i) deep += "</pci>";
  EXPECT_THAT(refused(deep + "</cpu></system>").message, HasSubstr("nested too deeply"));
}

TEST(NcclXml, BearsACpuWithoutArchAndSaysWhatNcclDoes) {
  const auto topology = read("<system><cpu numaid=\"0\"><pci busid=\"00:16.0\"/></cpu></system>");
  EXPECT_EQ(topology.hosts.at(0).numa.size(), 1U);
  EXPECT_EQ(count_of(topology, "nccl-no-arch"), 1);
}

TEST(NcclXml, TakesNumaidMinusOneForUnknownButKeepsTheCpus) {
  const auto topology = read(
      "<system><cpu numaid=\"-1\" affinity=\"ff\" arch=\"x86_64\">"
      "<pci busid=\"00:16.0\" class=\"0x030200\"/></cpu></system>");
  EXPECT_TRUE(topology.hosts.at(0).numa.empty());
  EXPECT_EQ(topology.hosts[0].cpus, cpus("0-7"));
  EXPECT_FALSE(topology.hosts[0].gpus.at(0).numa.has_value());
  EXPECT_EQ(topology.hosts[0].gpus[0].affinity, cpus("0-7"));
}

TEST(NcclXml, TellsHostsApartByTheirHash) {
  const auto topology = assembled(*facts_from_nccl_xml(
      R"(<system><cpu host_hash="0x1" numaid="0" arch="a"><pci busid="00:16.0" class="0x030200"/></cpu>
         <cpu host_hash="0x2" numaid="0" arch="a"><pci busid="00:16.0" class="0x030200"/></cpu></system>)",
      "t.xml", ""));
  ASSERT_EQ(topology.hosts.size(), 2U);
  EXPECT_EQ(topology.hosts[1].name, "host1");
  EXPECT_EQ(topology.hosts[1].gpus.size(), 1U);
}

TEST(NcclXml, ReadsAmdGpus) {
  const auto topology = read(
      R"(<system version="2"><cpu numaid="0" affinity="f" arch="x86_64">
      <pci busid="43:00.0" class="0x038000" vendor="0x1002"><gpu dev="0" sm="104" gcn="910" arch="38911">
      <xgmi target="0000:44:00.0" count="2" tclass="0x038000"/></gpu></pci>
      <pci busid="44:00.0" class="0x038000" vendor="0x1002"><gpu dev="1" sm="104" gcn="gfx942">
      <xgmi target="0000:43:00.0" count="2" tclass="0x038000"/></gpu></pci></cpu></system>)");
  const Host& host = topology.hosts.at(0);
  EXPECT_EQ(host.gpus.at(0).model, "AMD gfx90a");
  EXPECT_EQ(host.gpus.at(1).model, "AMD gfx942");
  EXPECT_EQ(host.gpus[0].compute_capability, 0);
  EXPECT_EQ(host.gpus[0].links.at(0).type, LinkType::xgmi);
  EXPECT_EQ(host.gpus[0].links[0].peer, 1);
}

TEST(NcclXml, DoesNotTakeTheDisplayOfABmcForAGpu) {
  const auto topology = read(
      R"(<system><cpu numaid="0" arch="x86_64"><pci busid="02:00.0" class="0x030000" vendor="0x1a03"/>
      <pci busid="18:00.0" class="0x030000" vendor="0x10de"/></cpu></system>)");
  EXPECT_EQ(topology.hosts.at(0).gpus.size(), 1U);
}

TEST(NcclXml, AddsUpThePortsOfOneNicAndKeepsNetsWithoutAddress) {
  const auto topology = read(
      R"(<system><cpu numaid="0" arch="x86_64"><nic><net name="eth0" speed="0"/></nic>
      <pci busid="18:00.0" class="0x020700"><nic><net name="mlx5_0" port="1" speed="100000"/>
      <net name="mlx5_0" port="2" speed="100000"/><net name="mlx5_1" speed="-1"/></nic></pci>
      </cpu></system>)");
  const auto& nics = topology.hosts.at(0).nics;
  ASSERT_EQ(nics.size(), 3U);
  EXPECT_DOUBLE_EQ(nics[0].rate.gigabytes_per_second(), 25);
  EXPECT_FALSE(nics[1].rate.known());
  EXPECT_FALSE(nics[2].pci.has_value());
}

TEST(NcclXml, KeepsTwoSwitchesApartThatBearOneAddress) {
  const auto topology = read(
      R"(<system><cpu numaid="0" arch="x86_64">
      <pci busid="c5:00.0" class="0x060400"><pci busid="cf:00.0" class="0x030200"/></pci>
      <pci busid="c5:00.0" class="0x060400"><pci busid="d0:00.0" class="0x030200"/></pci>
      </cpu></system>)");
  const Host& host = topology.hosts.at(0);
  EXPECT_EQ(count_of(topology, "pci-repeated"), 1);
  EXPECT_EQ(host.relation(host.gpus.at(0), host.gpus.at(1)), PciRelation::node);
}

TEST(NcclXml, WarnsOfMoreElementsThanNcclReads) {
  std::string text = "<system><cpu numaid=\"0\" arch=\"x86_64\">";
  for (int i = 0; i < 300; ++i) {
    text += fmt::format("<pci busid=\"{:04x}:01:00.0\" class=\"0x020000\"/>", i);
  }
  const auto topology = read(text + "</cpu></system>");
  EXPECT_EQ(topology.hosts.at(0).nics.size(), 300U);
  EXPECT_EQ(count_of(topology, "nccl-too-many-nodes"), 1);
}

TEST(NcclXml, RefusesMoreDevicesThanAnyMachineHas) {
  std::string text = "<system><cpu numaid=\"0\" arch=\"x86_64\">";
  for (int i = 0; i < 5000; ++i) {
    text += fmt::format("<pci busid=\"{:04x}:01:00.0\" class=\"0x030200\"/>", i);
  }
  EXPECT_THAT(refused(text + "</cpu></system>").message, HasSubstr("more than 4096"));
}

TEST(NcclXml, ReadsBackWhatItWrites) {
  for (const char* spec : {"8 h100, 8 ndr", "8 v100, 4 nic edr", "8 l40s, 8 hdr", "8 a100 8 hdr"}) {
    Survey survey;
    survey.facts = synthetic_facts(*parse_synthetic(spec));
    const auto first = *assemble(std::move(survey));
    const auto text = nccl_xml(first.hosts.at(0));
    ASSERT_TRUE(text.has_value()) << spec;
    auto again = read(*text);
    const auto second = nccl_xml(again.hosts.at(0));
    ASSERT_TRUE(second.has_value());
    EXPECT_EQ(*second, *text) << spec;
    ASSERT_EQ(again.hosts[0].gpus.size(), first.hosts[0].gpus.size());
    for (std::size_t a = 0; a < first.hosts[0].gpus.size(); ++a) {
      const Gpu& before = first.hosts[0].gpus[a];
      const Gpu& after = again.hosts[0].gpus[a];
      EXPECT_EQ(after.pci, before.pci);
      EXPECT_EQ(after.numa, before.numa);
      ASSERT_EQ(after.links.size(), before.links.size());
      for (std::size_t l = 0; l < before.links.size(); ++l) {
        EXPECT_EQ(after.links[l].peer, before.links[l].peer);
        EXPECT_EQ(after.links[l].count, before.links[l].count);
        EXPECT_EQ(after.links[l].bandwidth, before.links[l].bandwidth);
      }
      for (const Nic& nic : first.hosts[0].nics) {
        const auto at = static_cast<std::size_t>(&nic - first.hosts[0].nics.data());
        EXPECT_EQ(again.hosts[0].relation(after, again.hosts[0].nics.at(at)),
                  first.hosts[0].relation(before, nic));
      }
    }
  }
}

TEST(NcclXml, WritesEachSwitchOnceWhereThePathHasEveryPort) {
  auto gpu = gpu_at("0000:18:00.0", 0);
  gpu.pcie_path = {pci("0000:15:01.0"), pci("0000:16:00.0"), pci("0000:17:00.0")};
  const auto topology = assembled({fact(kHwloc, numa_node(0, "0-3")), fact(kHwloc, gpu)});
  const auto text = nccl_xml(topology.hosts.at(0));
  ASSERT_TRUE(text.has_value());
  EXPECT_THAT(*text, HasSubstr("0000:16:00.0"));
  EXPECT_THAT(*text, ::testing::Not(HasSubstr("0000:17:00.0")));
  EXPECT_THAT(*text, ::testing::Not(HasSubstr("0000:15:01.0")));
}

TEST(NcclXml, DoesNotWriteAGpuWithoutAddress) {
  Host host;
  host.name = "n1";
  host.gpus.emplace_back();
  EXPECT_THAT(nccl_xml(host).error().message, HasSubstr("gpu0 of n1 has no PCI address"));
}

}  // namespace
}  // namespace topolaunch::topo
