// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervise/host_links.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <future>
#include <nlohmann/json.hpp>

namespace topolaunch::launcher {
namespace {

class HostLinksTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (reachable_addresses().empty()) GTEST_SKIP() << "this machine has no network";
    auto links = HostLinks::open({"a", "b"}, "secret");
    ASSERT_TRUE(links) << links.error().message;
    links_.emplace(std::move(*links));
  }
  Descriptor connected() {
    auto socket = connect_to("127.0.0.1", links_->port(), 2);
    EXPECT_TRUE(socket);
    return socket ? std::move(*socket) : Descriptor();
  }
  void turn(double now = 1) {
    PollSet set;
    links_->watch(set);
    set.wait(20);
    links_->let_strangers_go(now);
  }
  /// A keeper that says it is `host` and knows `secret`; waits until it has its answer.
  Result<Channel> keeper(const std::string& host, const std::string& secret) {
    auto told = std::async(std::launch::async, [&] {
      return greet_launcher(addresses_, links_->port(), host, secret, {"", 4711, "an id", "1.2"});
    });
    while (told.wait_for(std::chrono::seconds(0)) != std::future_status::ready) turn();
    return told.get();
  }
  /// Whether the other end has closed `channel`, after some turns.
  bool closed(Channel& channel) {
    std::vector<Json> ignored;
    for (int i = 0; i < 50; ++i) {
      turn();
      if (!channel.receive(ignored)) return true;
    }
    return false;
  }
  std::optional<HostLinks> links_;
  std::vector<std::string> addresses_{"127.0.0.1"};
};

TEST_F(HostLinksTest, LetsInWhoKnowsTheSecretAndIsAHostOfThePlan) {
  const auto channel = keeper("a", "secret");
  ASSERT_TRUE(channel) << channel.error().message;
  const auto news = links_->take_news();
  ASSERT_EQ(news.size(), 1U);
  EXPECT_EQ(news[0].what, HostNews::What::arrived);
  const HostLink& host = *links_->find("a");
  EXPECT_TRUE(host.linked());
  EXPECT_EQ(host.said.free_port, 4711);
  EXPECT_EQ(host.said.address, "127.0.0.1");
  EXPECT_EQ(host.said.id, "an id");
  EXPECT_EQ(host.said.version, "1.2");
  EXPECT_EQ(host.our_address, "127.0.0.1");
}

TEST_F(HostLinksTest, KeepsOutTheWrongSecretTheUnknownHostAndTheSecondOfAName) {
  EXPECT_FALSE(keeper("a", "Secret"));
  EXPECT_FALSE(keeper("c", "secret"));
  EXPECT_TRUE(links_->take_news().empty());
  const auto first = keeper("a", "secret");
  ASSERT_TRUE(first);
  EXPECT_FALSE(keeper("a", "secret"));
  EXPECT_TRUE(links_->find("a")->linked()) << "the first one stays";
  turn();
  EXPECT_EQ(links_->strangers(), 0U);
}

TEST_F(HostLinksTest, AKeeperTrustsNobodyWhoDoesNotKnowTheSecret) {
  auto impostor = HostLinks::open({"a"}, "guess");
  ASSERT_TRUE(impostor);
  std::swap(*links_, *impostor);
  EXPECT_FALSE(keeper("a", "secret"));
}

