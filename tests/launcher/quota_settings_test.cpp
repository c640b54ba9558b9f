// SPDX-License-Identifier: Apache-2.0
#include "launcher/quota_settings.h"

#include <gmock/gmock.h>

namespace topolaunch::launcher {
namespace {

Settings settings(const std::vector<std::pair<std::string, std::string>>& values) {
  Settings out;
  for (const auto& [key, value] : values)
    out.effective.push_back({key, {value}, "site.toml:1", false});
  return out;
}

TEST(QuotaSettings, AreTheSameForARunAndForTheVerbs) {
  const Settings site = settings({{"quota_require_uid", "true"},
                                  {"quota_max_token_days", "7"},
                                  {"quota_revocation_max_age", "24h"},
                                  {"quota_stale_revocation", "deny"},
                                  {"image_digest", "sha256:aa"},
                                  {"quota_token", "/t.token"},
                                  {"ledger", "sqlite:/l"}});
  QuotaOptions run;
  ASSERT_TRUE(fill_quota_settings(site, run));
  const auto verb = quota_request(site);
  ASSERT_TRUE(verb) << verb.error().text();
  const std::vector<quota::AdmitRequest> both{run.site, *verb};
  for (const quota::AdmitRequest& request : both) {
    EXPECT_TRUE(request.uid_required);
    EXPECT_EQ(request.longest_life, 7 * 86400);
    EXPECT_EQ(request.revocation_max_age, 86400);
    EXPECT_TRUE(request.stale_revocation_denies);
    EXPECT_EQ(request.demand.image, "sha256:aa");
  }
  EXPECT_EQ(verb->token_path, "/t.token");
  EXPECT_EQ(verb->ledger_url, "sqlite:/l");
}

TEST(QuotaSettings, ThatCannotBeAreRefusedWithTheirLine) {
  using Pair = std::pair<std::string, std::string>;
  for (const Pair& bad :
       {Pair{"quota_count", "hosts"}, Pair{"quota_max_token_days", "0"},
        Pair{"quota_revocation_max_age", "soon"}, Pair{"quota_stale_revocation", "maybe"},
        Pair{"image_digest", "latest"}}) {
    const auto request = quota_request(settings({bad}));
    ASSERT_FALSE(request) << bad.first;
    EXPECT_EQ(request.error().code, Code::configuration);
    EXPECT_THAT(request.error().text(), testing::HasSubstr("site.toml:1: '" + bad.first + "'"));
  }
}

}  // namespace
}  // namespace topolaunch::launcher
