// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/own_networks.h"

#include <gtest/gtest.h>

#include "tests/support/memory_files.h"

namespace topolaunch::launcher {
namespace {

TEST(ShareNetwork, ByTheShorterPrefix) {
  EXPECT_TRUE(share_network({"10.77.1.1/16"}, {"192.168.0.1/24", "10.77.9.9/16"}));
  EXPECT_TRUE(share_network({"10.77.1.1/20"}, {"10.77.15.9/20"}));
  EXPECT_FALSE(share_network({"10.77.1.1/20"}, {"10.77.16.9/20"}));
  EXPECT_TRUE(share_network({"2001:db8::1/64"}, {"2001:db8::ffff/64"}));
  EXPECT_FALSE(share_network({"2001:db8::1/64"}, {"10.0.0.1/8"}));
  EXPECT_FALSE(share_network({}, {"10.0.0.1/8"}));
}

TEST(DefaultRoute, IsNotTheUnreachableOneOfLoopback) {
  test::MemoryFiles files;
  EXPECT_FALSE(has_default_route(files));
  files.add("/proc/net/ipv6_route",
            "00000000000000000000000000000000 00 00000000000000000000000000000000 00 "
            "00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo\n");
  files.add("/proc/net/route",
            "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
            "eth0\t00004D0A\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0\n");
  EXPECT_FALSE(has_default_route(files));
  files.add("/proc/net/route", "eth0\t00000000\t01004D0A\t0003\t0\t0\t0\t00000000\t0\t0\t0\n");
  EXPECT_TRUE(has_default_route(files));
}

}  // namespace
}  // namespace topolaunch::launcher
