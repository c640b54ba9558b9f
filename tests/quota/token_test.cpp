// SPDX-License-Identifier: Apache-2.0
#include "quota/token.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "quota/revocation.h"
#include "tests/quota/desk.h"

namespace topolaunch::quota {
namespace {

void expect_refused(const Verified<Claims>& result, Step step, const std::string& words = "") {
  ASSERT_FALSE(result) << "accepted, expected a refusal at " << name_of(step);
  EXPECT_EQ(name_of(result.error().step), name_of(step)) << result.error().error.text();
  EXPECT_EQ(result.error().error.code, Code::denied);
  EXPECT_NE(result.error().error.message.find(words), std::string::npos) << result.error().error.message;
}

TEST(Token, IsAcceptedWithAllItsLimits) {
  const Desk desk;
  const auto claims = desk.verify(desk.token([](Json& p) {
    p["tlq"]["uid"] = 1000;
    p["tlq"]["window"] = {{"start", 1}, {"end", 1'900'000'000}};
    p["tlq"]["max_wall_s"] = 86400;
    p["tlq"]["borrow"] = {{"allow", true}, {"limit_pct", 50}, {"max_gpus", 16}};
    p["tlq"]["types"] = {"ml.p5.48xlarge", "NVIDIA H100 80GB HBM3"};
    p["tlq"]["parent"] = nullptr;
    p["another"] = "claim that authorisation ignores";
  }));
  ASSERT_TRUE(claims) << claims.error().error.text();
  EXPECT_EQ(claims->grant.team, "vision");
  EXPECT_EQ(claims->grant.gpus, 8);
  EXPECT_EQ(claims->grant.gpu_seconds, 100'000);
  EXPECT_EQ(claims->grant.types.size(), 2U);
  EXPECT_EQ(claims->grant.window_end, 1'900'000'000);
  EXPECT_EQ(claims->uid, 1000);
  EXPECT_EQ(claims->kid, desk.key.kid());
}

TEST(Token, TakesTheOldNameOfItsAlgorithm) {
  const Desk desk;
  EXPECT_TRUE(desk.verify(desk.token_with_header([](Json& h) { h["alg"] = "EdDSA"; })));
}

TEST(Token, WithAnyOneByteChangedIsRefused) {
  const Desk desk;
  const std::string token = desk.token();
  ASSERT_TRUE(desk.verify(token));
  for (std::size_t i = 0; i < token.size(); ++i) {
    for (const unsigned flip : {0x01U, 0x02U, 0x20U, 0x80U}) {
      std::string changed = token;
      changed[i] = static_cast<char>(static_cast<unsigned char>(changed[i]) ^ flip);
      ASSERT_FALSE(desk.verify(changed)) << "byte " << i << " to " << changed[i];
    }
    std::string shorter = token;
    shorter.erase(i, 1);
    ASSERT_FALSE(desk.verify(shorter)) << "without byte " << i;
    ASSERT_FALSE(desk.verify(token.substr(0, i))) << "cut at " << i;
  }
}

TEST(Token, IsRefusedForEveryAlgorithmButTheKeysOwn) {
  const Desk desk;
  for (const char* algorithm : {"none", "None", "NONE", "", "HS256", "HS512", "RS256", "PS256", "ES384", "ed25519"}) {
    expect_refused(desk.verify(desk.token_with_header([&](Json& h) { h["alg"] = algorithm; })), Step::header, "algorithm");
  }
  expect_refused(desk.verify(desk.token_with_header([](Json& h) { h["alg"] = "ES256"; })), Step::key);
  expect_refused(desk.verify(desk.token_with_header([](Json& h) { h["alg"] = 1; })), Step::header);
  expect_refused(desk.verify(desk.token_with_header([](Json& h) { h.erase("alg"); })), Step::header);
}

TEST(Token, WithAlgNoneAndNoSignatureIsRefused) {
  const Desk desk;
  const std::string bytes = to_base64url(R"({"alg":"none","typ":"topolaunch-quota+jwt","kid":")" + desk.key.kid() + "\"}") +
                            "." + to_base64url(to_line(desk.payload())) + ".";
  expect_refused(desk.verify(bytes), Step::header, "none");
}

TEST(Token, SignedWithThePublicKeyAsHmacSecretIsRefused) {
  const Desk desk;
  const std::string secret = *from_base64url(desk.key.public_jwk()["x"].get<std::string>());
  for (const char* algorithm : {"HS256", "Ed25519", "EdDSA"}) {
    Json header = desk.header();
    header["alg"] = algorithm;
    const std::string bytes = to_base64url(to_line(header)) + "." + to_base64url(to_line(desk.payload()));
    std::string mac(32, '\0');
    HMAC(EVP_sha256(), secret.data(), 32, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
         reinterpret_cast<unsigned char*>(mac.data()), nullptr);
    EXPECT_FALSE(desk.verify(bytes + "." + to_base64url(mac)));
    EXPECT_FALSE(desk.verify(bytes + "." + to_base64url(mac + mac)));
  }
}

TEST(Token, NeverLetsItsKidBeAPathAStatementOrAnAddress) {
  const Desk desk;
  for (const char* kid : {"../../etc/passwd", "/dev/null", "x' OR '1'='1", "https://evil.example/keys", "file:///etc/x", ""}) {
    expect_refused(desk.verify(desk.token_with_header([&](Json& h) { h["kid"] = kid; })), Step::key);
  }
  expect_refused(desk.verify(desk.token_with_header([](Json& h) { h["kid"] = std::string("\0\n\x1b[2J", 6); })), Step::key,
                 "'???[2J'");
}

TEST(Token, ThatBringsItsOwnKeyOrExtensionsIsRefused) {
  const Desk desk;
  for (const char* name : {"crit", "b64", "zip", "jku", "jwk", "x5u", "x5c"}) {
    expect_refused(desk.verify(desk.token_with_header([&](Json& h) { h[name] = Json::array({"x"}); })), Step::header, name);
  }
}

TEST(Token, OfAnotherTypeIsRefused) {
  const Desk desk;
  for (const char* typ : {"JWT", "at+jwt", "Topolaunch-Quota+jwt", "application/topolaunch-quota+jwt", "topolaunch-revoked+jwt"}) {
    expect_refused(desk.verify(desk.token_with_header([&](Json& h) { h["typ"] = typ; })), Step::header, "typ");
  }
  expect_refused(desk.verify(desk.token_with_header([](Json& h) { h.erase("typ"); })), Step::header);
}

TEST(Token, WithAByteOrderMarkIsRefused) {
  const Desk desk;
  const std::string header = to_line(desk.header()), payload = to_line(desk.payload());
  EXPECT_TRUE(desk.verify(desk.sign(header, payload)));
  EXPECT_FALSE(desk.verify(desk.sign(header, "\xEF\xBB\xBF" + payload)));
  EXPECT_FALSE(desk.verify(desk.sign("\xEF\xBB\xBF" + header, payload)));
}

TEST(Token, WithADuplicateKeyIsRefused) {
  const Desk desk;
  std::string payload = to_line(desk.payload());
  payload.insert(payload.find("\"gpus\":8"), "\"gpus\":8000,");
  expect_refused(desk.verify(desk.sign(to_line(desk.header()), payload)), Step::grant, "twice");
  std::string header = to_line(desk.header());
  header.insert(1, "\"alg\":\"Ed25519\",");
  expect_refused(desk.verify(desk.sign(header, to_line(desk.payload()))), Step::header, "twice");
}

TEST(Token, OfNonsenseIsRefused) {
  const Desk desk;
  for (const char* text : {"", ".", "..", "...", "a.b.c", "a.b", "a.b.c.d", "eyJ9.eyJ9.eyJ9"}) {
    EXPECT_FALSE(desk.verify(text)) << text;
  }
  expect_refused(desk.verify(std::string(9000, 'a')), Step::form, "8192");
  expect_refused(desk.verify(desk.sign(to_line(desk.header()), "[1,2]")), Step::grant);
  expect_refused(desk.verify(desk.sign(to_line(desk.header()), "{\"iss\":\"\xff\"}")), Step::grant);
  expect_refused(desk.verify(desk.sign(to_line(desk.header()), R"({"iss":NaN})")), Step::grant);
  expect_refused(desk.verify(desk.sign(to_line(desk.header()), R"({"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{}}}}}}}}})")),
                 Step::grant, "deep");
  std::string wide = "{\"a0\":0";
  for (int i = 1; i < 70; ++i) wide += ",\"a" + std::to_string(i) + "\":0";
  expect_refused(desk.verify(desk.sign(to_line(desk.header()), wide + "}")), Step::grant, "more values");
}

