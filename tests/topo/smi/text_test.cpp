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

TEST(SmiText, CountsATableThatStandsTwiceOnce) {
  const std::string legend = "\nLegend:\n  X    = Self\n\n";
  const auto topology = read_smi(kMatrix + legend + kLinks + kMatrix + legend + kLinks);
  EXPECT_EQ(links_between(topology.hosts.at(0), 0, 1), 12);
  EXPECT_EQ(links_of(topology.hosts[0].gpus[0]), 12);
  EXPECT_THAT(message_of(topology, "nvlink-inactive"), testing::HasSubstr("1 link that is down"));
  const auto facts = *facts_from_smi(kMatrix + kMatrix, "smi.txt", "n1");
  EXPECT_EQ(facts.size(), facts_from_smi(kMatrix, "smi.txt", "n1")->size());
}

TEST(SmiText, RefusesTwoMachinesInOneFile) {
  const std::string other =
      "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV12\t0-15\nGPU1\tNV12\t X \t0-15\n";
  const auto tables = refused_smi(kMatrix + "\n" + other);
  EXPECT_EQ(tables.code, Code::invalid_input);
  EXPECT_EQ(tables.line, 5);
  EXPECT_THAT(tables.message, testing::HasSubstr("the one on line 1"));
  EXPECT_THAT(tables.next, testing::HasSubstr("a file of its own"));
  const auto lists =
      refused_smi("GPU 0: NVIDIA H100 (UUID: GPU-0a)\nGPU 0: NVIDIA H100 (UUID: GPU-0c)\n");
  EXPECT_EQ(lists.line, 2);
  EXPECT_THAT(lists.message, testing::HasSubstr("GPU 0 is GPU-0c, and GPU-0a further up"));
  // What one machine reads and writes are two tables.
  const std::string reads = "\tGPU0\tGPU1\nGPU0\tX\tOK\nGPU1\tOK\tX\n";
  const std::string writes = "\tGPU0\tGPU1\nGPU0\tX\tCNS\nGPU1\tCNS\tX\n";
  EXPECT_EQ(read_smi(kMatrix + reads + writes).hosts.at(0).gpus.size(), 2U);
}

TEST(SmiText, RefusesAmdsTablesByName) {
  for (const std::string text :
       {"=============================== Link Type between two GPUs "
        "===============================\n"
        "       GPU0         GPU1\nGPU0   0            XGMI\nGPU1   XGMI         0\n",
        "============================ ROCm System Management Interface ===\n",
        "ACCESS TABLE:\n             0000:05:00.0 0000:26:00.0\n0000:05:00.0 ENABLED ENABLED\n"}) {
    EXPECT_TRUE(looks_like_smi(text)) << text;
    const auto error = refused_smi(text);
    EXPECT_EQ(error.code, Code::invalid_input);
    EXPECT_EQ(error.line, 1);
    EXPECT_THAT(error.message, testing::HasSubstr("AMD's"));
    EXPECT_THAT(error.next, testing::HasSubstr("RCCL"));
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
