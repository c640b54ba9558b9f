// SPDX-License-Identifier: Apache-2.0
#include "topo/smi/text.h"

#include <gmock/gmock.h>

#include "tests/topo/smi/texts.h"

namespace topolaunch::topo {
namespace {

const std::string kMatrix =
    "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV12\t0-7\nGPU1\tNV12\t X \t0-7\n";
const std::string kLinks =
    "GPU 0: NVIDIA H100 NVL (UUID: GPU-0a)\n\t Link 0: 26.562 GB/s\n\t Link 1: <inactive>\n"
    "GPU 1: NVIDIA H100 NVL (UUID: GPU-0b)\n\t Link 0: 26.562 GB/s\n";
const std::string kQuery =
    "index, uuid, pci.bus_id\n0, GPU-0a, 00000000:18:00.0\n1, GPU-0b, 00000000:3A:00.0\n";

TEST(SmiText, JoinsOutputsThatWerePastedTogether) {
  const auto topology =
      read_smi("[user@n1 ~]$ nvidia-smi topo -m\n" + kMatrix +
               "\nLegend:\n  X    = Self\n\n$ nvidia-smi nvlink -s\n" + kLinks +
               "$ nvidia-smi --query-gpu=index,uuid,pci.bus_id --format=csv\n" + kQuery);
  const Host& host = topology.hosts.at(0);
  ASSERT_EQ(host.gpus.size(), 2U);
  EXPECT_EQ(host.gpus[0].uuid, "GPU-0a");
  EXPECT_EQ(host.gpus[0].pci->text(), "0000:18:00.0");
  EXPECT_EQ(links_between(host, 0, 1), 12);
  EXPECT_EQ(links_of(host.gpus[0]), 12);  // the list's links are the same ones
  EXPECT_EQ(count_of(topology, "nvlink-inactive"), 1);
  EXPECT_EQ(count_of(topology, "smi-passed-over"), 0);
}

TEST(SmiText, JoinsFilesOfOneHostByTheDriversNumber) {
  for (const bool matrix_first : {true, false}) {
    auto facts = *facts_from_smi(matrix_first ? kMatrix : kQuery, "a.txt", "n1");
    const auto more = *facts_from_smi(matrix_first ? kQuery : kMatrix, "b.txt", "n1");
    facts.insert(facts.end(), more.begin(), more.end());
    const auto topology = assembled(facts);
    ASSERT_EQ(topology.hosts.at(0).gpus.size(), 2U);
    EXPECT_EQ(topology.hosts[0].gpus[1].uuid, "GPU-0b");
    EXPECT_EQ(links_between(topology.hosts[0], 0, 1), 12);
  }
}

TEST(SmiText, PassesStrangeLinesOverWithANote) {
  const auto topology = read_smi("hello\nworld\n" + kMatrix);
  EXPECT_EQ(message_of(topology, "smi-passed-over"),
            "2 lines are no output of nvidia-smi that is read here");
}

TEST(SmiText, IsToldFromOtherText) {
  EXPECT_TRUE(looks_like_smi(kMatrix));
  EXPECT_TRUE(looks_like_smi(kLinks));
  EXPECT_TRUE(looks_like_smi(kQuery));
  for (const std::string text : {"GPU0 is lost\n", "a,b,c\n1,2,3\n", "index, name\n0, x\n",
                                 "hello\n", "file,test,N,G,nodes\nx,y,2,1,n1\n", ""}) {
    EXPECT_FALSE(looks_like_smi(text)) << text;
  }
  EXPECT_EQ(refused_smi("hello\n").code, Code::invalid_input);
}

TEST(SmiText, TakesAnyPieceOfItselfWithoutHarm) {
  const std::string all = kMatrix + kLinks + kQuery;
  for (std::size_t length = 0; length <= all.size(); ++length) {
    const auto facts = facts_from_smi(all.substr(0, length), "t", "");
    if (facts) (void)assembled(*facts);
  }
}

}  // namespace
}  // namespace topolaunch::topo