TEST(Token, OfAnotherIssuerIsRefused) {
  const Desk desk;
  for (const char* issuer : {"https://Quota.example.org", "https://quota.example.org/", "https://evil.example"}) {
    expect_refused(desk.verify(desk.token([&](Json& p) { p["iss"] = issuer; })), Step::issuer);
  }
  const Desk other;
  expect_refused(desk.verify(other.token()), Step::key);
}

TEST(Token, ForAnotherLedgerOrForSeveralIsRefused) {
  const Desk desk;
  expect_refused(desk.verify(desk.token([](Json& p) { p["aud"] = "urn:topolaunch:ledger:00000000-0000-4000-8000-000000000000"; })),
                 Step::audience, "this ledger is");
  expect_refused(desk.verify(desk.token([](Json& p) { p["aud"] = {kAudience}; })), Step::audience, "list");
  expect_refused(desk.verify(desk.token([](Json& p) { p["aud"] = {kAudience, "urn:x"}; })), Step::audience);
  expect_refused(desk.verify(desk.token([](Json& p) { p.erase("aud"); })), Step::audience, "missing");
}

TEST(Token, IsHeldToItsTimes) {
  const Desk desk;
  const std::int64_t now = desk.clock.now;
  expect_refused(desk.verify(desk.token([&](Json& p) { p["exp"] = now; })), Step::time, "expired");
  EXPECT_TRUE(desk.verify(desk.token([&](Json& p) { p["exp"] = now + 1; })));
  expect_refused(desk.verify(desk.token([&](Json& p) { p["nbf"] = now + 61; })), Step::time, "not valid before");
  EXPECT_TRUE(desk.verify(desk.token([&](Json& p) { p["nbf"] = now + 60; })));
  expect_refused(desk.verify(desk.token([&](Json& p) { p["iat"] = now + 3600; })), Step::time, "future");
  expect_refused(desk.verify(desk.token([&](Json& p) { p["exp"] = now + 36 * 86400; })), Step::time, "36 days");
}

