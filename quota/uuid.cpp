// SPDX-License-Identifier: Apache-2.0
#include "quota/uuid.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace topolaunch::quota {
namespace {

using Octets = std::array<unsigned char, 16>;

Octets random_octets() {
  Octets octets{};
  // Up to 256 bytes come whole once the kernel's pool is ready (getrandom(2)), or a signal struck
  // while it was not. Without random numbers there is nothing sensible to go on with.
  while (::getrandom(octets.data(), octets.size(), 0) != static_cast<ssize_t>(octets.size())) {
    if (errno != EINTR) throw std::logic_error("no random numbers from the kernel");
  }
  return octets;
}

std::string written(Octets octets, unsigned version) {
  octets[6] = static_cast<unsigned char>((octets[6] & 0x0fU) | (version << 4U));
  octets[8] = static_cast<unsigned char>((octets[8] & 0x3fU) | 0x80U);
  std::string text;
  for (std::size_t i = 0; i < octets.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", octets[i]);
  }
  return text;
}

}  // namespace

std::string make_uuid_v7(double unix_time) {
  Octets octets = random_octets();
  const auto milliseconds = static_cast<std::uint64_t>(unix_time > 0 ? unix_time * 1000 : 0);
  for (std::size_t i = 0; i < 6; ++i) {
    octets[i] = static_cast<unsigned char>((milliseconds >> (8 * (5 - i))) & 0xffU);
  }
  return written(octets, 7);
}

std::string make_uuid_v4() { return written(random_octets(), 4); }

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (c != '-') return false;
    } else if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
      return false;
    }
  }
  return true;
}

}  // namespace topolaunch::quota
