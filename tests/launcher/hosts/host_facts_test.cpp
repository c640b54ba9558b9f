// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/host_facts.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "launcher/machine.h"
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
  EXPECT_EQ(back->fingerprint(), facts->fingerprint());
}

TEST(HostFacts, FingerprintTellsMachinesBootsAndContainersApart) {
  HostFacts one;
  one.host_name = "n1";
  one.machine_id = "m";
  one.boot_id = "b";
  one.network_namespace = "net:[1]";
  HostFacts same = one;
  same.host_name = "n1.cluster";
  EXPECT_EQ(one.fingerprint(), same.fingerprint());
  for (std::string HostFacts::* const part :
       {&HostFacts::machine_id, &HostFacts::boot_id, &HostFacts::network_namespace}) {
    HostFacts other = one;
    other.*part = "other";
    EXPECT_NE(one.fingerprint(), other.fingerprint());
  }
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