TEST(Token, TakesIntegersOnly) {
  const Desk desk;
  for (const char* name : {"iat", "nbf", "exp"}) {
    for (const Json& wrong : {Json(1e300), Json(1.5), Json(-1), Json("1800000000"), Json(nullptr), Json(true),
                              Json(std::uint64_t{1} << 53), Json(std::uint64_t{1} << 63)}) {
      expect_refused(desk.verify(desk.token([&](Json& p) { p[name] = wrong; })), Step::time, name);
    }
  }
  for (const char* name : {"gpus", "gpu_seconds", "max_wall_s", "priority", "uid"}) {
    for (const Json& wrong : {Json(8.0), Json(-1), Json("8"), Json(1e300), Json(std::uint64_t{1} << 60), Json::array()}) {
      expect_refused(desk.verify(desk.token([&](Json& p) { p["tlq"][name] = wrong; })), Step::grant, name);
    }
  }
  expect_refused(desk.verify(desk.token([](Json& p) { p["tlq"]["gpus"] = 0; })), Step::grant, "gpus");
  expect_refused(desk.verify(desk.token([](Json& p) { p["tlq"]["gpus"] = 1'000'001; })), Step::grant, "gpus");
  expect_refused(desk.verify(desk.token([](Json& p) { p["tlq"]["priority"] = 101; })), Step::grant, "priority");
}

TEST(Token, WithALimitThatIsNotUnderstoodIsRefused) {
  const Desk desk;
  expect_refused(desk.verify(desk.token([](Json& p) { p["tlq"]["max_power_w"] = 1; })), Step::grant, "max_power_w");
  expect_refused(desk.verify(desk.token([](Json& p) { p["tlq"]["window"] = {{"start", 1}, {"end", 2}, {"days", "mon"}}; })),
                 Step::grant, "days");
  expect_refused(desk.verify(desk.token([](Json& p) { p["tlq"]["borrow"] = {{"allow", true}, {"from", "x"}}; })), Step::grant, "from");
  for (const char* version : {"2.0", "1", "1.", "1.x", "10.1", ""}) {
    expect_refused(desk.verify(desk.token([&](Json& p) { p["tlq"]["ver"] = version; })), Step::grant, "ver");
  }
  EXPECT_TRUE(desk.verify(desk.token([](Json& p) { p["tlq"]["ver"] = "1.7"; })));
}

