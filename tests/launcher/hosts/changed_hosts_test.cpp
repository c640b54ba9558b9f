// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/changed_hosts.h"

#include <gmock/gmock.h>

#include "launcher/hosts/host_cache.h"
#include "launcher/hosts/host_entry.h"
#include "tests/launcher/hosts/example_agent.h"

namespace topolaunch::launcher {
namespace {

using testing::ElementsAre;

class ChangedHosts : public testing::Test {
 protected:
  /// Starts whose first result is `first` and all later ones are good; h2 is forgotten meanwhile
  /// where `forgets`.
  Result<Answer> start(bool refresh, const Result<Answer>& first, bool forgets) {
    remember_host("h1", example_facts("h1"), world.outside());
    remember_host("h2", example_facts("h2"), world.outside());
    const Voice voice{[this](const std::string& line) { said.push_back(line); }, {}};
    std::vector<JobHost> hosts(3);
    hosts[0].name = "h1";
    hosts[1].name = "h2";
    hosts[2].name = "new";
    return asked_again_if_changed(refresh, hosts, world.outside(), voice,
                                  [&](bool again) -> Result<Answer> {
                                    refreshed.push_back(again);
                                    if (refreshed.size() > 1) return Answer{"good", 0};
                                    if (forgets) forget_host("h2", world.environment);
                                    return first;
                                  });
  }
  TemporaryWorld world;
  std::vector<bool> refreshed;
  std::vector<std::string> said;
};

const tl::unexpected<Error> kChanged = fail(Code::try_again, "host h2 has booted", "start again");

TEST_F(ChangedHosts, AreAskedAgainOnce) {
  const auto answer = start(false, kChanged, true);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->out, "good");
  EXPECT_THAT(refreshed, ElementsAre(false, true));
  EXPECT_THAT(said, ElementsAre("host h2 has booted: all hosts are asked again"));
}

TEST_F(ChangedHosts, OtherFailuresAreLeftAlone) {
  EXPECT_EQ(start(false, kChanged, false).error().code, Code::try_again) << "a ledger's, say";
  EXPECT_THAT(refreshed, ElementsAre(false));
  refreshed.clear();
  EXPECT_EQ(start(true, kChanged, true).error().code, Code::try_again) << "asked just now";
  EXPECT_THAT(refreshed, ElementsAre(true));
  refreshed.clear();
  EXPECT_TRUE(start(false, Answer{"good", 3}, true));
  EXPECT_THAT(refreshed, ElementsAre(false));
  EXPECT_TRUE(said.empty());
}

}  // namespace
}  // namespace topolaunch::launcher
