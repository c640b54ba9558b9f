// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervise/network.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>

#include "base/own_host.h"

namespace topolaunch::launcher {
namespace {

TEST(Network, IsReachedByIPv4AndIPv6) {
  auto listener = listen_for_hosts();
  ASSERT_TRUE(listener) << listener.error().message;
  EXPECT_GT(listener->port, 0);
  auto four = connect_to("127.0.0.1", listener->port, 2);
  ASSERT_TRUE(four) << four.error().message;
  EXPECT_EQ(own_address_of(four->get()), "127.0.0.1");
  const Descriptor accepted(::accept(listener->socket.get(), nullptr, nullptr));
  EXPECT_EQ(own_address_of(accepted.get()), "127.0.0.1") << "without ::ffff:";
  if (::access("/proc/sys/net/ipv6", F_OK) != 0) GTEST_SKIP() << "no IPv6 here";
  auto six = connect_to("::1", listener->port, 2);
  ASSERT_TRUE(six) << six.error().message;
  EXPECT_EQ(own_address_of(six->get()), "::1");
}

TEST(Network, SaysWhyAnAddressCannotBeReached) {
  auto listener = listen_for_hosts();
  ASSERT_TRUE(listener);
  const int port = listener->port;
  listener->socket.reset();
  const auto refused = connect_to("127.0.0.1", port, 0.2);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "Connection refused");
  EXPECT_FALSE(connect_to("no-address", port, 0.2));
}

TEST(Network, AFailedAcceptRestsOnlyWhereDescriptorsAreShort) {
  const auto seconds = [](int error) {
    const auto begin = std::chrono::steady_clock::now();
    rest_after_failed_accept(error);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  EXPECT_LT(seconds(EAGAIN), 0.03);
  EXPECT_GE(seconds(EMFILE), 0.04);
}

TEST(Network, AnAliasIsThisMachineByItsAddress) {
  const auto gives = [](std::vector<std::string> addresses) {
    return [addresses](const std::string&) { return addresses; };
  };
  EXPECT_TRUE(is_this_machine(own_host_name(), gives({})));
  EXPECT_FALSE(is_this_machine("alias", gives({})));
  EXPECT_TRUE(is_this_machine("alias", gives({"127.0.1.1"})));
  EXPECT_FALSE(is_this_machine("alias", gives({"203.0.113.9"})));
  for (const std::string& address : reachable_addresses()) {
    EXPECT_TRUE(is_this_machine("alias", gives({"203.0.113.9", address}))) << address;
    EXPECT_EQ(literal_address_of(address), std::vector{address});
  }
  EXPECT_TRUE(literal_address_of("localhost").empty()) << "nobody is asked";
}

TEST(Network, ResolvesNamesAsTheSystemDoes) {
  EXPECT_EQ(addresses_of("127.0.0.1"), std::vector<std::string>{"127.0.0.1"});
  EXPECT_EQ(addresses_of("::1"), std::vector<std::string>{"::1"});
  EXPECT_TRUE(addresses_of("no-such-host.invalid").empty());
}

TEST(Network, KnowsItsOwnNamesAndAddresses) {
  EXPECT_TRUE(is_this_machine("127.0.0.1"));
  EXPECT_TRUE(is_this_machine("127.0.1.1")) << "Debian's address of the machine's own name";
  EXPECT_TRUE(is_this_machine("localhost"));
  EXPECT_FALSE(is_this_machine("192.0.2.1"));
  EXPECT_FALSE(is_reachable_as("localhost"));
  EXPECT_FALSE(is_reachable_as("192.0.2.1"));
  EXPECT_FALSE(is_reachable_as(""));
  EXPECT_FALSE(is_this_machine("no such name"));
  for (const std::string& address : reachable_addresses()) {
    EXPECT_TRUE(is_this_machine(address)) << address;
    EXPECT_TRUE(is_reachable_as(address)) << address;
    EXPECT_FALSE(address.starts_with("127.")) << address;
    EXPECT_NE(address, "::1");
  }
  EXPECT_EQ(address_towards("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(address_towards("no such name"), "");
}

TEST(Network, AsksTheKernelToNoticeSilenceWithin15Seconds) {
  std::array<int, 4> value{};
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
  notice_silence(socket.get());
  const std::array<int, 4> names{TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT, TCP_USER_TIMEOUT};
  for (std::size_t i = 0; i < names.size(); ++i) {
    socklen_t size = sizeof(int);
    ASSERT_EQ(::getsockopt(socket.get(), IPPROTO_TCP, names[i], &value[i], &size), 0);
  }
  EXPECT_LE(value[0] + value[1] * value[2], 14);
  EXPECT_GT(value[3], 0);
  EXPECT_LE(value[3] / 1000 + value[1], 14);
}

}  // namespace
}  // namespace topolaunch::launcher
