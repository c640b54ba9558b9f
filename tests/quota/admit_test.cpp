// SPDX-License-Identifier: Apache-2.0
#include "quota/admit.h"

#include "quota/open_ledger.h"
#include "quota/revocation.h"
#include "quota/verbs/verbs.h"
#include "tests/quota/desk.h"

namespace topolaunch::quota {
namespace {

/// A site with an issuer that is trusted, a ledger, and one token file.
struct Site : Office {
  Site() {
    KeygenOptions keys;
    keys.folder = folder / "keys";
    keys.issuer = kIssuer;
    keys.trust = true;
    const auto made = keygen(keys, outside);
    EXPECT_TRUE(made) << made.error().text();
    IssueOptions options = issuing();
    const auto issued = issue(options, outside);
    EXPECT_TRUE(issued) << issued.error().text();
  }
  IssueOptions issuing() const {
    IssueOptions options;
    options.key_file = folder / "keys/issuer.key.jwk";
    options.out = folder / "t.token";
    options.subject = "alice";
    options.team = "vision";
    options.gpus = 4;
    options.gpu_seconds = 1000;
    return options;
  }
  AdmitRequest request(std::int64_t gpus, std::int64_t wall) const {
    AdmitRequest r;
    r.run_id = make_uuid_v7(1);
    r.token_path = folder / "t.token";
    r.demand.count = gpus;
    r.demand.wall_seconds = wall;
    r.demand.user = "alice";
    r.demand.command = "train";
    return r;
  }
  std::unique_ptr<LedgerStore> ledger() const { return std::move(*open_ledger("", LedgerUse::write, outside)); }
  Balance account() const { return ledger()->balances()->at(0); }
  RunRecord run(const std::string& id) const {
    const auto all = ledger()->runs();
    for (const RunRecord& r : *all) {
      if (r.run_id == id) return r;
    }
    return {};
  }
};

Code code_of(const Result<Admission>& result) { return result ? Code::internal : result.error().code; }

TEST(Admit, WithoutTokenAndRuleGoesOnAndSaysSo) {
  const Office office;
  const auto admission = admit({}, office.outside);
  ASSERT_TRUE(admission);
  EXPECT_FALSE(admission->hold);
  EXPECT_EQ(admission->text, "quota: none configured");
  EXPECT_FALSE(std::filesystem::exists(office.folder / "state")) << "nothing is made";
}

TEST(Admit, ANameThatMeansNoLedgerIsWrongEvenWithoutAToken) {
  const Office office;
  AdmitRequest request;
  request.ledger_url = "bogus:x";
  EXPECT_EQ(code_of(admit(request, office.outside)), Code::wrong_usage);
  EXPECT_EQ(quote(request, office.outside).error().code, Code::wrong_usage);
}

TEST(Admit, FollowsTheSitesRule) {
  const Site site;
  AdmitRequest none;
  none.rule = Rule::require;
  EXPECT_EQ(code_of(admit(none, site.outside)), Code::denied);
  none.rule = Rule::warn;
  const auto warned = admit(none, site.outside);
  ASSERT_TRUE(warned);
  EXPECT_EQ(warned->warnings.size(), 1U);
  AdmitRequest much = site.request(5, 1);
  much.rule = Rule::warn;
  const auto passed = admit(much, site.outside);
  ASSERT_TRUE(passed);
  EXPECT_FALSE(passed->hold);
  EXPECT_NE(passed->warnings.at(0).find("asks for 5 GPUs"), std::string::npos);
  much.rule = Rule::off;
  EXPECT_EQ(admit(much, site.outside)->text, "quota: off");
  EXPECT_EQ(parse_rule("require").value(), Rule::require);
  EXPECT_FALSE(parse_rule("Require"));
}

TEST(Admit, HoldsRunsAndSettles) {
  Site site;
  const AdmitRequest request = site.request(4, 100);
  auto admission = admit(request, site.outside);
  ASSERT_TRUE(admission) << admission.error().text();
  ASSERT_TRUE(admission->hold);
  EXPECT_EQ(admission->text, "quota: team vision holds 4 GPUs x 100 s = 400 GPU-seconds, 600 stay free");
  EXPECT_EQ(admission->hold->wall_limit(), Seconds(100));
  EXPECT_EQ(admission->team, "vision");
  EXPECT_EQ(admission->token_sha256.size(), 64U);
  EXPECT_EQ(site.account().held, 400);
  ASSERT_TRUE(admission->hold->start());
  EXPECT_EQ(admission->hold->heartbeat(Seconds(10)), "");
  EXPECT_EQ(site.run(request.run_id).used, 40);
  EXPECT_EQ(admission->hold->settle(Seconds(20.1), "ok").value(), 81);  // 80.4, rounded up
  EXPECT_EQ(site.account().settled, 81);
  EXPECT_EQ(site.account().held, 0);
}

TEST(Admit, RefusesGpusSecondsTypesAndWindow) {
  Site site;
  EXPECT_EQ(code_of(admit(site.request(5, 1), site.outside)), Code::denied);
  EXPECT_EQ(code_of(admit(site.request(4, 251), site.outside)), Code::denied);
  IssueOptions options = site.issuing();
  options.out = site.folder / "h100.token";
  options.types = {"NVIDIA H100 80GB HBM3"};
  options.window = "2026-12-24..2026-12-25";
  ASSERT_TRUE(issue(options, site.outside));
  AdmitRequest request = site.request(1, 1);
  request.token_path = options.out;
  request.demand.gpu_models = {"NVIDIA H100 80GB HBM3"};
  const auto outside_window = admit(request, site.outside);
  ASSERT_EQ(code_of(outside_window), Code::denied);
  site.clock.now = *parse_time("2026-12-24T12:00:00Z");
  EXPECT_TRUE(admit(request, site.outside));
  request.demand.gpu_models = {"NVIDIA A100-SXM4-80GB"};
  request.run_id += "x";
  EXPECT_EQ(code_of(admit(request, site.outside)), Code::denied);
}

TEST(Admit, DefersWhatIsInUse) {
  Site site;
  const auto first = admit(site.request(3, 10), site.outside);
  ASSERT_TRUE(first);
  const auto second = admit(site.request(2, 10), site.outside);
  ASSERT_EQ(code_of(second), Code::try_again);
  EXPECT_NE(second.error().message.find("3 in use"), std::string::npos);
}

TEST(Admit, TellsTheWallLimitThatItChose) {
  const Site site;
  const auto admission = admit(site.request(4, 0), site.outside);
  ASSERT_TRUE(admission);
  EXPECT_EQ(admission->hold->wall_limit(), Seconds(250));
  EXPECT_NE(admission->hold->wall_why(), "");
}

TEST(Admit, GivesBackAHoldThatIsDropped) {
  Site site;
  const AdmitRequest request = site.request(2, 100);
  { const auto dropped = admit(request, site.outside); }
  EXPECT_EQ(site.run(request.run_id).state, "RELEASED");
  EXPECT_EQ(site.account().held, 0);
  const AdmitRequest other = site.request(2, 100);
  {
    auto started = admit(other, site.outside);
    ASSERT_TRUE(started && started->hold->start());
    RunHold moved = std::move(*started->hold);
    site.clock.boot += 7;
  }
  EXPECT_EQ(site.run(other.run_id).state, "SETTLED");
  EXPECT_EQ(site.run(other.run_id).charged, 14) << "once, though the hold was moved";
}

TEST(Admit, LetsARunGoOnWhoseLedgerIsGoneButNotOneThatIsFenced) {
  Site site;
  const AdmitRequest request = site.request(1, 100);
  auto admission = admit(request, site.outside);
  ASSERT_TRUE(admission && admission->hold->start());
  Witness dead{site.run(request.run_id).host, "another boot", "", {}};
  ASSERT_TRUE(site.ledger()->takeover(request.run_id, Owner{}, dead));
  EXPECT_NE(admission->hold->heartbeat(Seconds(1)).find("fenced"), std::string::npos);
}

TEST(Admit, TakesATokenFromAFileOnly) {
  const Site site;
  const std::string token = TempFolder::read(site.folder / "t.token");
  AdmitRequest request = site.request(1, 1);
  request.token_path = token.substr(0, token.size() - 1);
  const auto in_argv = admit(request, site.outside);
  ASSERT_EQ(code_of(in_argv), Code::wrong_usage);
  EXPECT_EQ(in_argv.error().text().find(token.substr(0, 30)), std::string::npos);
  Environment environment = site.environment;
  environment.set("TOPOLAUNCH_QUOTA_TOKEN", token);
  request.token_path.clear();
  EXPECT_EQ(code_of(admit(request, {site.files, site.commands, site.clock, environment})), Code::wrong_usage);
  Environment by_file = site.environment;
  by_file.set("TOPOLAUNCH_QUOTA_TOKEN_FILE", site.folder / "t.token");
  const auto admission = admit(request, {site.files, site.commands, site.clock, by_file});
  ASSERT_TRUE(admission) << admission.error().text();
  EXPECT_TRUE(admission->hold);
}

TEST(Admit, RefusesATokenFileThatOthersCanReadOrThatIsChanged) {
  const Site site;
  const std::string file = site.folder / "t.token";
  std::string token = TempFolder::read(file);
  ::chmod(file.c_str(), 0644);
  EXPECT_EQ(code_of(admit(site.request(1, 1), site.outside)), Code::denied);
  ::chmod(file.c_str(), 0600);
  token[token.size() / 2] = token[token.size() / 2] == 'A' ? 'B' : 'A';
  site.folder.write("t.token", token);
  EXPECT_EQ(code_of(admit(site.request(1, 1), site.outside)), Code::denied);
  AdmitRequest absent = site.request(1, 1);
  absent.token_path = site.folder / "absent";
  EXPECT_EQ(code_of(admit(absent, site.outside)), Code::invalid_input);
}

TEST(Admit, RefusesATokenForAnotherLedger) {
  const Site site;
  AdmitRequest request = site.request(1, 1);
  request.ledger_url = "sqlite:" + (site.folder / "other/ledger.sqlite");
  IssueOptions elsewhere = site.issuing();
  elsewhere.ledger_url = request.ledger_url;
  elsewhere.out = site.folder / "elsewhere.token";
  ASSERT_TRUE(issue(elsewhere, site.outside));
  const auto refused = admit(request, site.outside);
  ASSERT_EQ(code_of(refused), Code::denied);
  EXPECT_NE(refused.error().message.find("audience"), std::string::npos);
}

TEST(Admit, RefusesAClockTurnedBackToReviveAToken) {
  Site site;
  { const auto admission = admit(site.request(1, 1), site.outside); }
  site.clock.now += 31 * 86400;
  EXPECT_EQ(code_of(admit(site.request(1, 1), site.outside)), Code::denied) << "expired";
  ASSERT_TRUE(site.ledger()->reap(this_machine(site.outside)));  // the ledger sees the new time
  site.clock.now -= 20 * 86400;
  const auto revived = admit(site.request(1, 1), site.outside);
  ASSERT_EQ(code_of(revived), Code::denied);
  EXPECT_NE(revived.error().message.find("clock"), std::string::npos) << revived.error().text();
}

TEST(Admit, HeedsSignedListsAndTheirAge) {
  Site site;
  const std::string list = site.folder / "config/topolaunch/trust.d/a.revoked.jws";
  RevokeOptions other;
  other.jti = make_uuid_v7(5);
  other.in_ledger = false;
  other.list_file = list;
  other.key_file = site.folder / "keys/issuer.key.jwk";
  other.days = 1;
  ASSERT_TRUE(revoke(other, site.outside));
  const std::string first = TempFolder::read(list);
  EXPECT_TRUE(admit(site.request(1, 1), site.outside));
  site.clock.now += 2 * 86400;
  AdmitRequest request = site.request(1, 1);
  auto stale = admit(request, site.outside);
  ASSERT_TRUE(stale);
  EXPECT_EQ(stale->warnings.size(), 1U);
  request.stale_revocation_denies = true;
  EXPECT_EQ(code_of(admit(request, site.outside)), Code::denied);
  EXPECT_EQ(quote(request, site.outside).error().code, Code::denied) << "as the run would be";
  EXPECT_FALSE(inspect({request, false}, site.outside)->accepted);
  RevokeOptions this_one = other;
  this_one.jti = site.account().grant.jti;
  EXPECT_TRUE(quote(site.request(1, 1), site.outside));
  ASSERT_TRUE(revoke(this_one, site.outside));
  EXPECT_EQ(quote(site.request(1, 1), site.outside).error().code, Code::denied)
      << "though the ledger has not seen the list yet";
  EXPECT_EQ(code_of(admit(site.request(1, 1), site.outside)), Code::denied);
  site.folder.write("config/topolaunch/trust.d/a.revoked.jws", first, 0644);
  const auto rolled_back = admit(site.request(1, 1), site.outside);
  ASSERT_EQ(code_of(rolled_back), Code::denied);
  EXPECT_NE(rolled_back.error().message.find("number 1, the ledger has seen 2"), std::string::npos)
      << rolled_back.error().text();
  std::filesystem::remove(list);
  EXPECT_EQ(code_of(admit(site.request(1, 1), site.outside)), Code::denied) << "taking the list away helps nobody";
}

TEST(Admit, ReapsWhatDiedOnThisMachine) {
  Site site;
  const auto dead = this_process(site.outside);
  Owner owner = dead;
  owner.pid_start -= 1;  // the pid is in use again, by us
  auto ledger = site.ledger();
  ReserveRequest lost;
  lost.run_id = "lost";
  lost.grant = site.account().grant;
  lost.demand.count = 4;
  lost.demand.wall_seconds = 100;
  lost.owner = owner;
  ASSERT_TRUE(ledger->reserve(lost) && ledger->start("lost", 1, owner) && ledger->renew("lost", 1, 50));
  const auto admission = admit(site.request(4, 100), site.outside);
  ASSERT_TRUE(admission) << admission.error().text();
  EXPECT_NE(admission->warnings.at(0).find("charged 50"), std::string::npos);
}

TEST(Admit, QuotesWithoutReserving) {
  const Site site;
  const auto good = quote(site.request(2, 10), site.outside);
  ASSERT_TRUE(good) << good.error().text();
  EXPECT_EQ(good->gpu_seconds, 20);
  EXPECT_EQ(good->text, "quota: team vision would hold 2 GPUs x 10 s = 20 GPU-seconds of 1000 free");
  EXPECT_EQ(quote(site.request(5, 10), site.outside).error().code, Code::denied);
  EXPECT_TRUE(site.ledger()->runs()->empty());
  EXPECT_EQ(quote({}, site.outside)->text, "quota: none configured");
}

TEST(Admit, RefusesATokenThatAllowsOnlyOtherImages) {
  const Site site;
  Desk desk;
  desk.clock.now = site.clock.now;
  site.folder.write("config/topolaunch/trust.d/desk.jwks.json", to_line([&] {
                      Json jwks = desk.jwks();
                      return jwks;
                    }()), 0644);
  const std::string urn = site.ledger()->urn();
  site.folder.write("image.token", desk.token([&](Json& p) {
    p["aud"] = urn;
    p["tlq"]["images"] = {"sha256:aa"};
  }));
  AdmitRequest request = site.request(1, 1);
  request.token_path = site.folder / "image.token";
  EXPECT_EQ(code_of(admit(request, site.outside)), Code::denied);
  request.demand.image = "sha256:aa";
  EXPECT_TRUE(admit(request, site.outside));
}

}  // namespace
}  // namespace topolaunch::quota
