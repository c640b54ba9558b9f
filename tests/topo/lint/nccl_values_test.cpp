// SPDX-License-Identifier: Apache-2.0
#include "topo/lint/nccl_values.h"

#include <gmock/gmock.h>

#include "tests/topo/facts.h"
#include "topo/lint/environment.h"

namespace topolaunch::topo {
namespace {

using testing::HasSubstr;

TEST(NcclValues, WhatNcclKnowsIsRight) {
  const std::vector<std::pair<std::string, std::string>> right{
      {"ALGO", "Ring"},
      {"ALGO", "^NVLS,nvlstree"},
      {"ALGO", "allreduce:tree,ring;broadcast:ring"},
      {"ALGO", "ring,collnetdirect;allreduce:^PAT"},
      {"PROTO", "^LL128;allreduce:LL128"},
      {"P2P_LEVEL", "NVL"},
      {"P2P_LEVEL", "5"},
      {"NET_GDR_LEVEL", "SYS"},
      {"DEBUG", "info"},
      {"DEBUG", ""},
      {"MAX_NCHANNELS", "16"},
      {"MIN_NCHANNELS", " -2 "},
      {"BUFFSIZE", "0x400000"},
      {"MAX_NCHANNELS", "$N"},
      {"ALGO", "${ALGO:-ring}"},
      {"SOCKET_IFNAME", "eth0"}};
  for (const auto& [name, value] : right) {
    EXPECT_EQ(bad_nccl_value("NCCL_" + name, value), "") << name << "=" << value;
  }
  EXPECT_EQ(bad_nccl_value("ALGO", "none"), "") << "not NCCL's";
}

TEST(NcclValues, WhatItDoesNotKnowIsNamed) {
  const std::vector<std::pair<std::pair<std::string, std::string>, std::string>> wrong{
      {{"ALGO", "Rign"}, "'Rign' is none of Tree, Ring, CollNetDirect"},
      {{"ALGO", "allreduce:tree,rnig"}, "'rnig' is none of"},
      {{"ALGO", "all_reduce:tree"}, "'all_reduce' is none of Broadcast"},
      {{"PROTO", "^LL64"}, "'LL64' is none of LL, LL128, Simple"},
      {{"P2P_LEVEL", "NVLINK"}, "'NVLINK' is none of LOC"},
      {{"P2P_LEVEL", "nvl"}, ": in capitals"},
      {{"NET_GDR_LEVEL", "-1"}, "'-1' is none of"},
      {{"DEBUG", "verbose"}, "'verbose' is none of VERSION, WARN"},
      {{"BUFFSIZE", "4M"}, "'4M' is no whole number"},
      {{"MIN_NCHANNELS", "many"}, "'many' is no whole number"},
      {{"P2P_DISABLE", "true"}, "'true' is no whole number"}};
  for (const auto& [variable, part] : wrong) {
    EXPECT_THAT(bad_nccl_value("NCCL_" + variable.first, variable.second), HasSubstr(part));
  }
}

TEST(NcclValues, OneFindingForAValueThatIsPassedOver) {
  // "loc" in small letters doesn't switch peer access off, as LOC does.
  const auto found = check_environment({{"NCCL_P2P_LEVEL", "loc", 1}}, {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].code, "env-nccl-value");
  EXPECT_THAT(found[0].message, HasSubstr("NCCL_P2P_LEVEL=loc: 'loc' is none of"));
}

}  // namespace
}  // namespace topolaunch::topo