TEST_F(HostLinksTest, AKeeperGoesOnToTheAddressAtWhichTopolaunchAnswers) {
  // Somebody else has that port at another address, takes the connection, and speaks another tongue.
  const Descriptor other(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in there{};
  there.sin_family = AF_INET;
  there.sin_port = htons(static_cast<std::uint16_t>(links_->port()));
  const int on = 1;
  ::setsockopt(other.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  ASSERT_EQ(::inet_pton(AF_INET, "127.0.0.2", &there.sin_addr), 1);
  // The port is taken on all addresses by ours: the stranger has one of his own.
  there.sin_port = 0;
  ASSERT_EQ(::bind(other.get(), reinterpret_cast<sockaddr*>(&there), sizeof there), 0);
  ASSERT_EQ(::listen(other.get(), 4), 0);
  socklen_t size = sizeof there;
  ::getsockname(other.get(), reinterpret_cast<sockaddr*>(&there), &size);
  auto deaf = std::async(std::launch::async, [&] {
    const Descriptor guest(::accept(other.get(), nullptr, nullptr));
    return ::send(guest.get(), "SSH-2.0-x\r\n", 11, MSG_NOSIGNAL) == 11;
  });
  const auto none = greet_launcher({"127.0.0.2", "no-address"}, ntohs(there.sin_port), "a", "secret", {});
  ASSERT_FALSE(none);
  EXPECT_TRUE(deaf.get());
  EXPECT_EQ(none.error().code, Code::unavailable);
  EXPECT_NE(none.error().message.find("127.0.0.2 ("), std::string::npos) << none.error().message;
  EXPECT_NE(none.error().message.find("), no-address ("), std::string::npos) << none.error().message;
  addresses_ = {"192.0.2.1", "no-address", "127.0.0.1"};
  EXPECT_TRUE(keeper("a", "secret"));
}

TEST_F(HostLinksTest, ThePortIsOpenUntilAllHostsAreHere) {
  const auto a = keeper("a", "secret");
  turn();
  const Descriptor crowd = connected();
  const auto b = keeper("b", "secret");
  ASSERT_TRUE(a && b);
  turn();
  EXPECT_EQ(links_->strangers(), 0U);
  EXPECT_FALSE(connect_to("127.0.0.1", links_->port(), 2));
  EXPECT_TRUE(links_->find("a")->linked() && links_->find("b")->linked());
}

TEST_F(HostLinksTest, CutsOffGarbageAndWhoSaysTooMuch) {
  const std::string garbage = "GET / HTTP/1.1\r\n\r\n";
  Channel browser(connected());
  ::send(browser.fd(), garbage.data(), garbage.size(), MSG_NOSIGNAL);
  EXPECT_TRUE(closed(browser));
  Channel talker(connected());
  talker.post(Json{{"host", std::string(100'000, 'a')}});
  talker.flush();
  EXPECT_TRUE(closed(talker));
  Channel liar(connected());
  liar.send(Json{{"host", "a"}, {"challenge", ""}, {"proof", ""}});
  EXPECT_TRUE(closed(liar));
  EXPECT_TRUE(links_->take_news().empty());
}

TEST_F(HostLinksTest, LetsASilentStrangerWaitTenSecondsOnly) {
  Channel channel(connected());
  for (int i = 0; i < 20 && links_->strangers() == 0; ++i) turn(100);
  EXPECT_EQ(links_->strangers(), 1U);
  turn(109);
  EXPECT_EQ(links_->strangers(), 1U);
  turn(111);
  EXPECT_EQ(links_->strangers(), 0U);
}

TEST_F(HostLinksTest, ACrowdOfStrangersDoesNotKeepAHostOut) {
  std::vector<Descriptor> crowd;
  for (int i = 0; i < 100; ++i) crowd.push_back(connected());
  EXPECT_TRUE(keeper("b", "secret"));
  EXPECT_LE(links_->strangers(), 30U);
}

TEST_F(HostLinksTest, CarriesWordsAndBytesAndTellsALossFromAnEnd) {
  auto a = keeper("a", "secret");
  auto b = keeper("b", "secret");
  ASSERT_TRUE(a && b);
  links_->take_news();
  const std::string bytes("\0\xff\n{", 4);
  a->post_bytes(Json{{"output", 3}}, bytes);
  a->post(Json{{"empty", true}});
  a->flush();
  b->close();
  std::vector<HostNews> news;
  for (int i = 0; i < 50 && news.size() < 3; ++i) {
    turn();
    for (HostNews& one : links_->take_news()) news.push_back(std::move(one));
  }
  ASSERT_EQ(news.size(), 3U);
  const auto of = [&](std::size_t host, std::size_t skip) {
    for (const HostNews& one : news) {
      if (one.host == host && skip-- == 0) return one;
    }
    return HostNews{};
  };
  const HostNews output = of(0, 0);
  ASSERT_EQ(output.what, HostNews::What::said);
  EXPECT_EQ((*output.message)["output"], 3);
  const auto& got = (*output.message)["bytes"].get_binary();
  EXPECT_EQ(std::string(got.begin(), got.end()), bytes);
  EXPECT_EQ(links_->find("a")->stage, HostLink::Stage::empty);
  EXPECT_EQ(of(1, 0).what, HostNews::What::lost);
  EXPECT_EQ(links_->find("b")->stage, HostLink::Stage::lost);
}

}  // namespace
}  // namespace topolaunch::launcher
