// SPDX-License-Identifier: Apache-2.0
//
// OpenSSL's libcrypto, opened when it is first needed: loading and relocating it costs a start of
// topolaunch more than everything else together, and most starts sign and verify nothing.
//
//   EVP_MD_CTX* context = crypto().EVP_MD_CTX_new();
#pragma once

#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

namespace topolaunch::quota {

/// The calls under OpenSSL's own names, with the types of its headers.
#define TOPOLAUNCH_CRYPTO_CALLS(CALL)                                                              \
  CALL(BN_bin2bn)                                                                                  \
  CALL(CRYPTO_free) CALL(ECDSA_SIG_free) CALL(ECDSA_SIG_new) CALL(ECDSA_SIG_set0) CALL(EVP_Digest) \
      CALL(EVP_DigestSign) CALL(EVP_DigestSignInit) CALL(EVP_DigestVerify)                         \
          CALL(EVP_DigestVerifyInit) CALL(EVP_MD_CTX_free) CALL(EVP_MD_CTX_new)                    \
              CALL(EVP_PKEY_CTX_free) CALL(EVP_PKEY_CTX_new_from_name) CALL(EVP_PKEY_Q_keygen)     \
                  CALL(EVP_PKEY_free) CALL(EVP_PKEY_fromdata) CALL(EVP_PKEY_fromdata_init)         \
                      CALL(EVP_PKEY_get_raw_private_key) CALL(EVP_PKEY_get_raw_public_key)         \
                          CALL(EVP_PKEY_new_raw_private_key) CALL(EVP_PKEY_new_raw_public_key)     \
                              CALL(EVP_sha256) CALL(OSSL_PARAM_BLD_free) CALL(OSSL_PARAM_BLD_new)  \
                                  CALL(OSSL_PARAM_BLD_push_octet_string)                           \
                                      CALL(OSSL_PARAM_BLD_push_utf8_string)                        \
                                          CALL(OSSL_PARAM_BLD_to_param) CALL(OSSL_PARAM_free)      \
                                              CALL(i2d_ECDSA_SIG)

struct CryptoLibrary {
#define TOPOLAUNCH_CRYPTO_MEMBER(name) decltype(&::name) name = nullptr;
  TOPOLAUNCH_CRYPTO_CALLS(TOPOLAUNCH_CRYPTO_MEMBER)
#undef TOPOLAUNCH_CRYPTO_MEMBER
};

/// All calls are there. Throws std::runtime_error where the library of the headers' version can't
/// be opened: topolaunch's package depends on it.
const CryptoLibrary& crypto();

}  // namespace topolaunch::quota
