// SPDX-License-Identifier: Apache-2.0
#include "quota/base64url.h"

#include <cstddef>
#include <cstdint>

namespace topolaunch::quota {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

}  // namespace

std::string to_base64url(std::string_view bytes) {
  std::string text;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : bytes) {
    bits = (bits << 8U) | static_cast<unsigned char>(c);
    for (count += 8; count >= 6;) {
      count -= 6;
      text += kAlphabet[(bits >> count) & 0x3fU];
    }
  }
  if (count > 0) text += kAlphabet[(bits << (6 - count)) & 0x3fU];
  return text;
}

std::optional<std::string> from_base64url(std::string_view text) {
  if (text.size() % 4 == 1) return {};
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const std::size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos) return {};
    bits = ((bits << 6U) | static_cast<std::uint32_t>(value)) & 0xffffU;
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>((bits >> count) & 0xffU);
    }
  }
  if ((bits & ((1U << count) - 1U)) != 0) return {};
  return bytes;
}

}  // namespace topolaunch::quota
