// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervise/handshake.h"

#include <sys/random.h>

#include "quota/digest.h"

namespace topolaunch::launcher {
namespace {

std::string hexadecimal(std::string_view raw) {
  std::string out;
  for (const char c : raw) {
    out += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    out += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

}  // namespace

Result<std::string> random_name(std::size_t bytes) {
  std::string raw(bytes, '\0');
  if (::getrandom(raw.data(), raw.size(), 0) != static_cast<ssize_t>(raw.size())) {
    return fail(Code::internal, "the kernel gives no random numbers");
  }
  return hexadecimal(raw);
}

bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  int difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= a[i] ^ b[i];
  return difference == 0;
}

std::string hmac_sha256(std::string_view key, std::string_view text) {
  constexpr std::size_t kBlock = 64;  // of SHA-256
  std::string block = key.size() > kBlock ? quota::sha256(key) : std::string(key);
  block.resize(kBlock, '\0');
  std::string inner, outer;
  for (const char c : block) {
    inner += static_cast<char>(c ^ 0x36);
    outer += static_cast<char>(c ^ 0x5c);
  }
  return quota::sha256(outer + quota::sha256(inner.append(text)));
}

std::string proof_of(std::string_view secret, std::string_view role, std::string_view host,
                     std::string_view launcher_challenge, std::string_view keeper_challenge) {
  std::string text("topolaunch.hosts/1");
  for (const std::string_view part : {role, host, launcher_challenge, keeper_challenge}) {
    // The length goes with it: no two lists of parts make the same text.
    text += '\n' + std::to_string(part.size()) + ':';
    text += part;
  }
  return hexadecimal(hmac_sha256(secret, text));
}

}  // namespace topolaunch::launcher
