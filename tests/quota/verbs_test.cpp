// SPDX-License-Identifier: Apache-2.0
#include "quota/verbs/verbs.h"

#include "quota/open_ledger.h"
#include "tests/quota/desk.h"

namespace topolaunch::quota {
namespace {

struct Counter : Office {
  Counter() {
    KeygenOptions keys;
    keys.folder = folder / "keys";
    keys.issuer = kIssuer;
    keys.trust = true;
    EXPECT_TRUE(keygen(keys, outside));
  }
  IssueOptions issuing() const {
    IssueOptions o;
    o.key_file = folder / "keys/issuer.key.jwk";
    o.out = folder / "t.token";
    o.subject = "alice";
    o.team = "vision";
    o.gpus = 4;
    o.gpu_hours = 2.5;
    return o;
  }
  AdmitRequest request() const {
    AdmitRequest r;
    r.run_id = make_uuid_v7(2);
    r.token_path = folder / "t.token";
    r.demand.count = 2;
    r.demand.wall_seconds = 60;
    r.demand.user = "alice";
    r.demand.command = "=cmd,\"x\"";
    return r;
  }
};

TEST(QuotaVerbs, KeygenKeepsTheSecretToItself) {
  const Counter counter;
  const std::string secret = counter.folder / "keys/issuer.key.jwk";
  struct stat info {};
  ASSERT_EQ(::stat(secret.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0600U);
  const std::string open = TempFolder::read(counter.folder / "keys/quota.example.org.jwks.json");
  EXPECT_EQ(open.find("\"d\""), std::string::npos);
  EXPECT_EQ(open, TempFolder::read(counter.folder / "config/topolaunch/trust.d/quota.example.org.jwks.json"));
  KeygenOptions again;
  again.folder = counter.folder / "keys";
  again.issuer = kIssuer;
  const std::string before = TempFolder::read(secret);
  EXPECT_FALSE(keygen(again, counter.outside)) << "no key is overwritten";
  EXPECT_EQ(TempFolder::read(secret), before);
  again.folder = counter.folder / "more";
  again.json = true;
  const auto json = keygen(again, counter.outside);
  ASSERT_TRUE(json);
  EXPECT_EQ(parse_json(*json, "")->at("schema"), "topolaunch.quota-keygen/1");
  again.issuer = "http://plain";
  EXPECT_EQ(keygen(again, counter.outside).error().code, Code::wrong_usage);
}

TEST(QuotaVerbs, IssueWritesATokenThatIsAccepted) {
  const Counter counter;
  const auto text = issue(counter.issuing(), counter.outside);
  ASSERT_TRUE(text) << text.error().text();
  struct stat info {};
  ASSERT_EQ(::stat((counter.folder / "t.token").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0600U);
  EXPECT_EQ(text->find(TempFolder::read(counter.folder / "t.token").substr(0, 40)), std::string::npos);
  EXPECT_FALSE(issue(counter.issuing(), counter.outside)) << "no token is overwritten";
  InspectOptions look;
  look.request = counter.request();
  const auto inspected = inspect(look, counter.outside);
  ASSERT_TRUE(inspected) << inspected.error().text();
  EXPECT_TRUE(inspected->accepted) << inspected->text;
  EXPECT_NE(inspected->text.find("\"gpu_seconds\": 9000"), std::string::npos) << inspected->text;
}

TEST(QuotaVerbs, IssueRefusesLimitsThatNoTokenCanHave) {
  const Counter counter;
  const auto refused = [&](const std::function<void(IssueOptions&)>& change) {
    IssueOptions o = counter.issuing();
    change(o);
    const auto made = issue(o, counter.outside);
    EXPECT_FALSE(std::filesystem::exists(counter.folder / "t.token"));
    return made ? Code::internal : made.error().code;
  };
  EXPECT_EQ(refused([](IssueOptions& o) { o.gpus = 0; }), Code::wrong_usage);
  EXPECT_EQ(refused([](IssueOptions& o) { o.team = "a/b"; }), Code::wrong_usage);
  EXPECT_EQ(refused([](IssueOptions& o) { o.subject = ""; }), Code::wrong_usage);
  EXPECT_EQ(refused([](IssueOptions& o) { o.gpu_hours = {}; }), Code::wrong_usage);
  EXPECT_EQ(refused([](IssueOptions& o) { o.gpu_seconds = 1; }), Code::wrong_usage);
  EXPECT_EQ(refused([](IssueOptions& o) { o.gpu_hours = -1; }), Code::wrong_usage);
  EXPECT_EQ(refused([](IssueOptions& o) { o.window = "2026-12-02..2026-12-01"; }), Code::wrong_usage);
  EXPECT_EQ(refused([](IssueOptions& o) { o.window = "soon"; }), Code::wrong_usage);
  EXPECT_EQ(refused([](IssueOptions& o) { o.audience = "urn:x"; }), Code::wrong_usage);
  EXPECT_EQ(refused([](IssueOptions& o) { o.days = 0; }), Code::wrong_usage);
  EXPECT_EQ(refused([](IssueOptions& o) { o.key_file = "/absent"; }), Code::invalid_input);
  EXPECT_FALSE(std::filesystem::exists(counter.folder / "state")) << "no ledger is made for them";
}

TEST(QuotaVerbs, InspectSaysAtWhichStepAndNeverShowsTheSignature) {
  Counter counter;
  ASSERT_TRUE(issue(counter.issuing(), counter.outside));
  counter.clock.now += 31 * 86400;
  InspectOptions look;
  look.request = counter.request();
  const auto refused = inspect(look, counter.outside);
  ASSERT_TRUE(refused);
  EXPECT_FALSE(refused->accepted);
  EXPECT_NE(refused->text.find("refused at time"), std::string::npos) << refused->text;
  const std::string token = TempFolder::read(counter.folder / "t.token");
  const std::string signature = token.substr(token.rfind('.') + 1, 40);
  EXPECT_EQ(refused->text.find(signature), std::string::npos);
  look.json = true;
  const auto json = inspect(look, counter.outside);
  ASSERT_TRUE(json);
  EXPECT_EQ(json->text.find(signature), std::string::npos);
  EXPECT_EQ(parse_json(json->text, "")->at("step"), "time");
  counter.folder.write("bad.token", "not a token");
  look.request.token_path = counter.folder / "bad.token";
  EXPECT_EQ(parse_json(inspect(look, counter.outside)->text, "")->at("step"), "form");
}

TEST(QuotaVerbs, BalanceUsageAndHistoryTellTheSame) {
  Counter counter;
  ASSERT_TRUE(issue(counter.issuing(), counter.outside));
  auto one = admit(counter.request(), counter.outside);
  ASSERT_TRUE(one && one->hold->start());
  ASSERT_TRUE(one->hold->settle(Seconds(30), "ok"));
  auto two = admit([&] {
    AdmitRequest r = counter.request();
    r.run_id = "second";
    return r;
  }(), counter.outside);
  ASSERT_TRUE(two) << two.error().text();
  BalanceOptions balances;
  balances.json = true;
  const auto grants = parse_json(*balance(balances, counter.outside), "");
  ASSERT_TRUE(grants);
  const Json& grant = grants->at("grants").at(0);
  EXPECT_EQ(grant.at("spent"), 60);
  EXPECT_EQ(grant.at("held"), 120);
  EXPECT_EQ(grant.at("free"), 9000 - 180);
  EXPECT_EQ(grant.at("gpus_in_use"), 2);
  UsageOptions by_user;
  by_user.by = UsageOptions::By::user;
  by_user.format = UsageOptions::Format::json;
  const auto users = parse_json(*usage(by_user, counter.outside), "");
  EXPECT_EQ(users->at("users").at(0).at("spent"), 60);
  EXPECT_EQ(users->at("users").at(0).at("open"), 1);
  UsageOptions csv;
  csv.by = UsageOptions::By::run;
  csv.format = UsageOptions::Format::csv;
  EXPECT_NE(usage(csv, counter.outside)->find(R"("'=cmd,""x""")"), std::string::npos) << *usage(csv, counter.outside);
  UsageOptions open;
  open.by = UsageOptions::By::run;
  open.open_only = true;
  const std::string listed = *usage(open, counter.outside);
  EXPECT_NE(listed.find("second"), std::string::npos);
  EXPECT_EQ(listed.find("SETTLED"), std::string::npos);
  UsageOptions since;
  since.since = "2031-01-01";
  since.by = UsageOptions::By::run;
  EXPECT_EQ(usage(since, counter.outside)->find("SETTLED"), std::string::npos);
  since.since = "yesterday";
  EXPECT_EQ(usage(since, counter.outside).error().code, Code::wrong_usage);
  HistoryOptions all;
  EXPECT_NE(history(all, counter.outside)->find("journal intact"), std::string::npos);
  all.json = true;
  EXPECT_EQ(parse_json(*history(all, counter.outside), "")->at("intact"), true);
}

TEST(QuotaVerbs, RevokeStopsWhatIsToCome) {
  const Counter counter;
  ASSERT_TRUE(issue(counter.issuing(), counter.outside));
  RevokeOptions options;
  options.jti = (*open_ledger("", LedgerUse::read, counter.outside))->balances()->at(0).grant.jti;
  options.reason = "left";
  ASSERT_TRUE(revoke(options, counter.outside));
  const auto refused = admit(counter.request(), counter.outside);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::denied);
  QuoteOptions asking;
  asking.request = counter.request();
  EXPECT_EQ(quote_text(asking, counter.outside).error().code, Code::denied);
  InspectOptions look;
  look.request = counter.request();
  EXPECT_NE(inspect(look, counter.outside)->text.find("refused at revocation"), std::string::npos);
  options.jti = "7";
  EXPECT_EQ(revoke(options, counter.outside).error().code, Code::wrong_usage);
}

TEST(QuotaVerbs, ReadTimesAsUtcAndNoOthers) {
  EXPECT_EQ(parse_time("2026-12-01").value(), 1796083200);
  EXPECT_EQ(parse_time("2026-12-01T08:00:00Z").value(), 1796083200 + 8 * 3600);
  for (const char* wrong : {"", "2026-13-01", "2026-02-30", "2026-12-01T25:00:00Z", "2026-12-01x", "2026", "-1-1-1"}) {
    EXPECT_FALSE(parse_time(wrong)) << wrong;
  }
}

TEST(Uuid, OfVersionSevenSortsByTime) {
  const std::string a = make_uuid_v7(1'798'000'000.001), b = make_uuid_v7(1'798'000'000.002);
  EXPECT_TRUE(is_uuid(a));
  EXPECT_EQ(a[14], '7');
  EXPECT_LT(a, b);
  EXPECT_NE(make_uuid_v7(5), make_uuid_v7(5));
  EXPECT_EQ(make_uuid_v4()[14], '4');
  for (const char* wrong : {"", "0190f5c2-7b1a-7c3e-9d55-3f2f8f5e6a1", "0190F5C2-7b1a-7c3e-9d55-3f2f8f5e6a10",
                            "0190f5c2a7b1a-7c3e-9d55-3f2f8f5e6a10"}) {
    EXPECT_FALSE(is_uuid(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace topolaunch::quota
