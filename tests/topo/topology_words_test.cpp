// SPDX-License-Identifier: Apache-2.0
#include "topo/topology_words.h"

#include <gtest/gtest.h>

namespace topolaunch::topo {
namespace {

TEST(TopologyWords, ReadsBackEveryWordThatItWrites) {
  for (const auto to : {GpuLink::To::gpu, GpuLink::To::nvswitch, GpuLink::To::cpu}) {
    EXPECT_EQ(from_word<GpuLink::To>(word(to)), to);
  }
  for (const auto type : {LinkType::nvlink, LinkType::xgmi, LinkType::c2c}) {
    EXPECT_EQ(from_word<LinkType>(word(type)), type);
  }
  for (const auto status : {P2pStatus::unknown, P2pStatus::ok, P2pStatus::disabled}) {
    EXPECT_EQ(from_word<P2pStatus>(word(status)), status);
  }
  for (const auto layer : {Nic::Layer::efa, Nic::Layer::ethernet, Nic::Layer::infiniband}) {
    EXPECT_EQ(from_word<Nic::Layer>(word(layer)), layer);
  }
}

TEST(TopologyWords, KnowsNoOtherWord) {
  EXPECT_FALSE(from_word<GpuLink::To>("GPU").has_value());
  EXPECT_FALSE(from_word<Warning::Severity>("").has_value());
  EXPECT_FALSE(from_word<SurveyEntry::Status>("okay").has_value());
}

TEST(TopologyWords, NamesRelationsAsNvidiaSmiDoes) {
  EXPECT_EQ(word(PciRelation::same), "X");
  EXPECT_EQ(word(PciRelation::pxb), "PXB");
  EXPECT_EQ(word(PciRelation::unknown), "?");
}

TEST(TopologyWords, SayWhereAWarningIsAbout) {
  EXPECT_EQ(place_of({"c", Warning::Severity::note, "a.xml", 7, "m"}), "a.xml:7: ");
  EXPECT_EQ(place_of({"c", Warning::Severity::note, "a.xml", 0, "m"}), "a.xml: ");
  EXPECT_EQ(place_of({"c", Warning::Severity::note, "", 0, "m"}), "");
}

}  // namespace
}  // namespace topolaunch::topo
