// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/remote_agent.h"

#include <gmock/gmock.h>

#include "tests/launcher/example_host.h"

namespace topolaunch::launcher {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(RemoteAgent, IsTheOneThatOpenMpiWouldUse) {
  const TemporaryWorld world;
  const auto agent = [&](std::vector<std::string> args, Environment environment) {
    const Outside outside{world.outside().files, world.outside().commands, world.outside().clock,
                          environment};
    const auto words = remote_agent(args, outside);
    return words ? *words : std::vector<std::string>{words.error().message};
  };
  EXPECT_THAT(agent({"--mca", "plm_rsh_agent", "/bin/sh -e"}, {}), ElementsAre("/bin/sh", "-e"));
  EXPECT_THAT(agent({"--mca", "btl", "tcp"}, {{"OMPI_MCA_plm_rsh_agent", "/nothing : /bin/sh"}}),
              ElementsAre("/bin/sh"));
  EXPECT_THAT(agent({"--prtemca", "plm_ssh_agent", "/no/agent"}, {}).front(),
              HasSubstr("'/no/agent' (--engine-args) is not there"));
  EXPECT_THAT(agent({}, {{"PATH", "/nowhere"}}).front(), HasSubstr("neither ssh nor rsh"));
}

TEST(RemoteAgent, IsReadFromOpenMpisParameterFile) {
  const TemporaryWorld world;
  world.file(".openmpi/mca-params.conf", "# ours\nbtl = tcp\nplm_rsh_agent = /bin/sh -x\n");
  const auto words = remote_agent({}, world.outside());
  ASSERT_TRUE(words) << words.error().text();
  EXPECT_THAT(*words, ElementsAre("/bin/sh", "-x"));
}

TEST(RemoteAgent, SshNeverAsksForAPassword) {
  const TemporaryWorld world;
  const std::string ssh = world.file("ssh", "#!/bin/sh\n");
  std::filesystem::permissions(ssh, std::filesystem::perms::owner_all);
  const auto words = remote_agent({"--mca", "plm_rsh_agent", ssh + " -p 22"}, world.outside());
  ASSERT_TRUE(words);
  EXPECT_THAT(*words, testing::Contains("BatchMode=yes"));
}

}  // namespace
}  // namespace topolaunch::launcher
