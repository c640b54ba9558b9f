// SPDX-License-Identifier: Apache-2.0
#include "topo/pci_address.h"

#include <gtest/gtest.h>

namespace topolaunch::topo {
namespace {

TEST(PciAddress, ReadsDomainsOfUpTo32Bits) {
  EXPECT_EQ(PciAddress::parse("10000:01:00.0")->domain, 0x10000U);
  EXPECT_EQ(PciAddress::parse("ffffffff:01:00.0")->domain, 0xffffffffU);
  EXPECT_EQ(PciAddress::parse("00000000:AB:1f.7")->text(), "0000:ab:1f.7");
  EXPECT_EQ(PciAddress::parse("18:00.0")->domain, 0U);
}

TEST(PciAddress, NeverCutsTheDomainWhenWritten) {
  EXPECT_EQ(PciAddress::parse("10000:01:00.0")->text(), "10000:01:00.0");
  EXPECT_NE(*PciAddress::parse("10000:01:00.0"), *PciAddress::parse("0000:01:00.0"));
}

TEST(PciAddress, RefusesWhatIsNone) {
  for (const char* text : {"", ":", "0000:18:00", "0000:18:20.0", "0000:18:00.8", "zz:00.0",
                           "0000:18:00.0x", "1234567890:18:00.0", "fffffff:ff:ff.0"}) {
    EXPECT_FALSE(PciAddress::parse(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace topolaunch::topo
