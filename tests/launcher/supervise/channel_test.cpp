// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervise/channel.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>

#include "launcher/supervise/control.h"

namespace topolaunch::launcher {
namespace {

TEST(Channel, CarriesMessagesAndDescriptors) {
  auto server = ControlServer::open();
  auto client = connect_control(server->address());
  auto peer = server->accept();
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  std::vector<Descriptor> descriptors;
  descriptors.emplace_back(ends[1]);
  ASSERT_TRUE(peer->channel.send(Json{{"a", 1}}, std::move(descriptors)));
  ASSERT_TRUE(peer->channel.send(Json{{"a", 2}}));
  EXPECT_EQ((*client->await(1000))["a"], 1);
  EXPECT_EQ((*client->await(1000))["a"], 2) << "a second message that came with the first is kept";
  auto received = client->take_descriptors();
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(::write(received[0].get(), "x", 1), 1);
  ::close(ends[0]);
}

TEST(Channel, TakesNoPartOfAMessageForOne) {
  // Frames of bytes (NUL, length of the text, text, bytes) that end too early, and one that lies.
  for (const std::string& frame :
       {std::string(""), std::string("\0", 1), std::string("\0\2\0", 3),
        std::string("\0\2\0\0", 4), std::string("\0\2\0\0\0", 5),
        std::string("\0\377\377\377\377{}", 7), std::string("\0\1\0\0\0{}", 7)}) {
    auto server = ControlServer::open();
    auto client = connect_control(server->address());
    auto peer = server->accept();
    std::string sent(4, '\0');
    sent[0] = static_cast<char>(frame.size());
    sent += frame;
    ASSERT_EQ(::write(client->fd(), sent.data(), sent.size()), static_cast<ssize_t>(sent.size()));
    EXPECT_FALSE(peer->channel.await(200)) << frame.size();
  }
}

}  // namespace
}  // namespace topolaunch::launcher
