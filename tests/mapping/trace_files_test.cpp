// SPDX-License-Identifier: Apache-2.0
#include "mapping/trace_files.h"

#include <gmock/gmock.h>

#include "tests/support/memory_files.h"

namespace topolaunch::mapping {
namespace {

TEST(TraceFiles, FilesOfOneRunAreFoundByTheirNumber) {
  test::MemoryFiles files;
  for (const char* const name : {"/r/ring4.0.prof", "/r/ring4.2.prof", "/r/ring4.10.prof",
                                 "/r/other.1.prof", "/r/ring4.x.prof"})
    files.add(name, "");
  EXPECT_EQ(sibling_files("/r/ring4.2.prof", files),
            (std::vector<std::string>{"/r/ring4.0.prof", "/r/ring4.2.prof", "/r/ring4.10.prof"}));
  EXPECT_EQ(sibling_files("/r/alone", files), (std::vector<std::string>{"/r/alone"}));
}

TEST(TraceFiles, NumbersOfRunsAndStepsAreNoRanks) {
  test::MemoryFiles files;
  for (const char* const name :
       {"/r/run0.prof", "/r/run1.prof", "/t/run3_rank0.json", "/t/run3_rank1.json",
        "/t/run4_rank0.json", "/t/run5_rank0.json", "/t/run6_rank0.json",
        "/n/node1.rank8.step0.json", "/n/node1.rank9.step0.json", "/n/node1.rank8.step1.json",
        "/n/node1.rank8.step2.json", "/v/v7.json", "/v/v8.json"})
    files.add(name, "");
  const auto alone = [](const char* name) { return std::vector<std::string>{name}; };
  EXPECT_EQ(sibling_files("/r/run0.prof", files), alone("/r/run0.prof"));
  EXPECT_EQ(sibling_files("/v/v7.json", files), alone("/v/v7.json"));
  EXPECT_EQ(sibling_files("/t/run3_rank0.json", files),
            (std::vector<std::string>{"/t/run3_rank0.json", "/t/run3_rank1.json"}));
  EXPECT_EQ(sibling_files("/n/node1.rank8.step0.json", files),
            (std::vector<std::string>{"/n/node1.rank8.step0.json", "/n/node1.rank9.step0.json"}));
}

}  // namespace
}  // namespace topolaunch::mapping
