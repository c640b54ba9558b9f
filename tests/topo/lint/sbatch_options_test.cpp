// SPDX-License-Identifier: Apache-2.0
#include "topo/lint/sbatch_options.h"

#include <gmock/gmock.h>

#include "tests/topo/facts.h"
#include "topo/lint/sbatch.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

bool right(std::string_view name, std::string_view value) {
  return wanted_sbatch_value(name, value).empty();
}

TEST(SbatchOptions, AreReadAsGetoptReadsThem) {
  EXPECT_EQ(sbatch_option("nodes"), "nodes");
  EXPECT_EQ(sbatch_option("ntasks-per-n"), "ntasks-per-node");
  EXPECT_EQ(sbatch_option("tasks-per-node"), "ntasks-per-node");
  EXPECT_EQ(sbatch_option("gpu"), "");  // gpu-bind, gpus ...
  EXPECT_EQ(sbatch_option("container-mounts"), "");
  EXPECT_EQ(sbatch_option(""), "");
  EXPECT_EQ(meant_sbatch_option("ntask-per-node"), "ntasks-per-node");
  for (const char* pyxis : {"container-image", "container-name", "container-mounts",
                            "container-save", "container-workdir", "no-container-mount-home"})
    EXPECT_EQ(meant_sbatch_option(pyxis), "") << pyxis;
}

TEST(SbatchOptions, TakeWhatTheManualSays) {
  for (const char* value : {"1", "2-4", "16k", "1-15:4", "1,5,9"})
    EXPECT_TRUE(right("nodes", value)) << value;
  for (const char* value : {"", "0", "0-2", "two", "1-", "1,", "$N"})
    EXPECT_FALSE(right("nodes", value)) << value;
  for (const char* value : {"8", "0", "h100:8", "h100:4,a100:2"})
    EXPECT_TRUE(right("gpus-per-node", value)) << value;
  for (const char* value : {"abc", "h100:", ":8", "8x", "-1"})
    EXPECT_FALSE(right("gpus", value)) << value;
  for (const char* value :
       {"gpu", "gpu:8", "gpu:h100", "gpu:h100:8", "gpu:2,lustre", "none", "shard:3"})
    EXPECT_TRUE(right("gres", value)) << value;
  for (const char* value : {"gpu:", "gpu:h100:x", "gpu:-1", "", "shard:1,gpu:"})
    EXPECT_FALSE(right("gres", value)) << value;
  for (const char* value :
       {"30", "30:00", "1:30:00", "2-0", "2-12:30", "2-12:30:15", "UNLIMITED", "infinite"})
    EXPECT_TRUE(right("time", value)) << value;
  for (const char* value : {"1:2:3:4:5", "1h", "1:30:", "2-1:2:3:4", "1.5", ""})
    EXPECT_FALSE(right("time", value)) << value;
  for (const char* value : {"0", "64000", "64G", "64gb", "2T"})
    EXPECT_TRUE(right("mem", value)) << value;
  for (const char* value : {"64 G", "1.5G", "GB", "64GiB"})
    EXPECT_FALSE(right("mem-per-gpu", value)) << value;
  EXPECT_TRUE(right("ntasks-per-node", "8"));
  EXPECT_FALSE(right("ntasks-per-node", "0"));
  EXPECT_TRUE(right("partition", "anything"));
  EXPECT_FALSE(right("nodes", std::string(100000, '1')));
}

TEST(LintSbatch, NamesTheLineOfEachBadValue) {
  const auto found = check_sbatch(
      "#!/bin/bash\n#SBATCH --gpus-per-node=abc\n#SBATCH -N 0\n#SBATCH -t 1:2:3:4:5\n"
      "#SBATCH --tasks_per_node=8\n#SBATCH --mem='64 G'\n#SBATCH --comment='a\n#SBATCH --ntasks\n",
      "j.sh");
  std::vector<int> bad, unknown;
  for (const auto& warning : found) {
    if (warning.code == "sbatch-bad-value") bad.push_back(warning.line);
    if (warning.code == "sbatch-unknown-option") unknown.push_back(warning.line);
  }
  EXPECT_THAT(bad, ::testing::ElementsAre(2, 3, 4, 6, 7, 8));
  EXPECT_THAT(unknown, ::testing::ElementsAre(5));
  EXPECT_THAT(found.at(0).message, HasSubstr("--gpus-per-node=abc: it takes a number of GPUs"));
}

TEST(LintSbatch, IsSilentOnQuotedValuesAndOnOptionsOfPlugins) {
  EXPECT_EQ(check_sbatch("#!/bin/bash\n#SBATCH --nodes=\"2\" --container-image=a/b:c --exclusive\n"
                         "#SBATCH --comment=\"two words\" # why\n",
                         "j.sh")
                .size(),
            0U);
}

}  // namespace
}  // namespace topolaunch::topo
