// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/host_facts.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/own_host.h"
#include "tests/launcher/example_host.h"

namespace topolaunch::launcher {
namespace {

TEST(HostFacts, OfThisHostGoThereAndBack) {
  const TemporaryWorld world;
  const auto facts = own_facts(world.outside());
  ASSERT_TRUE(facts) << facts.error().text();
  EXPECT_EQ(facts->host_name, own_host_name());
  const auto back = facts_from_frame("motd\n" + framed(*facts), "here");
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(to_json(*back), to_json(*facts));
  EXPECT_EQ(back->id, facts->id);
}

TEST(HostFacts, AreRefusedWhereTheyAreOfAnotherKind) {
  const auto read = [](const char* text) {
    return host_facts_from_json(*parse_json(text, "f"), "f");
  };
  EXPECT_EQ(read(R"({"schema": "topolaunch.plan/1"})").error().code, Code::invalid_input);
  EXPECT_EQ(read(R"([])").error().code, Code::invalid_input);
}

}  // namespace
}  // namespace topolaunch::launcher
