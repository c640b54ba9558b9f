// SPDX-License-Identifier: Apache-2.0
#include "launcher/rendezvous.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <future>

#include "tests/launcher/example_host.h"

namespace topolaunch::launcher {
namespace {

TEST(FreePort, CanBeBoundAndIsNoLongerFreeThen) {
  const auto port = free_port();
  ASSERT_TRUE(port);
  ASSERT_TRUE(is_free_port(*port));
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(*port));
  ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_FALSE(is_free_port(*port));
  ::close(fd);
}

TEST(FreePort, NumbersOutOfRangeAreNotFree) {
  EXPECT_FALSE(is_free_port(0));
  EXPECT_FALSE(is_free_port(-1));
  EXPECT_FALSE(is_free_port(65536));
}

TEST(AgreedPort, IsTheSameForAllRanksOfALaunch) {
  const TemporaryWorld world;
  std::vector<std::future<Result<int>>> ranks;
  for (int i = 0; i < 8; ++i) {
    ranks.push_back(std::async(std::launch::async, [&world] {
      return agreed_port("launch 1", world.environment);
    }));
  }
  const auto first = ranks[0].get();
  ASSERT_TRUE(first) << first.error().text();
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    const auto other = ranks[i].get();
    ASSERT_TRUE(other);
    EXPECT_EQ(*other, *first);
  }
}

TEST(AgreedPort, NeedsAFolderThatIsOursAlone) {
  const TemporaryWorld world;
  ::mkdir((world.folder() + "/topolaunch").c_str(), 0777);
  ::chmod((world.folder() + "/topolaunch").c_str(), 0777);
  EXPECT_FALSE(agreed_port("launch 2", world.environment));
}

TEST(AgreedPort, NeedsToKnowTheLaunch) {
  const TemporaryWorld world;
  EXPECT_FALSE(agreed_port("", world.environment));
}

TEST(LaunchKey, IsOfTheLaunchNotOfTheRank) {
  EXPECT_EQ(launch_key({{"PMIX_NAMESPACE", "1"}, {"PMIX_RANK", "0"}}),
            launch_key({{"PMIX_NAMESPACE", "1"}, {"PMIX_RANK", "3"}}));
  EXPECT_NE(launch_key({{"SLURM_JOB_ID", "1"}, {"SLURM_STEP_ID", "0"}}),
            launch_key({{"SLURM_JOB_ID", "1"}, {"SLURM_STEP_ID", "1"}}));
  EXPECT_EQ(launch_key({}), "");
}

}  // namespace
}  // namespace topolaunch::launcher
