// SPDX-License-Identifier: Apache-2.0
//
// Keys of issuers as JSON Web Keys (RFC 7517, 8037): Ed25519 to sign and verify, P-256 to verify
// tokens of a grid or identity provider whose key says "alg":"ES256". A key has one algorithm; what
// a token's header says can only get it refused.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace topolaunch::quota {

/// Owns an OpenSSL EVP_PKEY; copies share it.
using KeyHandle = std::shared_ptr<void>;

class PublicKey {
 public:
  enum class Algorithm { ed25519, es256 };

  /// configuration for a key type, curve, algorithm or point that isn't taken, or a kid that isn't a
  /// short string. `file` is for the message. A private member "d" is refused: it has no place here.
  static Result<PublicKey> from_jwk(const Json& jwk, const std::string& file);

  const std::string& kid() const { return kid_; }  ///< as the JWK says, else the thumbprint
  Algorithm algorithm() const { return algorithm_; }
  /// The header's "alg" is one that means this key's algorithm.
  bool answers_to(std::string_view header_algorithm) const;
  bool verify(std::string_view message, std::string_view signature) const;

 private:
  friend class PrivateKey;
  PublicKey() = default;
  KeyHandle key_;
  Algorithm algorithm_ = Algorithm::ed25519;
  std::string kid_;
};

/// Ed25519 only.
class PrivateKey {
 public:
  static PrivateKey generate();
  static Result<PrivateKey> from_jwk(const Json& jwk, const std::string& file);

  const std::string& kid() const { return kid_; }
  std::string sign(std::string_view message) const;  ///< 64 bytes
  Json public_jwk() const;
  Json private_jwk() const;  ///< a secret

 private:
  PrivateKey() = default;
  KeyHandle key_;
  std::string kid_;
};

/// RFC 7638: SHA-256 over the required members in order, base64url. `jwk` has them.
std::string thumbprint(const Json& jwk);

}  // namespace topolaunch::quota
