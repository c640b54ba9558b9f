// SPDX-License-Identifier: Apache-2.0
#include "launcher/engine/remote_start.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/clock.h"
#include "base/commands.h"
#include "base/own_host.h"
#include "launcher/engine/mpirun_version.h"

namespace topolaunch::launcher {
namespace {

Plan plan_over(const std::vector<std::string>& host_of_rank) {
  Plan plan;
  plan.id = "id";
  for (const std::string& host : host_of_rank) {
    RankPlan rank;
    rank.rank = static_cast<int>(plan.ranks.size());
    rank.host = host;
    plan.ranks.push_back(rank);
    if (std::ranges::find(plan.hosts, host) == plan.hosts.end()) plan.hosts.push_back(host);
  }
  return plan;
}

class RemoteStartTest : public ::testing::Test {
 protected:
  Result<RemoteStart> start(const Plan& plan, int major = 4, const std::string& scratch = "/s") {
    MpirunVersion version;
    version.major = major;
    std::vector<std::string> elsewhere = plan.hosts;
    std::erase(elsewhere, "localhost");
    return remote_start(version, plan, std::move(elsewhere), scratch,
                        {files_, commands_, clock_, environment_});
  }
  /// The word behind `name`; empty if it isn't there.
  static std::string behind(const RemoteStart& start, const std::string& name) {
    const auto it = std::ranges::find(start.arguments, name);
    return it == start.arguments.end() || it + 1 == start.arguments.end() ? "" : it[1];
  }
  RootedFiles files_;
  SystemCommands commands_;
  SystemClock clock_;
  Environment environment_{{"PATH", "/usr/bin:/bin"}, {"HOME", "/nonexistent"},
                           {"OMPI_MCA_plm_rsh_agent", "cat -u"}};
};

TEST_F(RemoteStartTest, NamesAHostForEachRankInOrder) {
  const auto got = start(plan_over({"h2", "h0.x", "h2", "h0.y"}));
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->files.at("hosts"), "h2\nh0.x\nh2\nh0.y\n");
  EXPECT_EQ(behind(*got, "--hostfile"), "/s/hosts");
  EXPECT_EQ(behind(*got, "rmaps"), "seq");
  EXPECT_EQ(behind(*got, "orte_keep_fqdn_hostnames"), "1");
  EXPECT_TRUE(behind(*got, "plm_rsh_agent").ends_with(" __agent"));
  EXPECT_TRUE(behind(*got, "orte_launch_agent").ends_with(" __host orted"));
}

TEST_F(RemoteStartTest, CallsThisHostAsMpirunDoes) {
  const auto got = start(plan_over({"h1", "localhost", "h2"}));
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->files.at("hosts"), "h1\n" + own_host_name() + "\nh2\n");
}

TEST_F(RemoteStartTest, SaysItInTheWordsOfOpenMpi5) {
  const auto got = start(plan_over({"h1", "h0"}), 5);
  ASSERT_TRUE(got);
  EXPECT_EQ(behind(*got, "--map-by"), "seq:OVERSUBSCRIBE");
  EXPECT_TRUE(behind(*got, "plm_ssh_agent").ends_with(" __agent"));
  EXPECT_TRUE(behind(*got, "prte_launch_agent").ends_with(" __host prted"));
  EXPECT_EQ(std::ranges::count(got->arguments, "--mca"), 0);
}

TEST_F(RemoteStartTest, LetsAllAgentsOfALargeJobStay) {
  std::vector<std::string> hosts;
  for (int h = 0; h < 200; ++h) hosts.push_back("h" + std::to_string(h));
  EXPECT_EQ(behind(*start(plan_over(hosts)), "plm_rsh_num_concurrent"), "201");
}

TEST_F(RemoteStartTest, TakesTheUsersAgentOutOfTheArguments) {
  Plan plan = plan_over({"h0"});
  plan.engine_args = {"--mca", "btl", "tcp,self", "--mca", "plm_rsh_agent", "tee -a", "-x", "A"};
  const auto got = start(plan);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->agent, (std::vector<std::string>{"/usr/bin/tee", "-a"}));
  EXPECT_EQ(got->engine_args, (std::vector<std::string>{"--mca", "btl", "tcp,self", "-x", "A"}));
}

TEST_F(RemoteStartTest, LetsTheUsersParametersStand) {
  Plan plan = plan_over({"h0"});
  plan.engine_args = {"--mca", "oob_tcp_keepalive_time", "60"};
  const auto got = start(plan);
  ASSERT_TRUE(got);
  EXPECT_EQ(behind(*got, "oob_tcp_keepalive_time"), "");
  EXPECT_EQ(behind(*got, "oob_tcp_keepalive_intvl"), "3");
}

TEST_F(RemoteStartTest, NamesAnAgentThatIsNotThere) {
  environment_.set("OMPI_MCA_plm_rsh_agent", "no-such-agent");
  const auto got = start(plan_over({"h0"}));
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, Code::unavailable);
  EXPECT_NE(got.error().message.find("'no-such-agent'"), std::string::npos);
  EXPECT_NE(got.error().next.find("plm_rsh_agent"), std::string::npos);
}

TEST_F(RemoteStartTest, RefusesAPathThatMpirunWouldCut) {
  const auto got = start(plan_over({"h0"}), 4, "/my files");
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, Code::configuration);
  EXPECT_NE(got.error().message.find("/my files"), std::string::npos);
}

TEST(CarriedVariables, LeaveOutWhatBelongsToAHostASessionALauncherOrIsSecret) {
  const auto carried = carried_variables({{"PATH", "/venv/bin:/usr/bin"},
                                          {"VIRTUAL_ENV", "/venv"},
                                          {"NCCL_DEBUG", "INFO"},
                                          {"HOSTNAME", "head"},
                                          {"SSH_AUTH_SOCK", "/tmp/a"},
                                          {"XDG_RUNTIME_DIR", "/run/user/0"},
                                          {"OMPI_COMM_WORLD_RANK", "3"},
                                          {"SLURM_JOB_ID", "7"},
                                          {"TOPOLAUNCH_QUOTA_TOKEN", "t"},
                                          {"HF_TOKEN", "t"},
                                          {"aws_secret_access_key", "k"},
                                          {"WANDB_API_KEY", "k"},
                                          {"BASH_FUNC_ls%%", "() { :; }"}});
  EXPECT_EQ(carried, (std::map<std::string, std::string>{{"PATH", "/venv/bin:/usr/bin"},
                                                         {"VIRTUAL_ENV", "/venv"},
                                                         {"NCCL_DEBUG", "INFO"}}));
}

TEST(CarriedVariables, TakeAlongWhatTheUserNames) {
  const auto carried = carried_variables({{"TOPOLAUNCH_FORWARD", "HF_TOKEN,WANDB_*"},
                                          {"HF_TOKEN", "t"},
                                          {"WANDB_API_KEY", "k"},
                                          {"GITHUB_TOKEN", "g"}});
  EXPECT_EQ(carried, (std::map<std::string, std::string>{{"HF_TOKEN", "t"},
                                                         {"WANDB_API_KEY", "k"}}));
}

}  // namespace
}  // namespace topolaunch::launcher