TEST(Token, WithANameThatCouldBeAPathIsRefused) {
  const Desk desk;
  for (const std::string& team : {std::string("../x"), std::string("a/b"), std::string("a.b"), std::string("Vision"),
                                  std::string("-a"), std::string("a-"), std::string("vis\0ion", 7), std::string(41, 'a'),
                                  std::string(), std::string("\xc3\xa4")}) {
    expect_refused(desk.verify(desk.token([&](Json& p) { p["tlq"]["team"] = team; })), Step::grant, "team");
    expect_refused(desk.verify(desk.token([&](Json& p) { p["tlq"]["project"] = team; })), Step::grant, "project");
  }
  EXPECT_TRUE(desk.verify(desk.token([](Json& p) { p["tlq"]["team"] = std::string(40, 'a'); })));
}

TEST(Token, WithoutWhatItNeedsIsRefused) {
  const Desk desk;
  for (const char* name : {"iss", "sub", "aud", "iat", "exp", "jti", "scope", "tlq"}) {
    EXPECT_FALSE(desk.verify(desk.token([&](Json& p) { p.erase(name); }))) << name;
  }
  for (const char* name : {"ver", "team", "gpus", "gpu_seconds", "types"}) {
    expect_refused(desk.verify(desk.token([&](Json& p) { p["tlq"].erase(name); })), Step::grant, name);
  }
  expect_refused(desk.verify(desk.token([](Json& p) { p["jti"] = "7"; })), Step::grant, "jti");
  expect_refused(desk.verify(desk.token([](Json& p) { p["scope"] = "compute.creates read"; })), Step::grant, "scope");
  expect_refused(desk.verify(desk.token([](Json& p) { p["tlq"]["types"] = Json::array(); })), Step::grant, "types");
}

TEST(Token, StolenByAnotherUserIsRefused) {
  const Desk desk;
  EXPECT_TRUE(desk.verify(desk.token([](Json& p) { p["tlq"]["uid"] = 1000; })));
  expect_refused(desk.verify(desk.token([](Json& p) { p["tlq"]["uid"] = 1001; })), Step::user, "you are uid 1000");
  Expectation strict = desk.expect();
  strict.uid_required = true;
  expect_refused(verify_token(desk.token(), desk.trust, strict), Step::user, "names no uid");
}

TEST(Token, IsNeverShownInARefusal) {
  const Desk desk;
  const std::string token = desk.token([](Json& p) { p["exp"] = 1; });
  const auto refused = desk.verify(token);
  ASSERT_FALSE(refused);
  const std::string text = refused.error().error.text();
  EXPECT_EQ(text.find(token.substr(token.rfind('.') + 1)), std::string::npos);
  EXPECT_EQ(text.find(token.substr(0, 20)), std::string::npos);
}

TEST(Revocation, ListsAreSignedNumberedAndOfTheirIssuer) {
  const Desk desk;
  const RevocationList list{kIssuer, desk.clock.now, 7, desk.clock.now + 10, {desk.jti}, {}};
  const auto read = open_revocation_list(make_jws(kRevokedType, to_json(list), desk.key), desk.trust);
  ASSERT_TRUE(read) << read.error().error.text();
  EXPECT_EQ(read->sequence, 7);
  EXPECT_EQ(read->jtis, std::vector{desk.jti});
  EXPECT_FALSE(open_revocation_list(desk.token(), desk.trust));
  RevocationList foreign = list;
  foreign.issuer = "https://other.example";
  EXPECT_FALSE(open_revocation_list(make_jws(kRevokedType, to_json(foreign), desk.key), desk.trust));
  Json wrong = to_json(list);
  wrong["seq"] = -1;
  EXPECT_FALSE(open_revocation_list(make_jws(kRevokedType, wrong, desk.key), desk.trust));
}

TEST(Revocation, ListsGrowStale) {
  const RevocationList list{kIssuer, 1000, 1, 2000, {}, {}};
  EXPECT_EQ(staleness(list, 1500, 0), "");
  EXPECT_NE(staleness(list, 2001, 0), "");
  EXPECT_NE(staleness(list, 1500, 100), "");
}

}  // namespace
}  // namespace topolaunch::quota
