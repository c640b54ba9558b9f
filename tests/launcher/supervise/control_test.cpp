// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervise/control.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace topolaunch::launcher {
namespace {

TEST(Control, TakesNoPeerWithoutTheSecret) {
  auto server = ControlServer::open();
  ASSERT_TRUE(server);
  EXPECT_TRUE(server->is_secret(server->secret()));
  EXPECT_FALSE(server->is_secret(""));
  EXPECT_FALSE(server->is_secret(server->secret() + "0"));
  EXPECT_NE(server->secret(), ControlServer::open()->secret());
}

TEST(Control, CutsOffAStrangerWhoSaysTooMuch) {
  auto server = ControlServer::open();
  auto client = connect_control(server->address());
  ASSERT_TRUE(client);
  auto peer = server->accept();
  ASSERT_TRUE(peer);
  EXPECT_EQ(peer->pid, ::getpid());
  client->send(Json{{"secret", std::string(100'000, 'x')}});
  std::vector<Json> messages;
  EXPECT_FALSE(peer->channel.receive(messages));
  EXPECT_TRUE(messages.empty());
}

}  // namespace
}  // namespace topolaunch::launcher
