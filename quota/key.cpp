// SPDX-License-Identifier: Apache-2.0
#include "quota/key.h"

#include <fmt/format.h>
#include <openssl/core_names.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "quota/base64url.h"
#include "quota/crypto_library.h"
#include "quota/digest.h"
#include "quota/printable.h"

namespace topolaunch::quota {
namespace {

const unsigned char* octets(std::string_view s) {
  return reinterpret_cast<const unsigned char*>(s.data());
}
unsigned char* octets(std::string& s) { return reinterpret_cast<unsigned char*>(s.data()); }
EVP_PKEY* pkey(const KeyHandle& handle) { return static_cast<EVP_PKEY*>(handle.get()); }

KeyHandle owned(EVP_PKEY* key) {
  return KeyHandle(key, [](void* p) { crypto().EVP_PKEY_free(static_cast<EVP_PKEY*>(p)); });
}

struct DigestContext {
  EVP_MD_CTX* value = crypto().EVP_MD_CTX_new();
  DigestContext() = default;
  DigestContext(const DigestContext&) = delete;
  DigestContext& operator=(const DigestContext&) = delete;
  ~DigestContext() { crypto().EVP_MD_CTX_free(value); }
};

std::string text_of(const Json& jwk, const char* name) {
  const auto it = jwk.find(name);
  return it != jwk.end() && it->is_string() ? it->get<std::string>() : std::string();
}

/// A base64url member of exactly 32 bytes.
std::optional<std::string> octets_of(const Json& jwk, const char* name) {
  auto bytes = from_base64url(text_of(jwk, name));
  if (!bytes || bytes->size() != 32) return {};
  return bytes;
}

KeyHandle p256(const std::string& x, const std::string& y) {
  const std::string point = "\x04" + x + y;
  OSSL_PARAM_BLD* build = crypto().OSSL_PARAM_BLD_new();
  crypto().OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0);
  crypto().OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                            point.size());
  OSSL_PARAM* parameters = crypto().OSSL_PARAM_BLD_to_param(build);
  EVP_PKEY_CTX* context = crypto().EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr);
  EVP_PKEY* key = nullptr;
  // A point that isn't on the curve fails here.
  if (crypto().EVP_PKEY_fromdata_init(context) != 1 ||
      crypto().EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1) {
    key = nullptr;
  }
  crypto().EVP_PKEY_CTX_free(context);
  crypto().OSSL_PARAM_free(parameters);
  crypto().OSSL_PARAM_BLD_free(build);
  return key == nullptr ? nullptr : owned(key);
}

/// JWS carries r and s as 32 bytes each; OpenSSL wants DER.
std::optional<std::string> der_signature(std::string_view raw) {
  if (raw.size() != 64) return {};
  ECDSA_SIG* signature = crypto().ECDSA_SIG_new();
  crypto().ECDSA_SIG_set0(signature, crypto().BN_bin2bn(octets(raw.substr(0, 32)), 32, nullptr),
                          crypto().BN_bin2bn(octets(raw.substr(32)), 32, nullptr));
  unsigned char* der = nullptr;
  const int size = crypto().i2d_ECDSA_SIG(signature, &der);
  std::optional<std::string> out;
  if (size > 0) out.emplace(reinterpret_cast<char*>(der), static_cast<std::size_t>(size));
  crypto().CRYPTO_free(der, __FILE__, __LINE__);
  crypto().ECDSA_SIG_free(signature);
  return out;
}

Json okp_jwk(const std::string& x) { return Json{{"kty", "OKP"}, {"crv", "Ed25519"}, {"x", x}}; }

std::string raw_public(const KeyHandle& key) {
  std::string raw(32, '\0');
  std::size_t size = raw.size();
  if (crypto().EVP_PKEY_get_raw_public_key(pkey(key), octets(raw), &size) != 1) {
    throw std::logic_error("OpenSSL gives no Ed25519 public key");
  }
  return raw;
}

tl::unexpected<Error> no_key(const std::string& file, std::string why) {
  return fail(Error{Code::configuration, std::move(why), {}, file, 0});
}

}  // namespace

std::string thumbprint(const Json& jwk) {
  // Members in lexicographic order, no white space: RFC 7638 section 3, RFC 8037 section 2.
  std::string text;
  for (const char* name : {"crv", "kty", "x", "y"}) {
    if (!jwk.contains(name)) continue;
    text += text.empty() ? "{" : ",";
    text += fmt::format("\"{}\":{}", name, to_line(jwk.at(name)));
  }
  return to_base64url(sha256(text + "}"));
}

