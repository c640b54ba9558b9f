// SPDX-License-Identifier: Apache-2.0
#include "topo/ib_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace topolaunch::topo {
namespace {

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return words;
    text.remove_prefix(first);
    words.push_back(text.substr(0, text.find_first_of(" \t")));
    text.remove_prefix(words.back().size());
  }
}

/// Names that an installation gives before anybody names the host.
constexpr std::array<std::string_view, 8> kUnset{
    "localhost", "ubuntu", "debian", "rocky", "centos", "linux", "(none)", "localhost.localdomain"};

bool host_letters(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '_';
  });
}

}  // namespace

std::string ib_host_name(std::string_view words) {
  const auto parts = words_of(words);
  // One word, or a host and its adapter; product names have more.
  if (parts.empty() || parts.size() > 2 || !host_letters(parts.front())) return {};
  if (std::find(kUnset.begin(), kUnset.end(), parts.front()) != kUnset.end()) return {};
  if (parts.size() == 2 && parts[1] == "Technologies") return {};
  return std::string(parts.front());
}

std::string ib_switch_name(std::string_view words) {
  if (words.find("Mellanox Technologies") != std::string_view::npos) return {};
  // "MF0;NAME:MODEL/U1": the firmware's prefix, and which chip of which model.
  if (const auto semicolon = words.find(';'); semicolon != std::string_view::npos) {
    std::string_view rest = words.substr(semicolon + 1);
    const auto colon = rest.find(':');
    std::string_view chip =
        colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
    rest = rest.substr(0, colon);
    // A director has many chips: "MCS8500/L01/U1" is its leaf 1.
    const auto slash = chip.find('/');
    chip = slash == std::string_view::npos ? std::string_view() : chip.substr(slash + 1);
    if (const auto inner = chip.find('/'); inner != std::string_view::npos) {
      return std::string(rest) + "/" + std::string(chip.substr(0, inner));
    }
    words = rest;
  }
  const auto parts = words_of(words);
  std::string name;
  for (const auto part : parts) name += (name.empty() ? "" : "-") + std::string(part);
  return name;
}

}  // namespace topolaunch::topo
