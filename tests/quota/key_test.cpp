// SPDX-License-Identifier: Apache-2.0
#include "quota/key.h"

#include <openssl/ecdsa.h>
#include <openssl/evp.h>

#include "quota/digest.h"
#include "tests/quota/desk.h"

namespace topolaunch::quota {
namespace {

// RFC 8037, appendices A.1 to A.4.
constexpr const char* kRfc8037D = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A";
constexpr const char* kRfc8037X = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
constexpr const char* kRfc8037Input = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
constexpr const char* kRfc8037Signature =
    "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";

TEST(Key, SignsAndVerifiesTheVectorOfRfc8037) {
  const auto secret = PrivateKey::from_jwk({{"kty", "OKP"}, {"crv", "Ed25519"}, {"d", kRfc8037D}, {"x", kRfc8037X}}, "f");
  ASSERT_TRUE(secret) << secret.error().text();
  EXPECT_EQ(to_base64url(secret->sign(kRfc8037Input)), kRfc8037Signature);
  const auto open = PublicKey::from_jwk({{"kty", "OKP"}, {"crv", "Ed25519"}, {"x", kRfc8037X}}, "f");
  ASSERT_TRUE(open);
  EXPECT_TRUE(open->verify(kRfc8037Input, *from_base64url(kRfc8037Signature)));
  EXPECT_EQ(open->kid(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");  // appendix A.3
}

TEST(Key, RefusesAPrivatePartAmongPublicKeys) {
  const auto key = PublicKey::from_jwk({{"kty", "OKP"}, {"crv", "Ed25519"}, {"x", kRfc8037X}, {"d", kRfc8037D}}, "f");
  ASSERT_FALSE(key);
  EXPECT_EQ(key.error().text().find(kRfc8037D), std::string::npos);
}

TEST(Key, RefusesKeysOfOtherKinds) {
  EXPECT_FALSE(PublicKey::from_jwk({{"kty", "oct"}, {"k", "AAAA"}}, "f"));
  EXPECT_FALSE(PublicKey::from_jwk({{"kty", "RSA"}, {"n", "AQAB"}, {"e", "AQAB"}}, "f"));
  EXPECT_FALSE(PublicKey::from_jwk({{"kty", "OKP"}, {"crv", "X25519"}, {"x", kRfc8037X}}, "f"));
  EXPECT_FALSE(PublicKey::from_jwk({{"kty", "OKP"}, {"crv", "Ed25519"}, {"x", kRfc8037X}, {"alg", "HS256"}}, "f"));
  EXPECT_FALSE(PublicKey::from_jwk({{"kty", "OKP"}, {"crv", "Ed25519"}, {"x", "AAAA"}}, "f"));
  EXPECT_FALSE(PublicKey::from_jwk({{"kty", "OKP"}, {"crv", "Ed25519"}, {"x", kRfc8037X}, {"use", "enc"}}, "f"));
  EXPECT_FALSE(PublicKey::from_jwk(Json::array(), "f"));
}

TEST(Key, RefusesAPointThatIsNotOnTheCurve) {
  const std::string x = to_base64url(std::string(32, '\1'));
  EXPECT_FALSE(PublicKey::from_jwk({{"kty", "EC"}, {"crv", "P-256"}, {"alg", "ES256"}, {"x", x}, {"y", x}}, "f"));
}

// A P-256 key made here, its public part as JWK, and JWS signatures by it.
struct P256 {
  EVP_PKEY* key = EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256");
  ~P256() { EVP_PKEY_free(key); }
  Json jwk() const {
    std::string point(65, '\0');
    std::size_t size = 0;
    EVP_PKEY_get_octet_string_param(key, "encoded-pub-key", reinterpret_cast<unsigned char*>(point.data()), 65, &size);
    EXPECT_EQ(size, 65U);
    return {{"kty", "EC"}, {"crv", "P-256"}, {"alg", "ES256"}, {"kid", "grid"},
            {"x", to_base64url(point.substr(1, 32))}, {"y", to_base64url(point.substr(33))}};
  }
  std::string sign(const std::string& text) const {
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    std::string der(80, '\0');
    std::size_t size = der.size();
    EVP_DigestSignInit(context, nullptr, EVP_sha256(), nullptr, key);
    EVP_DigestSign(context, reinterpret_cast<unsigned char*>(der.data()), &size,
                   reinterpret_cast<const unsigned char*>(text.data()), text.size());
    EVP_MD_CTX_free(context);
    const auto* at = reinterpret_cast<const unsigned char*>(der.data());
    ECDSA_SIG* signature = d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(size));
    std::string raw(64, '\0');
    BN_bn2binpad(ECDSA_SIG_get0_r(signature), reinterpret_cast<unsigned char*>(raw.data()), 32);
    BN_bn2binpad(ECDSA_SIG_get0_s(signature), reinterpret_cast<unsigned char*>(raw.data()) + 32, 32);
    ECDSA_SIG_free(signature);
    return raw;
  }
};

TEST(Key, TakesEs256OnlyFromAKeyThatSaysSo) {
  const P256 grid;
  Desk desk;
  TrustStore trust;
  ASSERT_TRUE(trust.add({{"issuer", kIssuer}, {"keys", Json::array({grid.jwk()})}}, "grid.jwks.json"));
  const auto signed_as = [&](const char* algorithm) {
    const std::string bytes = to_base64url(to_line({{"alg", algorithm}, {"typ", kTokenType}, {"kid", "grid"}})) + "." +
                              to_base64url(to_line(desk.payload()));
    return bytes + "." + to_base64url(grid.sign(bytes));
  };
  const auto good = verify_token(signed_as("ES256"), trust, desk.expect());
  EXPECT_TRUE(good) << good.error().error.text();
  const auto confused = verify_token(signed_as("Ed25519"), trust, desk.expect());
  ASSERT_FALSE(confused);
  EXPECT_EQ(confused.error().step, Step::key);
  Json silent = grid.jwk();
  silent.erase("alg");
  EXPECT_FALSE(PublicKey::from_jwk(silent, "f"));
}

TEST(Base64Url, HasOneSpellingForEveryByteString) {
  EXPECT_EQ(to_base64url(std::string("\0\xff\xfe", 3)), "AP_-");
  EXPECT_EQ(from_base64url("AP_-"), std::string("\0\xff\xfe", 3));
  EXPECT_EQ(from_base64url("QQ"), "A");
  for (const char* wrong : {"QR", "QQ==", "QQ=", "Q", "Q Q", "QQ\n", "Q+", "Q/", "QUJD=", "QUI9\t"}) {
    EXPECT_FALSE(from_base64url(wrong)) << wrong;
  }
  for (std::size_t n = 0; n < 40; ++n) {
    const std::string bytes(n, static_cast<char>(0xa5 + n));
    EXPECT_EQ(from_base64url(to_base64url(bytes)), bytes);
  }
}

}  // namespace
}  // namespace topolaunch::quota
