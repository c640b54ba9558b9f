// SPDX-License-Identifier: Apache-2.0
#include "quota/digest.h"

#include <fmt/format.h>

#include <stdexcept>

#include "quota/crypto_library.h"

namespace topolaunch::quota {

std::string sha256(std::string_view bytes) {
  std::string out(32, '\0');
  unsigned size = 0;
  if (crypto().EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(out.data()), &size,
                 crypto().EVP_sha256(), nullptr) != 1 ||
      size != 32) {
    throw std::logic_error("OpenSSL has no SHA-256");
  }
  return out;
}

std::string sha256_hex(std::string_view bytes) {
  std::string out;
  for (const char c : sha256(bytes)) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

}  // namespace topolaunch::quota
