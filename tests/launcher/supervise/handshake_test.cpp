// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervise/handshake.h"

#include <gtest/gtest.h>

#include <set>

namespace topolaunch::launcher {
namespace {

std::string hex(std::string_view raw) {
  std::string out;
  for (const char c : raw) {
    out += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    out += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

TEST(Handshake, HmacIsThatOfTheStandard) {
  // RFC 4231, test cases 1, 2 and 6 (a key longer than a block).
  EXPECT_EQ(hex(hmac_sha256(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hex(hmac_sha256(std::string(131, '\xaa'),
                            "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Handshake, AProofServesOneRoleHostAndPairOfChallenges) {
  const std::set<std::string> proofs{
      proof_of("secret", "keeper", "a", "l", "k"),  proof_of("secret", "launcher", "a", "l", "k"),
      proof_of("secret", "keeper", "b", "l", "k"),  proof_of("secret", "keeper", "a", "m", "k"),
      proof_of("secret", "keeper", "a", "l", "kk"), proof_of("secret", "keeper", "al", "", "k"),
      proof_of("other", "keeper", "a", "l", "k")};
  EXPECT_EQ(proofs.size(), 7U);
}

TEST(Handshake, ComparesWholeSecrets) {
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_FALSE(same_secret("abc", "abd"));
  EXPECT_FALSE(same_secret("abc", "ab"));
  EXPECT_NE(*random_name(16), *random_name(16));
  EXPECT_EQ(random_name(16)->size(), 32U);
}

}  // namespace
}  // namespace topolaunch::launcher
