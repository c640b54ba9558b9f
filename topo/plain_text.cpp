// SPDX-License-Identifier: Apache-2.0
#include "topo/plain_text.h"

#include <algorithm>

namespace topolaunch::topo {
namespace {

/// iconv's name of the encoding, by its byte order mark, or by the zeros beside the first two
/// letters where there is none; nothing for other text.
std::string_view wide_encoding(std::string_view text) {
  using namespace std::string_view_literals;
  if (text.starts_with("\xFF\xFE\0\0"sv) || text.starts_with("\0\0\xFE\xFF"sv)) return "UTF-32";
  if (text.starts_with("\xFF\xFE"sv) || text.starts_with("\xFE\xFF"sv)) return "UTF-16";
  if (text.size() < 4) return {};
  const auto zero = [text](std::size_t i) { return text[i] == '\0'; };
  if (!zero(0) && zero(1) && !zero(2) && zero(3)) return "UTF-16LE";
  if (zero(0) && !zero(1) && zero(2) && !zero(3)) return "UTF-16BE";
  return {};
}

}  // namespace

Status plain_text(std::string_view text, const std::string& file, const std::string& what,
                  const std::string& wanted) {
  const auto refuse = [&](const std::string& is, std::string next, std::size_t at) {
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    return fail(
        Error{Code::invalid_input, what + " " + is, std::move(next), file, static_cast<int>(line)});
  };
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  const std::string_view body = text.substr(text.starts_with(kMark) ? kMark.size() : 0);
  if (body.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos)
    return refuse("is empty", wanted, 0);
  if (text.starts_with("\x1f\x8b")) {
    return refuse("is an archive (gzip)", "unpack it (tar xzf, gunzip); " + wanted, 0);
  }
  if (const auto encoding = wide_encoding(text); !encoding.empty()) {
    return refuse("is " + std::string(encoding) + " text",
                  "convert it: iconv -f " + std::string(encoding) + " -t UTF-8 " + file + " > NEW",
                  0);
  }
  if (const auto zero = text.find('\0'); zero != std::string_view::npos)
    return refuse("holds binary data", wanted, zero);
  return {};
}

}  // namespace topolaunch::topo
