// SPDX-License-Identifier: Apache-2.0
#include "quota/crypto_library.h"

#include <dlfcn.h>
#include <openssl/opensslv.h>

#include <stdexcept>
#include <string>

namespace topolaunch::quota {
namespace {

#define TOPOLAUNCH_TEXT_OF(value) #value
#define TOPOLAUNCH_TEXT(value) TOPOLAUNCH_TEXT_OF(value)
constexpr const char* kLibrary = "libcrypto.so." TOPOLAUNCH_TEXT(OPENSSL_SHLIB_VERSION);

CryptoLibrary opened() {
  void* const library = ::dlopen(kLibrary, RTLD_LAZY | RTLD_LOCAL);  // stays open to the end
  if (library == nullptr) {
    throw std::runtime_error(std::string("OpenSSL can't be opened: ") + ::dlerror() +
                             " (Debian: apt-get install libssl3)");
  }
  CryptoLibrary calls;
  const auto find = [library](const char* name) {
    void* const call = ::dlsym(library, name);
    if (call == nullptr) throw std::runtime_error(std::string(kLibrary) + " lacks " + name);
    return call;
  };
#define TOPOLAUNCH_CRYPTO_FIND(name) \
  calls.name = reinterpret_cast<decltype(calls.name)>(find(#name));
  TOPOLAUNCH_CRYPTO_CALLS(TOPOLAUNCH_CRYPTO_FIND)
#undef TOPOLAUNCH_CRYPTO_FIND
  return calls;
}

}  // namespace

const CryptoLibrary& crypto() {
  static const CryptoLibrary calls = opened();
  return calls;
}

}  // namespace topolaunch::quota