Result<PublicKey> PublicKey::from_jwk(const Json& jwk, const std::string& file) {
  if (!jwk.is_object()) return no_key(file, "a key is not a JSON object");
  if (jwk.contains("d"))
    return no_key(file, "holds a private key (\"d\"), where only public ones belong");
  const std::string type = text_of(jwk, "kty");
  const std::string curve = text_of(jwk, "crv");
  const std::string algorithm = text_of(jwk, "alg");
  PublicKey key;
  if (type == "OKP" && curve == "Ed25519") {
    if (jwk.contains("alg") && algorithm != "Ed25519" && algorithm != "EdDSA") {
      return no_key(file,
                    fmt::format("an Ed25519 key can't be for alg '{}'", printable(algorithm)));
    }
    const auto x = octets_of(jwk, "x");
    if (!x) return no_key(file, "an Ed25519 key needs \"x\", 32 bytes in base64url");
    EVP_PKEY* raw =
        crypto().EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, octets(*x), x->size());
    if (raw == nullptr) return no_key(file, "OpenSSL refuses this Ed25519 key");
    key.key_ = owned(raw);
  } else if (type == "EC" && curve == "P-256") {
    if (algorithm != "ES256") return no_key(file, "a P-256 key must say \"alg\":\"ES256\"");
    const auto x = octets_of(jwk, "x");
    const auto y = octets_of(jwk, "y");
    if (!x || !y)
      return no_key(file, "a P-256 key needs \"x\" and \"y\", 32 bytes each in base64url");
    key.key_ = p256(*x, *y);
    if (!key.key_) return no_key(file, "this P-256 key is not a point of the curve");
    key.algorithm_ = Algorithm::es256;
  } else {
    return no_key(file,
                  fmt::format("key type '{}' curve '{}' is not taken: Ed25519, or P-256 with ES256",
                              printable(type), printable(curve)));
  }
  if (jwk.contains("use") && text_of(jwk, "use") != "sig") {
    return no_key(file, "a key is not for signatures (\"use\")");
  }
  key.kid_ = jwk.contains("kid") ? text_of(jwk, "kid") : thumbprint(jwk);
  if (key.kid_.empty() || key.kid_.size() > 255)
    return no_key(file, "a key's \"kid\" is not a short string");
  return key;
}

bool PublicKey::answers_to(std::string_view header_algorithm) const {
  if (algorithm_ == Algorithm::es256) return header_algorithm == "ES256";
  // RFC 9864 names it Ed25519 and deprecates EdDSA, which older signers still write.
  return header_algorithm == "Ed25519" || header_algorithm == "EdDSA";
}

bool PublicKey::verify(std::string_view message, std::string_view signature) const {
  const DigestContext context;
  const bool es256 = algorithm_ == Algorithm::es256;
  std::string bytes(signature);
  if (es256) {
    auto der = der_signature(signature);
    if (!der) return false;
    bytes = std::move(*der);
  } else if (signature.size() != 64) {
    return false;
  }
  return crypto().EVP_DigestVerifyInit(context.value, nullptr,
                                       es256 ? crypto().EVP_sha256() : nullptr, nullptr,
                                       pkey(key_)) == 1 &&
         crypto().EVP_DigestVerify(context.value, octets(bytes), bytes.size(), octets(message),
                                   message.size()) == 1;
}

PrivateKey PrivateKey::generate() {
  EVP_PKEY* raw = crypto().EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
  if (raw == nullptr) throw std::logic_error("OpenSSL can't make an Ed25519 key");
  PrivateKey key;
  key.key_ = owned(raw);
  key.kid_ = thumbprint(okp_jwk(to_base64url(raw_public(key.key_))));
  return key;
}

Result<PrivateKey> PrivateKey::from_jwk(const Json& jwk, const std::string& file) {
  if (!jwk.is_object() || text_of(jwk, "kty") != "OKP" || text_of(jwk, "crv") != "Ed25519") {
    return no_key(file, "is not an Ed25519 private key in JWK form");
  }
  const auto d = octets_of(jwk, "d");
  if (!d) return no_key(file, "has no private part (\"d\"), 32 bytes in base64url");
  EVP_PKEY* raw =
      crypto().EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, octets(*d), d->size());
  if (raw == nullptr) return no_key(file, "OpenSSL refuses this Ed25519 key");
  PrivateKey key;
  key.key_ = owned(raw);
  const std::string x = to_base64url(raw_public(key.key_));
  if (jwk.contains("x") && text_of(jwk, "x") != x) {
    return no_key(file, "its public part (\"x\") does not belong to its private part");
  }
  key.kid_ = jwk.contains("kid") ? text_of(jwk, "kid") : thumbprint(okp_jwk(x));
  return key;
}

std::string PrivateKey::sign(std::string_view message) const {
  const DigestContext context;
  std::string signature(64, '\0');
  std::size_t size = signature.size();
  if (crypto().EVP_DigestSignInit(context.value, nullptr, nullptr, nullptr, pkey(key_)) != 1 ||
      crypto().EVP_DigestSign(context.value, octets(signature), &size, octets(message),
                              message.size()) != 1) {
    throw std::logic_error("OpenSSL can't sign with an Ed25519 key");
  }
  return signature;
}

Json PrivateKey::public_jwk() const {
  Json jwk = okp_jwk(to_base64url(raw_public(key_)));
  jwk["alg"] = "Ed25519";
  jwk["use"] = "sig";
  jwk["kid"] = kid_;
  return jwk;
}

Json PrivateKey::private_jwk() const {
  std::string raw(32, '\0');
  std::size_t size = raw.size();
  if (crypto().EVP_PKEY_get_raw_private_key(pkey(key_), octets(raw), &size) != 1) {
    throw std::logic_error("OpenSSL gives no Ed25519 private key");
  }
  Json jwk = public_jwk();
  jwk["d"] = to_base64url(raw);
  return jwk;
}

}  // namespace topolaunch::quota
