// SPDX-License-Identifier: Apache-2.0
#include "topo/synthetic_tokens.h"

#include <array>
#include <cctype>
#include <charconv>

#include "base/lower_case.h"
#include "topo/link_speed.h"

namespace topolaunch::topo {
namespace {

constexpr std::array<std::string_view, 4> kLevels{"host", "leaf", "spine", "core"};

}  // namespace

std::string singular(std::string_view word) {
  if (word == "leaves" || word == "leafs") return "leaf";
  if (word == "numas" || word == "numanode" || word == "numanodes") return "numa";
  if (word.size() > 2 && word.ends_with("s") && word != "l40s") word.remove_suffix(1);
  return std::string(word);
}

std::vector<SpecToken> spec_tokens(std::string_view text) {
  std::vector<SpecToken> tokens;
  const auto separator = [](char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0 || c == ',' || c == ';';
  };
  std::size_t i = 0;
  while (i < text.size()) {
    if (separator(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && !separator(text[end])) ++end;
    SpecToken token{lower_case(text.substr(i, end - i)), i};
    const auto digits = token.text.find_first_not_of("0123456789");
    const bool glued = digits != 0 && digits != std::string::npos &&
                       token.text.find(':') == std::string::npos && !network_rate(token.text);
    if (glued) {
      std::string rest = token.text.substr(digits);
      std::size_t rest_at = i + digits;
      if (rest.front() == 'x' && !network_rate(rest)) {  // "8x", "8xh100"
        rest.erase(0, 1);
        ++rest_at;
      }
      tokens.push_back({token.text.substr(0, digits), i});
      if (!rest.empty()) tokens.push_back({std::move(rest), rest_at});
    } else {
      tokens.push_back(std::move(token));
    }
    i = end;
  }
  return tokens;
}

std::optional<int> number_of(const SpecToken& token) {
  int value = 0;
  const char* end = token.text.data() + token.text.size();
  const auto [rest, error] = std::from_chars(token.text.data(), end, value);
  if (error == std::errc::result_out_of_range) return 1 << 30;
  if (error != std::errc{} || rest != end || value < 0) return {};
  return value;
}

std::optional<double> ratio_of(const SpecToken& token) {
  const auto colon = token.text.find(':');
  if (colon == std::string::npos) return {};
  const auto side = [](std::string_view text) -> std::optional<double> {
    double value = 0;
    const auto [rest, error] =
        std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    if (error != std::errc{} || rest != text.data() + text.size() || value <= 0) return {};
    return value;
  };
  const auto down = side(std::string_view(token.text).substr(0, colon));
  const auto up = side(std::string_view(token.text).substr(colon + 1));
  if (!down || !up || *down / *up > 1000 || *down / *up < 0.001) return {};
  return *down / *up;
}

std::optional<int> fan_in_of(std::string_view word) {
  const auto slash = word.find('/');
  if (slash == std::string_view::npos) return {};
  const std::string child = singular(word.substr(0, slash));
  const std::string parent = singular(word.substr(slash + 1));
  for (std::size_t i = 0; i + 1 < kLevels.size(); ++i) {
    const bool host = i == 0 && (child == "node" || child == "machine");
    if ((child == kLevels[i] || host) && parent == kLevels[i + 1]) return static_cast<int>(i);
  }
  return {};
}

}  // namespace topolaunch::topo
