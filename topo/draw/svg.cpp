// SPDX-License-Identifier: Apache-2.0
#include "topo/draw/svg.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "topo/draw/group_style.h"

namespace topolaunch::topo::draw {
namespace {

/// "12", "12.5": pixels with no more digits than are seen.
std::string px(double value) { return fmt::format("{:.6g}", std::round(value * 10) / 10); }

std::string_view name_of(Tone tone) {
  constexpr std::array<std::string_view, 10> kNames{"host", "numa", "bus",   "gpu",   "nic",
                                                    "sw",   "leaf", "spine", "plain", "lost"};
  return kNames[static_cast<std::size_t>(tone)];
}

std::string_view name_of(Stroke stroke) {
  constexpr std::array<std::string_view, 4> kNames{"l", "l thick", "l dash", "l dot"};
  return kNames[static_cast<std::size_t>(stroke)];
}

class Writer {
 public:
  explicit Writer(std::string_view prefix) : prefix_(prefix) {}

  void operator()(const Box& box) {
    const bool named = !box.name.empty();
    if (named) out_ += fmt::format("<g role=\"img\"><title>{}</title>", escaped(box.name));
    const std::string tone = box.group >= 0 ? fmt::format("g{}", box.group % kGroupColours)
                                            : std::string(name_of(box.tone));
    out_ += fmt::format(
        "<rect class=\"b {}{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\"/>", tone,
        box.dashed ? " dash" : "", px(box.x), px(box.y), px(box.width), px(box.height));
    if (box.group >= 0 && box.band != Band::none) {
      const bool left = box.band == Band::left;
      // Moved as a whole: a pattern begins at its element's own origin, so that the bands of one
      // group look alike wherever they are.
      out_ += fmt::format(
          "<rect fill=\"url(#{}p{})\" transform=\"translate({} {})\" width=\"{}\" height=\"{}\"/>",
          prefix_, box.group % kGroupPatterns, px(box.x + 1), px(box.y + 1),
          px(left ? kBandWidth : box.width - 2), px(left ? box.height - 2 : kBandHeight));
    }
    out_ += named ? "</g>\n" : "\n";
  }

  void operator()(const Words& words) {
    if (words.text.empty()) return;
    constexpr std::array<std::string_view, 3> kAnchors{"", " m", " e"};
    out_ += fmt::format("<text class=\"t{}{}{}\" x=\"{}\" y=\"{}\" font-size=\"{}\">{}</text>\n",
                        kAnchors[static_cast<std::size_t>(words.anchor)], words.bold ? " s" : "",
                        words.quiet ? " q" : "", px(words.x), px(words.y), px(words.size),
                        escaped(words.text));
  }

  void operator()(const Line& line) {
    std::string points;
    for (const auto& [x, y] : line.points) {
      points += fmt::format("{}{},{}", points.empty() ? "" : " ", px(x), px(y));
    }
    const std::string shape =
        fmt::format("<polyline class=\"{}\" points=\"{}\"", name_of(line.stroke), points);
    if (line.name.empty()) {
      out_ += shape + "/>\n";
    } else {
      out_ += shape + fmt::format("><title>{}</title></polyline>\n", escaped(line.name));
    }
  }

  std::string take() { return std::move(out_); }

 private:
  std::string_view prefix_;
  std::string out_;
};

std::string element(const Drawing& drawing, std::string_view prefix, const std::string& style) {
  Writer writer(prefix);
  for (const Shape& shape : drawing.shapes) std::visit(writer, shape);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"topolaunch\" role=\"img\" "
      "aria-labelledby=\"{0}t {0}d\" width=\"{1}\" height=\"{2}\" viewBox=\"0 0 {1} {2}\">\n"
      "<title id=\"{0}t\">{3}</title>\n<desc id=\"{0}d\">{4}</desc>\n{5}"
      "<defs>{6}</defs>\n<rect class=\"paper\" width=\"{1}\" height=\"{2}\"/>\n{7}</svg>\n",
      prefix, px(std::ceil(drawing.width)), px(std::ceil(drawing.height)), escaped(drawing.title),
      escaped(drawing.description), style, group_patterns(prefix), writer.take());
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    switch (c) {
      case '&':
        out += "&amp;";
        continue;
      case '<':
        out += "&lt;";
        continue;
      case '>':
        out += "&gt;";
        continue;
      case '"':
        out += "&quot;";
        continue;
      case '\'':
        out += "&#39;";
        continue;
      default:
        break;
    }
    if (c < 0x80) {
      out += c >= 0x20 && c != 0x7F ? static_cast<char>(c) : c == '\n' || c == '\t' ? ' ' : '?';
      continue;
    }
    // Whole, shortest-form sequences of U+0080 to U+10FFFF without surrogates and U+FFFE/F.
    const std::size_t length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
    unsigned code = c & (0xFFU >> (length + 1));
    bool good = c >= 0xC2 && c <= 0xF4 && i + length <= text.size();
    for (std::size_t k = 1; good && k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      good = (next & 0xC0U) == 0x80U;
      code = code << 6U | (next & 0x3FU);
    }
    good = good && !(length == 3 && code < 0x800) && !(code >= 0xD800 && code < 0xE000) &&
           (code & 0xFFFEU) != 0xFFFE && !(length == 4 && (code < 0x10000 || code > 0x10FFFF)) &&
           code >= 0xA0;
    if (!good) {
      out += '?';
      continue;
    }
    out += text.substr(i, length);
    i += length - 1;
  }
  return out;
}

std::string svg_file(const Drawing& drawing) {
  return element(drawing, "tl-", "<style>" + svg_style() + "</style>\n");
}

std::string svg_inline(const Drawing& drawing, std::string_view prefix) {
  return element(drawing, prefix, "");
}

std::string svg_style() {
  std::string css = R"(
.topolaunch{font-family:system-ui,"Segoe UI",Roboto,Helvetica,Arial,"DejaVu Sans",sans-serif}
.topolaunch .b{stroke-width:1}
.topolaunch .lost{fill:none}
.topolaunch .b.dash{stroke-dasharray:4 3}
.topolaunch .m{text-anchor:middle}
.topolaunch .e{text-anchor:end}
.topolaunch .s{font-weight:bold}
.topolaunch .l{fill:none;stroke-width:1.5}
.topolaunch .thick{stroke-width:4}
.topolaunch .l.dash{stroke-dasharray:6 4}
.topolaunch .dot{stroke-dasharray:2 3}
)";
  return css + colour_rules(kLightTheme, ".topolaunch") + "@media (prefers-color-scheme:dark){\n" +
         colour_rules(kDarkTheme, ".topolaunch") + "}\n";
}

}  // namespace topolaunch::topo::draw
