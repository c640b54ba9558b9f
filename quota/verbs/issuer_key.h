// SPDX-License-Identifier: Apache-2.0
//
// The issuer's private key as `quota keygen` writes it: a JWK with one member more, "issuer".
#pragma once

#include <string>

#include "quota/key.h"

namespace topolaunch::quota {

struct IssuerKey {
  PrivateKey key;
  std::string issuer;
};
/// denied if others could read the file, configuration if it isn't such a key.
Result<IssuerKey> read_issuer_key(const std::string& path);

}  // namespace topolaunch::quota
