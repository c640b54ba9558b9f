// SPDX-License-Identifier: Apache-2.0
#include "topo/draw/text_width.h"

#include <array>
#include <cstddef>

namespace topolaunch::topo::draw {
namespace {

// Advances of DejaVu Sans 2.37 in thousandths of the size, U+0020 to U+007E.
constexpr std::array<int, 95> kAdvance{318,  401, 460, 838, 636, 950, 780, 275,
                                       390,  390, 500, 838, 318, 361, 318, 337,  //  !"#$%&'()*+,-./
                                       636,  636, 636, 636, 636, 636, 636, 636,
                                       636,  636, 337, 337, 838, 838, 838, 531,  // 0-9:;<=>?
                                       1000, 684, 686, 698, 770, 632, 575, 775,
                                       752,  295, 295, 656, 557, 863, 748, 787,  // @A-O
                                       603,  787, 695, 635, 611, 732, 684, 989,
                                       685,  611, 685, 390, 337, 390, 838, 500,  // P-Z[\]^_
                                       500,  613, 635, 550, 635, 615, 352, 635,
                                       634,  278, 278, 579, 278, 974, 634, 612,  // `a-o
                                       635,  635, 411, 521, 392, 634, 592, 818,
                                       592,  592, 525, 636, 337, 636, 838};  // p-z{|}~
// DejaVu Sans Bold is wider by 9 to 16 %, depending on the letters.
constexpr double kBold = 1.16;
constexpr std::string_view kEllipsis = "\u2026";

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

}  // namespace

double text_width(std::string_view text, double size, bool bold) {
  int sum = 0;
  for (const char c : text) {
    if (continues(c)) continue;
    const auto at = static_cast<unsigned char>(c);
    // A character that is not ASCII may be as wide as it is high (the ellipsis is, CJK is).
    sum += at >= 0x20 && at < 0x7F ? kAdvance[static_cast<std::size_t>(at - 0x20)] : 1000;
  }
  return sum / 1000.0 * size * (bold ? kBold : 1.0);
}

std::string fitted(std::string_view text, double width, double size, bool bold) {
  if (text_width(text, size, bold) <= width) return std::string(text);
  const double room = width - text_width(kEllipsis, size, bold);
  if (room < 0) return {};
  std::size_t end = text.size();
  while (end > 0 && text_width(text.substr(0, end), size, bold) > room) {
    do --end;
    while (end > 0 && continues(text[end]));
  }
  return std::string(text.substr(0, end)) + std::string(kEllipsis);
}

std::vector<std::string> broken(std::string_view text, double width, double size) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    const auto blank = text.find(' ');
    const std::string word(text.substr(0, blank));
    text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
    if (word.empty()) continue;
    const std::string longer = line.empty() ? word : line + " " + word;
    if (line.empty() || text_width(longer, size) <= width) {
      line = longer;
      continue;
    }
    lines.push_back(fitted(line, width, size));
    line = word;
  }
  if (!line.empty()) lines.push_back(fitted(line, width, size));
  return lines;
}

}  // namespace topolaunch::topo::draw
